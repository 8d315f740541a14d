"""Have a graph that was kept behave as the one that plain PyTorch would have freed."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import torch
from torch.autograd.graph import Node

from hookviz._live.internals import (
    asks_keeper,
    can_see_saved,
    names_of_saved,
    read_saved,
    version,
)
from hookviz._live.recording.explain import CHANGED


class FreedValues:
    """The values that nodes saved for backward and that plain PyTorch would have freed after it.

    They are kept so that an explorer can run the pass again. To everybody else the nodes are freed
    ones: a second `backward()`, `torch.autograd.grad`, or a look at the saved values raises
    PyTorch's own error at the same place.
    """

    def __init__(self) -> None:
        self._freed_node = freed_node()
        self._kept: list[weakref.ref[KeptValue]] = []
        self._readers = 0
        self._holders = 0

    def free(self, nodes: Iterable[Node], *, changed: bool = False) -> None:
        """Free the values that these nodes saved, for everybody but explorers.

        Args:
            nodes: The nodes that a pass without `retain_graph=True` has run.
            changed: Whether a value may have been changed in place while the pass ran.
        """
        # Where PyTorch tells it of each value, nothing has to be assumed.
        doubt = CHANGED if changed and not can_see_saved() else ""

        def keep(tensor: torch.Tensor, refusal: str) -> KeptValue:
            kept = KeptValue(tensor, refusal or doubt, now=self._freed_node)
            self._kept.append(weakref.ref(kept))
            return kept

        for node in nodes:
            if not take_saved(node, keep):
                node.register_prehook(self._guard)

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Let the graph be used within the block although it counts as freed."""
        self._readers += 1
        for kept in self._alive():
            kept.now = kept
        try:
            yield
        finally:
            self._readers -= 1
            if not self._readers:
                for kept in self._alive():
                    kept.now = self._freed_node

    def hold(self) -> None:
        """Count one more explorer that may run the pass again."""
        self._holders += 1

    def release(self) -> None:
        """Count one explorer less; without any the values go, as they do in plain PyTorch."""
        self._holders -= 1
        if not self._holders:
            for kept in self._alive():
                kept.tensor = None
            self._kept.clear()

    def _alive(self) -> Iterator[KeptValue]:
        return (kept for reference in self._kept if (kept := reference()) is not None)

    def _guard(self, _: object) -> None:
        """Stand before a node whose saved values cannot be taken."""
        __tracebackhide__ = True
        if not self._readers or not self._holders:
            raise RuntimeError(freed_message(self._freed_node))


class KeptValue:
    """The stand-in for a saved tensor in the node's own place: it lives as long as the node.

    The node asks `now._saved_self` for the tensor. `now` is a node that PyTorch has freed, which
    raises PyTorch's own error, or in a pass of an explorer this object itself.

    Attributes:
        tensor: The saved tensor.
        now: The object that answers.
    """

    __slots__ = ("__weakref__", "_refusal", "_version", "now", "tensor")

    def __init__(self, tensor: torch.Tensor, refusal: str = "", *, now: Node | None = None) -> None:
        """Keep a tensor.

        Args:
            tensor: The tensor.
            refusal: The error that PyTorch would raise for it; empty where there is none.
            now: The freed node; without one the tensor can be read.
        """
        self.tensor: torch.Tensor | None = tensor
        self.now: Node | KeptValue = self if now is None else now
        self._refusal = refusal
        self._version = version(tensor)

    @property
    def _saved_self(self) -> torch.Tensor:
        assert self.tensor is not None
        # PyTorch itself compares versions only of the tensors that it keeps itself.
        if version(self.tensor) != self._version:
            dtype = str(self.tensor.dtype).removeprefix("torch.")
            self._refusal = f"{CHANGED} ({dtype} of shape {list(self.tensor.shape)})."
        if self._refusal:
            raise RuntimeError(self._refusal)
        return self.tensor


def freed_node() -> Node:
    """Return a node that PyTorch has freed: reading its saved values raises PyTorch's own error."""
    with torch.inference_mode(mode=False), torch.enable_grad():
        leaf = torch.ones((), requires_grad=True, device="cpu")
        root = leaf * leaf
        torch.autograd.grad(root, leaf)
    assert root.grad_fn is not None
    return root.grad_fn


def freed_message(node: Node) -> str:
    """Return the error of a freed node, in the words of this PyTorch."""
    try:
        return f"PyTorch gave {node._saved_self!r}"  # type: ignore[attr-defined]
    except RuntimeError as error:
        return str(error)


def take_saved(node: Node, keep: Callable[[torch.Tensor, str], KeptValue]) -> bool:
    """Replace each tensor that a node has saved for backward.

    Args:
        node: A node that has run.
        keep: Returns the stand-in for a tensor. Its other argument is the error with which PyTorch
            would refuse the tensor because it was changed in place since; empty where it was not,
            or where this PyTorch does not tell.

    Returns:
        Whether every tensor was replaced; false where a part has an unpack hook already, or cannot
        be seen.
    """
    is_all = not node.name().endswith("CopySlices")  # the values that it saves are not published
    for name in names_of_saved(node):
        raw = getattr(node, f"_raw{name}")
        for part in raw if isinstance(raw, tuple | list) else (raw,):
            if can_see_saved() and part.unpack_hook is not None:
                is_all = is_all and part.unpack_hook is asks_keeper
                continue
            pack = functools.partial(_pack, keep, _refusal(node, name))
            try:
                part.register_hooks(pack, asks_keeper)
            except RuntimeError as error:
                # Nothing was saved in this place, or it was freed already.
                is_all = is_all and "already been set" not in str(error)
    return is_all


def _pack(
    keep: Callable[[torch.Tensor, str], KeptValue], refusal: str, tensor: torch.Tensor
) -> KeptValue:
    return keep(tensor, refusal)


def _refusal(node: Node, name: str) -> str:
    if not can_see_saved():
        return ""
    try:
        read_saved(node, name)
    except RuntimeError as error:
        return str(error)
    return ""
