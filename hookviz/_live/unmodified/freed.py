"""Have a graph that was kept behave as the one that plain PyTorch would have freed."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from torch.autograd.graph import Node

from hookviz._live import internals
from hookviz._live.recording.explain import CHANGED
from hookviz._live.unmodified import saved_keeper


class FreedValues:
    """What nodes saved for backward and plain PyTorch would have freed after it.

    It is kept so that an explorer can run the pass again. To everybody else the nodes say what
    freed ones do: a second `backward()`, `torch.autograd.grad`, or a look at what they saved
    raises PyTorch's own error at the same place.
    """

    def __init__(self) -> None:
        self._freed_node = saved_keeper.freed_node()
        self._kept: list[weakref.ref[_Kept]] = []
        self._readers = 0
        self._holders = 0

    def free(self, nodes: Iterable[Node], *, changed: bool = False) -> None:
        """Free what these nodes saved, for everybody but explorers.

        Args:
            nodes: Those that a pass without `retain_graph=True` has run.
            changed: Whether a value may have been changed in place while the pass ran.
        """

        def pack(tensor: torch.Tensor, refusal: str) -> _Kept:
            # Where PyTorch tells it of each value, nothing has to be assumed.
            is_doubtful = changed and not internals.can_see_saved()
            kept = _Kept(tensor, refusal or (CHANGED if is_doubtful else ""), self._freed_node)
            self._kept.append(weakref.ref(kept))
            return kept

        for node in nodes:
            if not saved_keeper.entrust_saved(node, pack):
                node.register_prehook(self._guard)

    @contextmanager
    def readable(self) -> Iterator[None]:
        """Let the graph be used within the block although it counts as freed."""
        self._readers += 1
        for kept in self._alive():
            kept.now = kept.answer()
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

    def _alive(self) -> Iterator[_Kept]:
        for reference in self._kept:
            kept = reference()
            if kept is not None:
                yield kept

    def _guard(self, _: object) -> None:
        """Stand before a node whose saved values cannot be taken over."""
        __tracebackhide__ = True
        if not self._readers or not self._holders:
            raise RuntimeError(saved_keeper.freed_message(self._freed_node))


class _Kept:
    """A saved tensor, in the node's own place: it lives as long as the node."""

    __slots__ = ("__weakref__", "now", "refusal", "tensor", "version")

    def __init__(self, tensor: torch.Tensor, refusal: str, freed_node: Node) -> None:
        self.tensor: torch.Tensor | None = tensor
        self.version = internals.version(tensor)
        self.refusal = refusal
        self.now: saved_keeper.Answer = freed_node

    def answer(self) -> saved_keeper.Answer:
        """Return what an explorer's pass is told."""
        assert self.tensor is not None
        # PyTorch itself compares versions only of what it keeps itself.
        if internals.version(self.tensor) != self.version:
            dtype = str(self.tensor.dtype).removeprefix("torch.")
            self.refusal = f"{CHANGED} ({dtype} of shape {list(self.tensor.shape)})."
        return (
            saved_keeper.Refused(self.refusal) if self.refusal else saved_keeper.answer(self.tensor)
        )
