"""Tell the runs of the engine apart when hooks and nodes start further ones."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct

from hookviz._live.recording.in_flight import Arrivals
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.reading import Reading


class EngineRun(Struct):
    """One run of the engine through the graph: the gradients under way, and the node at work."""

    arrivals: Arrivals
    incoming: dict[str, tuple[Reading | None, ...]] = msgspec.field(default_factory=dict)
    large_arrivals: dict[str, list[tuple[int, Seen]]] = msgspec.field(default_factory=dict)
    """By node that is at work: which of its incoming gradients are large, and their marks."""
    leaf_arrivals: dict[str, tuple[Seen, Reading | None]] = msgspec.field(default_factory=dict)
    """By `AccumulateGrad` node that is at work: what arrived, and the leaf's `.grad` of before."""
    node_at_work: str | None = None
    arrived: set[str] = msgspec.field(default_factory=set)
    """Nodes at which it was noted already what arrives, before a pre-hook of theirs."""


class EngineRuns:
    """The runs that are open, the innermost last.

    A hook may call `backward()` itself, and a node may (a reentrant checkpoint does). Such a run
    passes through the same nodes and hooks, and must not be mistaken for the run around it.
    """

    def __init__(self, new_arrivals: Callable[[], Arrivals]) -> None:
        self._new_arrivals = new_arrivals
        self._open = [EngineRun(new_arrivals())]

    @property
    def current(self) -> EngineRun:
        """The run that the present callback belongs to."""
        return self._open[-1]

    @property
    def depth(self) -> int:
        """0 in the run that is recorded, 1 in a run that one of its hooks or nodes started."""
        return len(self._open) - 1

    @property
    def arrivals(self) -> Arrivals:
        """The gradients of that run that were sent and not used yet."""
        return self.current.arrivals

    def enter_hook(self) -> int:
        """Take every callback from now on for one of a run that a hook has started.

        Returns:
            A number for `leave_hook`.
        """
        depth = len(self._open)
        self._open.append(EngineRun(self._new_arrivals()))
        return depth

    def leave_hook(self, depth: int) -> None:
        """End the runs that a hook has started."""
        del self._open[depth:]

    def enter_slot(self) -> EngineRun:
        """Return the run in which a gradient arrives now.

        Nodes of one run work one after the other, so something that arrives while a node is at
        work belongs to a run that this node started.
        """
        last = self._open[-1]
        if last.node_at_work is not None:
            last = EngineRun(self._new_arrivals())
            self._open.append(last)
        return last

    def leave_node(self, node_id: str) -> EngineRun:
        """Return the run of a node that has finished; the runs that it started are over."""
        last = self._open[-1]
        if last.node_at_work == node_id:
            return last
        places = [i for i, run in enumerate(self._open) if run.node_at_work == node_id]
        if places:
            del self._open[places[-1] + 1 :]
        return self.current
