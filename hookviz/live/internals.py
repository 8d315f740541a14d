"""Touch the private names of PyTorch, one in one function.

Each function here has a test in `tests/live/test_internals.py` that says what broke when a PyTorch
release changes the name.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, Protocol

import torch
from torch.autograd.graph import Node

HookDict = dict[int, Callable[..., Any]]

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
    for name in _names_of_saved(node):
        try:
            if _has_unpack_hook(getattr(node, f"_raw{name}")):
                continue
            saved = getattr(node, _PUBLIC_SAVED.get(name, name))
        except RuntimeError as error:
            if "second time" in str(error) or "already been freed" in str(error):
                raise FreedError(str(error)) from error
            continue  # changed in place since it was saved: backward itself will say so
        for value in saved if isinstance(saved, tuple | list) else (saved,):
            if isinstance(value, torch.Tensor):
                yield value


def _names_of_saved(node: Node) -> tuple[str, ...]:
    kind = type(node)
    names = _saved_names.get(kind)
    if names is None:
        attributes = dir(node)
        names = tuple(name[len("_raw") :] for name in attributes if name.startswith("_raw_saved_"))
        _saved_names[kind] = names
    return names


# A custom `autograd.Function` publishes what it saved under another name than built-in nodes do.
_PUBLIC_SAVED = {"_saved_tensors": "saved_tensors"}


def _has_unpack_hook(raw: Any) -> bool:
    # Reading what was entrusted runs no code of the user's: it says what a freed node does.
    if isinstance(raw, tuple | list):
        return any(part.unpack_hook not in (None, _asked) for part in raw)
    return raw.unpack_hook not in (None, _asked)


_asked = operator.attrgetter("now._saved_self")
"""The unpack hook of all that was entrusted. It is no function of Python, so what it raises comes
with no frame of hookviz, as PyTorch's own errors do."""


class Refused:
    """An answer that raises."""

    def __init__(self, why: str) -> None:
        self._why = why

    @property
    def _saved_self(self) -> torch.Tensor:
        raise RuntimeError(self._why)


Answer = Node | SimpleNamespace | Refused


class Entrusted(Protocol):
    """What stands in a node for a tensor that it has saved; `now` answers for it."""

    now: Answer


def answer(tensor: torch.Tensor) -> Answer:
    """Return an answer that gives a tensor."""
    return SimpleNamespace(_saved_self=tensor)


def freed_node() -> Node:
    """Return a node that PyTorch has freed: as an answer it raises PyTorch's own error."""
    with torch.inference_mode(mode=False), torch.enable_grad():
        leaf = torch.ones((), requires_grad=True, device="cpu")
        root = leaf * leaf
        torch.autograd.grad(root, leaf)
    assert root.grad_fn is not None
    return root.grad_fn


def freed_message(node: Node) -> str:
    """Return what a node that was freed says; asked of PyTorch itself, whatever its words are."""
    try:
        return f"PyTorch gave {node._saved_self!r}"  # type: ignore[attr-defined]
    except RuntimeError as error:
        return str(error)


def entrust_saved(node: Node, pack: Callable[[torch.Tensor, str], Entrusted]) -> bool:
    """Give what a node has saved for backward out of its hands.

    Args:
        node: A node that has run.
        pack: Is given each saved tensor, and why PyTorch would refuse it (it was changed in place
            since; empty where it was not, or where this PyTorch does not tell).

    Returns:
        Whether that was all; false where a part has an unpack hook already, or cannot be seen.
    """
    is_all = not node.name().endswith("CopySlices")  # what that one saves is not published
    for name in _names_of_saved(node):
        raw = getattr(node, f"_raw{name}")
        for part in raw if isinstance(raw, tuple | list) else (raw,):
            if can_see_saved() and part.unpack_hook is not None:
                is_all = is_all and part.unpack_hook is _asked
                continue
            refusal = _refusal(node, name)
            try:
                part.register_hooks(functools.partial(_pack, pack, refusal), _asked)
            except RuntimeError as error:
                # Nothing was saved in this place, or it was freed already.
                is_all = is_all and "already been set" not in str(error)
    return is_all


def _pack(
    pack: Callable[[torch.Tensor, str], Entrusted], refusal: str, tensor: torch.Tensor
) -> Entrusted:
    return pack(tensor, refusal)


def _refusal(node: Node, name: str) -> str:
    if not can_see_saved():
        return ""
    try:
        getattr(node, _PUBLIC_SAVED.get(name, name))
    except RuntimeError as error:
        return str(error)
    return ""


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
