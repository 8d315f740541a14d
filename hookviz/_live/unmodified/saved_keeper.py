"""Take what nodes have saved for backward out of their hands; private names are in `internals`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Protocol

import torch
from torch.autograd.graph import Node

from hookviz._live.internals import asks_keeper, can_see_saved, names_of_saved, read_saved


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
    for name in names_of_saved(node):
        raw = getattr(node, f"_raw{name}")
        for part in raw if isinstance(raw, tuple | list) else (raw,):
            if can_see_saved() and part.unpack_hook is not None:
                is_all = is_all and part.unpack_hook is asks_keeper
                continue
            refusal = _refusal(node, name)
            try:
                part.register_hooks(functools.partial(_pack, pack, refusal), asks_keeper)
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
        read_saved(node, name)
    except RuntimeError as error:
        return str(error)
    return ""
