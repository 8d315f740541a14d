"""Know with which arguments PyTorch calls each kind of hook."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from hookviz._records import HookKind

_ARGUMENTS: dict[HookKind, tuple[str, ...]] = {
    "tensor_hook": ("grad",),
    "post_accumulate_hook": ("param",),
    "node_prehook": ("grad_outputs",),
    "node_hook": ("grad_inputs", "grad_outputs"),
    "module_forward_pre_hook": ("module", "args"),
    "module_forward_hook": ("module", "args", "output"),
    "module_backward_pre_hook": ("module", "grad_output"),
    "module_backward_hook": ("module", "grad_input", "grad_output"),
}


def arguments_of(kind: HookKind, *, with_kwargs: bool = False) -> tuple[str, ...]:
    """Return the names of the arguments of a hook, as PyTorch's documentation has them.

    Example:
        >>> arguments_of("module_forward_hook", with_kwargs=True)
        ('module', 'args', 'kwargs', 'output')
    """
    names = _ARGUMENTS[kind]
    return (*names[:2], "kwargs", *names[2:]) if with_kwargs else names


def refusal_of(function: Callable[..., Any], arguments: tuple[str, ...]) -> TypeError | None:
    """Return why a function cannot be called with so many arguments; `None` if it can.

    Built-in callables do not all say what they take; those are given the benefit of the doubt.
    """
    try:
        signature = inspect.signature(function)
    except Exception:  # noqa: BLE001 - it asks an object of the user's for its attributes
        return None
    try:
        signature.bind(*[None] * len(arguments))
    except TypeError as error:
        return error
    return None


def sees_kwargs(function: Callable[..., Any], kind: HookKind) -> bool:
    """Return whether a forward hook is written for keyword arguments too, by what it takes."""
    if kind not in ("module_forward_pre_hook", "module_forward_hook"):
        return False
    is_plain = refusal_of(function, arguments_of(kind)) is None
    return not is_plain and refusal_of(function, arguments_of(kind, with_kwargs=True)) is None
