"""Touch the private names of PyTorch, one in one function.

Each function here has a test in `tests/live/test_internals.py` that says what broke when a PyTorch
release changes the name.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch.autograd.graph import Node
from torch.nn.modules import module as torch_module

HookDict = dict[int, Callable[..., Any]]
Call = Callable[..., Any]

_saved_names: dict[type, tuple[str, ...]] = {}


def tensor_hooks(tensor: torch.Tensor) -> HookDict | None:
    """Return the dictionary that `Tensor.register_hook` fills; PyTorch iterates over it."""
    return tensor._backward_hooks


def post_accumulate_hooks(tensor: torch.Tensor) -> HookDict | None:
    """Return the dictionary that `register_post_accumulate_grad_hook` fills."""
    return getattr(tensor, "_post_accumulate_grad_hooks", None)


def version(tensor: torch.Tensor) -> int:
    """Return how often the tensor was changed in place; -1 where PyTorch does not count."""
    try:
        return tensor._version
    except RuntimeError:  # inference tensors have no counter
        return -1


def num_outputs(node: Node) -> int:
    """Return how many gradients arrive at the node: one per output of its forward operation.

    0 where PyTorch does not tell (before 2.5); the edges that lead to the node then have to do.
    """
    return len(getattr(node, "_input_metadata", ()))


class FreedError(Exception):
    """The saved tensors of a node were freed by an earlier backward."""


def can_see_saved() -> bool:
    """Return whether this PyTorch tells if a saved tensor has an unpack hook (2.13 does).

    Where it does not, saved tensors are left alone: reading one could run user code.
    """
    return hasattr(torch._C._autograd.SavedTensor, "unpack_hook")


def saved_tensors(node: Node) -> Iterator[torch.Tensor]:
    """Yield the tensors that the node saved for backward, without running user code.

    A tensor with an unpack hook is left out: reading it would run that hook, and under
    non-reentrant checkpointing the whole forward again.

    Raises:
        FreedError: If an earlier backward has freed them.
    """
    if not can_see_saved():
        return
    for name in names_of_saved(node):
        try:
            if _has_unpack_hook(getattr(node, f"_raw{name}")):
                continue
            saved = read_saved(node, name)
        except RuntimeError as error:
            if "second time" in str(error) or "already been freed" in str(error):
                raise FreedError(str(error)) from error
            continue  # changed in place since it was saved: backward itself will say so
        for value in saved if isinstance(saved, tuple | list) else (saved,):
            if isinstance(value, torch.Tensor):
                yield value


def names_of_saved(node: Node) -> tuple[str, ...]:
    """Return the names under which a node publishes what it saved, each with `_raw` before it."""
    kind = type(node)
    names = _saved_names.get(kind)
    if names is None:
        attributes = dir(node)
        names = tuple(name[len("_raw") :] for name in attributes if name.startswith("_raw_saved_"))
        _saved_names[kind] = names
    return names


def read_saved(node: Node, name: str) -> Any:
    """Return what a node saved under a name; PyTorch raises if it was freed or changed since."""
    return getattr(node, _PUBLIC_SAVED.get(name, name))


# A custom `autograd.Function` publishes what it saved under another name than built-in nodes do.
_PUBLIC_SAVED = {"_saved_tensors": "saved_tensors"}

asks_keeper = operator.attrgetter("now._saved_self")
"""The unpack hook of what was given out of a node's hands; see `saved_keeper`. It is no function of
Python, so what it raises comes with no frame of hookviz, as PyTorch's own errors do."""


def _has_unpack_hook(raw: Any) -> bool:
    # Reading what was given away runs no code of the user's: it says what a freed node does.
    if isinstance(raw, tuple | list):
        return any(part.unpack_hook not in (None, asks_keeper) for part in raw)
    return raw.unpack_hook not in (None, asks_keeper)


EngineFunction = Callable[..., Any]


def put_engine_function(function: EngineFunction | None = None) -> EngineFunction:
    """Have `torch.autograd.backward` and `torch.autograd.grad` call this to run the engine.

    It is called with the roots, their gradients, `retain_graph`, `create_graph` and the inputs, and
    `accumulate_grad=True` where backward calls it. (PyTorch puts one of its own there as well, to
    trace backward in `make_fx`.)

    Returns:
        What stood there before; without an argument it is only asked for.
    """
    module: Any = torch.autograd
    standing: EngineFunction = module._engine_run_backward
    if function is not None:
        module._engine_run_backward = function
    return standing


def sequence_number() -> int:
    """Return the number that the next node made in this thread will have."""
    return int(torch._C._autograd._get_sequence_nr())


NO_NUMBER = 2**64 - 1
"""What a node has for a number that no operation made (`AccumulateGrad`)."""


def number_of(node: Node) -> int | None:
    """Return a node's place among the nodes that its thread has made; `None` where it has none."""
    number = int(node._sequence_nr())
    return None if number == NO_NUMBER else number


@contextmanager
def unseen_by_modes() -> Iterator[None]:
    """Keep what runs within the block from the user's modes and tensor subclasses."""
    with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
        yield


