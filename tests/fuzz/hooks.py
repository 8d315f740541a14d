"""The hooks of random graphs. Each writes down what it is given and what it makes of it."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from tests.fuzz.values import bits, copy, strides

Body = Callable[[Any, "Notebook"], Any]

say = print
"""What a hook prints is compared, so it is how these speak."""


@dataclass(slots=True)
class Entry:
    """One run of one hook.

    Attributes:
        number: Which hook, in the order of registration.
        owner: The name of the tensor that it was registered on.
        came: A copy of the gradient that came; of a post-accumulate hook, the leaf's `.grad`.
        went: A copy of the gradient that went on.
        wrote: Whether the hook changed its argument in place.
        strides: How what came lay in memory.
        outcome: `"running"` until the hook returns, then the type of what it returned.
        leaf: A copy of the leaf before and after, of a post-accumulate hook.
    """

    number: int
    owner: str
    came: torch.Tensor | None
    went: torch.Tensor | None = None
    wrote: bool = False
    strides: Any = None
    outcome: str = "running"
    leaf: tuple[torch.Tensor, ...] = ()


def nobody(entry: Entry, argument: Any) -> None:
    """Listen to no entry."""


@dataclass(slots=True)
class Notebook:
    """What the hooks of one run share.

    Attributes:
        entries: What ran, in order.
        kept: Gradients that hooks keep.
        handles: What removes each hook, by its number.
        note: Is told of each entry when it begins, with the argument of the hook.
    """

    entries: list[Entry] = field(default_factory=list)
    kept: list[torch.Tensor] = field(default_factory=list)
    handles: dict[int, RemovableHandle] = field(default_factory=dict)
    note: Callable[[Entry, Any], None] = nobody


def _say(grad: Any, book: Notebook) -> None:
    say("my grad is", None if grad is None else tuple(grad.shape))


def _warn(grad: Any, book: Notebook) -> None:
    warnings.warn("a hook warns", stacklevel=1)


def _raise(grad: Any, book: Notebook) -> None:
    say("raising")
    raise LookupError("a hook\nfails")


def _in_place(grad: Any, book: Notebook) -> None:
    grad.mul_(2)


def _in_place_first(grad: Any, book: Notebook) -> None:
    grad[(..., *[slice(0, 1)] * min(grad.dim(), 1))] = 5


def _through_data(grad: Any, book: Notebook) -> None:
    grad.data.mul_(2)


def _change_kept(grad: Any, book: Notebook) -> None:
    """Change a gradient that another hook, or this one in an earlier pass, has kept."""
    if book.kept:
        book.kept[0].mul_(7)


def _remove(grad: Any, book: Notebook) -> Any:
    """Remove the hook that runs."""
    book.handles[book.entries[-1].number].remove()
    return grad * 2


def _other_dtype(grad: Any, book: Notebook) -> Any:
    return grad.float() if grad.dtype == torch.float64 else grad.double()


TENSOR_HOOKS: dict[str, Body] = {
    "none": lambda grad, book: None,
    "same": lambda grad, book: grad,
    "double": lambda grad, book: grad * 2,
    "add": lambda grad, book: grad + 100,
    "zero": lambda grad, book: grad * 0,
    "negate": lambda grad, book: -grad,
    "clamp": lambda grad, book: grad.clamp(-1, 1),
    "nan": lambda grad, book: grad * float("nan"),
    "clone": lambda grad, book: grad.clone(),
    "alias": lambda grad, book: grad.detach(),
    "expanded": lambda grad, book: grad.mean().expand(grad.shape),
    "strided": lambda grad, book: torch.stack([grad, grad * 3], -1)[..., 1],
    "print": _say,
    "warn": _warn,
    "keep": lambda grad, book: book.kept.append(grad),
    "keep_alias": lambda grad, book: book.kept.append(grad.detach()),
    "in_place": _in_place,
    "in_place_return": lambda grad, book: grad.add_(1),
    "in_place_first": _in_place_first,
}

ROUGH_HOOKS: dict[str, Body] = {
    "through_data": _through_data,
    "change_kept": _change_kept,
    "remove": _remove,
    "raise": _raise,
    "shape": lambda grad, book: grad.reshape(-1)[:1],
    "more_shape": lambda grad, book: grad.expand(2, *grad.shape),
    "dtype": _other_dtype,
    "tuple": lambda grad, book: (grad,),
    "number": lambda grad, book: 3.0,
}


def _add_to_grad(leaf: Any, book: Notebook) -> None:
    leaf.grad.add_(1)


def _replace_grad(leaf: Any, book: Notebook) -> None:
    leaf.grad = leaf.grad * 3


def _drop_grad(leaf: Any, book: Notebook) -> None:
    leaf.grad = None


def _descend(leaf: Any, book: Notebook) -> None:
    if leaf.grad is not None:
        leaf.data.sub_(leaf.grad)


def _descend_and_count(leaf: Any, book: Notebook) -> None:
    with torch.no_grad():
        leaf.sub_(1)


POST_HOOKS: dict[str, Body] = {
    "none": lambda leaf, book: None,
    "print": lambda leaf, book: say("added to", tuple(leaf.shape)),
    "add_to_grad": _add_to_grad,
    "replace_grad": _replace_grad,
    "drop_grad": _drop_grad,
    "descend": _descend,
    "descend_and_count": _descend_and_count,
    "raise": _raise,
    "return": lambda leaf, book: leaf.grad,
}


def tensor_hook(
    form: str, number: int, owner: str, book: Notebook, style: int, _: torch.Tensor
) -> Callable[..., Any]:
    """Make a tensor hook.

    Args:
        form: A key of `TENSOR_HOOKS` or `ROUGH_HOOKS`.
        number: Its number, which its name tells.
        owner: The name of its tensor.
        book: Where it writes.
        style: A function, a partial, a method or an object.
    """
    body = {**TENSOR_HOOKS, **ROUGH_HOOKS}[form]

    def hook(grad: Any) -> Any:
        entry = Entry(number, owner, copy(grad))
        entry.strides = strides(grad)
        book.entries.append(entry)
        book.note(entry, grad)
        result = None if grad is None and form not in ("tuple", "number") else body(grad, book)
        entry.wrote = bits(grad) != bits(entry.came)
        went = grad if result is None else result
        entry.went = copy(went) if isinstance(went, torch.Tensor) else None
        entry.outcome = type(result).__name__
        return result

    return _styled(hook, number, style)


def post_hook(
    form: str, number: int, owner: str, book: Notebook, style: int, tensor: torch.Tensor
) -> Callable[..., Any]:
    """Make a post-accumulate hook of a leaf; the other arguments are those of `tensor_hook`."""
    # After a hook that returned something, which is wrong, the next one is given that.
    leaf_of = weakref.ref(tensor)

    def hook(argument: Any) -> Any:
        leaf = leaf_of()
        entry = Entry(number, owner, copy(leaf.grad), leaf=(leaf.detach().clone(),))
        entry.strides = (argument is leaf, strides(leaf.grad))
        book.entries.append(entry)
        book.note(entry, leaf)
        gone = leaf.grad is None and form in ("add_to_grad", "replace_grad")
        result = None if gone else POST_HOOKS[form](leaf, book)
        entry.went = copy(leaf.grad)
        entry.leaf = (*entry.leaf, leaf.detach().clone())
        entry.outcome = type(result).__name__
        return result

    return _styled(hook, number, style)


def _styled(hook: Any, number: int, style: int) -> Callable[..., Any]:
    hook.__name__ = f"hook_{number}"
    if style % 4 == 0:
        return hook
    if style % 4 == 1:
        return functools.partial(hook)
    kind = type(f"hook_{number}", (), {"__call__": lambda self, grad: hook(grad)})
    if style % 4 == 2:
        return kind()
    kind.method = lambda self, grad: hook(grad)
    kind.method.__name__ = f"hook_{number}"
    return kind().method
