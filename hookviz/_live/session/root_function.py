"""Run the function that makes the root, and check the tensor that it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

import torch
from msgspec import Struct

from hookviz._live.forward.watch import LiveForward, watching
from hookviz._live.graph.tensors import check_root
from hookviz._parameters import Keep
from hookviz.errors import NoGradError, NotATensorError

RootFunction = Callable[[], torch.Tensor]


class FunctionRun(Struct, frozen=True):
    """One run of a function that makes the root.

    Attributes:
        function: The function.
        live: The calls of modules in it.
        result: The object that it returned; `None` also where it raised.
        has_failed: Whether it raised; `live.log.error` is the exception.
    """

    function: RootFunction
    live: LiveForward
    result: Any
    has_failed: bool


def is_function(root: Any) -> TypeGuard[RootFunction]:
    """Return whether a root is a function that makes one, and not the tensor itself.

    Raises:
        NotATensorError: If it is a module or a class, which would be called without arguments.
    """
    if isinstance(root, torch.Tensor) or not callable(root):
        return False
    if isinstance(root, torch.nn.Module):
        raise NotATensorError(
            f"hookviz got the module {type(root).__name__} itself. Write a function that calls it "
            "and returns the tensor for backward(): lambda: model(x).sum()."
        )
    if isinstance(root, type):
        raise NotATensorError(
            f"hookviz got the class {root.__name__}. Write a function without arguments that "
            "returns the tensor for backward(): lambda: model(x).sum()."
        )
    return True


def run_function(
    function: RootFunction,
    *,
    keep: Keep,
    echo: bool = True,
    begins: Callable[[torch.nn.Module], None] | None = None,
) -> FunctionRun:
    """Run a function with every module that it calls watched.

    An `Exception` in it is kept in the log of the run; anything stronger goes on to the caller.

    Args:
        function: It is called once.
        keep: See `Keep`.
        echo: Whether the output of the function also reaches standard output.
        begins: Is told of the module of an outermost call before it is called.
    """
    with watching(keep=keep, echo=echo, begins=begins) as live:
        run = None
        try:
            result = function()
        except Exception as error:  # noqa: BLE001 - the user's function may raise any
            live.failed(error)
            run = FunctionRun(function, live, None, has_failed=True)
    return run or FunctionRun(function, live, result, has_failed=False)


def check_result(result: Any) -> torch.Tensor:
    """Return the result of a function if backward can be called on it.

    Raises:
        NotATensorError: If it is not a tensor.
        NoGradError: If it does not require grad.
    """
    if result is None:
        raise NotATensorError(
            "the function returned None; it has to return the tensor on which backward() is to be "
            "called. End it with a line such as `return loss`."
        )
    try:
        return check_root(result)
    except NotATensorError as error:
        raise NotATensorError(f"of what the function returned: {error}") from None
    except NoGradError as error:
        raise NoGradError(f"of what the function returned: {error}") from None