def is_transformed() -> bool:
    """Return whether a `torch.func` transform is at work: its tensors have no numbers to read."""
    return bool(torch._C._are_functorch_transforms_active())


def is_traced() -> bool:
    """Return whether `torch.jit.trace` is at work: all that runs now becomes part of its graph."""
    return torch._C._get_tracing_state() is not None


def forward_pre_hooks(module: torch.nn.Module) -> HookDict:
    """Return the dictionary that `register_forward_pre_hook` fills."""
    return module._forward_pre_hooks


def forward_hooks(module: torch.nn.Module) -> HookDict:
    """Return the dictionary that `register_forward_hook` fills."""
    return module._forward_hooks


def backward_pre_hooks(module: torch.nn.Module) -> HookDict:
    """Return the dictionary that `register_full_backward_pre_hook` fills."""
    return module._backward_pre_hooks


def backward_hooks(module: torch.nn.Module) -> HookDict:
    """Return the dictionary that `register_full_backward_hook` fills, or the one before it."""
    return module._backward_hooks


def global_forward_pre_hooks() -> HookDict:
    """Return the hooks before every forward: `register_module_forward_pre_hook`."""
    return torch_module._global_forward_pre_hooks


def global_forward_hooks() -> HookDict:
    """Return the hooks after every forward: `register_module_forward_hook`."""
    return torch_module._global_forward_hooks


def global_backward_pre_hooks() -> HookDict:
    """Return the hooks of every module: `register_module_full_backward_pre_hook`."""
    return torch_module._global_backward_pre_hooks


def global_backward_hooks() -> HookDict:
    """Return the hooks of every module: `register_module_full_backward_hook`."""
    return torch_module._global_backward_hooks


def is_full(module: torch.nn.Module, hooks: HookDict) -> bool:
    """Return whether the hooks of a dictionary are full backward hooks, not of the old kind."""
    if hooks is torch_module._global_backward_hooks:
        return torch_module._global_is_full_backward_hook is not False
    return module._is_full_backward_hook is not False


def sees_kwargs(module: torch.nn.Module, hooks: HookDict, key: int) -> bool:
    """Return whether a forward hook was registered with `with_kwargs=True`."""
    if hooks is module._forward_pre_hooks:
        return key in module._forward_pre_hooks_with_kwargs
    if hooks is module._forward_hooks:
        return key in module._forward_hooks_with_kwargs
    return hooks is torch_module._global_forward_hooks and key in getattr(
        torch_module, "_global_forward_hooks_with_kwargs", ()
    )


def is_always_called(module: torch.nn.Module, hooks: HookDict, key: int) -> bool:
    """Return whether a forward hook was registered with `always_call=True`."""
    if hooks is module._forward_hooks:
        return key in module._forward_hooks_always_called
    return (
        hooks is torch_module._global_forward_hooks
        and key in torch_module._global_forward_hooks_always_called
    )


def is_compiled(module: torch.nn.Module) -> bool:
    """Return whether a call of the module runs compiled code."""
    if module._compiled_call_impl is not None:
        return True
    # Only where `torch.compile` was used is its module loaded.
    dynamo = sys.modules.get(DYNAMO)
    return dynamo is not None and isinstance(module, dynamo.OptimizedModule)


DYNAMO = "torch._dynamo.eval_frame"
"""The part of PyTorch through whose functions compiled code is entered."""


def is_inside_compiled() -> bool:
    """Return whether this runs inside compiled code, or where the compiler follows each call."""
    # The compiler knows this answer without looking at the rest, of which it would warn.
    if torch.compiler.is_compiling():
        return True
    if DYNAMO not in sys.modules:
        return False
    callback = getattr(torch._C._dynamo.eval_frame, "get_eval_frame_callback", None)
    if callback is not None:
        return callback() is not None
    frame: FrameType | None = sys._getframe(1)  # before PyTorch 2.6
    is_generated = False
    while frame is not None and frame.f_globals.get("__name__") != DYNAMO:
        is_generated |= frame.f_code.co_filename.startswith("<eval_with_key>")
        frame = frame.f_back
    # The function that keeps the compiler out knows little: what it runs. That is a checkpoint,
    # say, or code that the compiler has made.
    is_kept_out = frame is not None and {"fn", "callback"}.issuperset(frame.f_code.co_freevars)
    return frame is not None and (is_generated or not is_kept_out)


_COPIES = (
    ("torch._dynamo.utils", "unpatched_nn_module_call"),
    ("torch.fx._symbolic_trace", "_orig_module_call"),
)
"""Where PyTorch keeps what `Module.__call__` was when it loaded one of its parts."""


def renew_copies(ours: Call, plain: Call) -> None:
    """Put the plain call where a part of PyTorch, loaded meanwhile, has taken ours for it."""
    for name, attribute in _COPIES:
        part = sys.modules.get(name)
        if part is not None and vars(part).get(attribute) is ours:
            setattr(part, attribute, plain)
