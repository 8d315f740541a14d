"""Watch nodes: what each one works with, what it sends, what a leaf takes in."""

from __future__ import annotations

from collections.abc import Callable

from hookviz.live.arrival_watcher import ArrivalWatcher
from hookviz.live.arrivals import Arrivals
from hookviz.live.event_log import EventLog, Gradient, Snapshot
from hookviz.live.graph import LiveGraph
from hookviz.live.guard import guarded
from hookviz.live.seen import Seen


class NodeWatcher:
    """Make the two callbacks that PyTorch runs before and after each node."""

    def __init__(self, live: LiveGraph, log: EventLog, arrivals_at: ArrivalWatcher) -> None:
        self._live = live
        self._log = log
        self._arrivals_at = arrivals_at
        self._edges = {edge.id: edge for edge in live.edges}

    def before(self, node_id: str) -> Callable[[tuple[Gradient, ...]], None]:
        """Return a pre-hook that notes what a node is about to work with."""

        @guarded
        def arrived(grad_outputs: tuple[Gradient, ...]) -> None:
            run = self._log.runs.enter_slot()
            self._log.hook_at_work = None
            snapshots = []
            for output_nr, gradient in enumerate(grad_outputs):
                slot = (node_id, output_nr)
                snapshots.append(self._arrivals_at.node(slot, gradient))
                run.arrivals.use(slot)
            run.incoming[node_id] = tuple(snapshots)
            run.node_at_work = node_id
            if node_id in self._live.leaves:
                owner = self._log.by_slot[node_id, 0][0]
                arrival = Seen(grad_outputs[0], snapshots[0])
                run.leaf_arrivals[node_id] = (arrival, self._log.grad_now(owner))

        return arrived

    def after(self, node_id: str) -> Callable[..., None]:
        """Return a hook that notes what left a node along each edge."""

        @guarded
        def left(grad_inputs: tuple[Gradient, ...], grad_outputs: tuple[Gradient, ...]) -> None:
            run = self._log.runs.leave_node(node_id)
            if node_id in self._live.leaves:
                self.accumulated(node_id)
            else:
                incoming = run.incoming.get(node_id, ())
                outgoing = self._send(node_id, grad_inputs, run.arrivals)
                self._log.add(kind="node", node=node_id, incoming=incoming, outgoing=outgoing)
            self._log.hook_at_work = run.node_at_work = None

        return left

    def _send(
        self, node_id: str, grad_inputs: tuple[Gradient, ...], arrivals: Arrivals
    ) -> tuple[Snapshot, ...]:
        outgoing: list[Snapshot] = []
        for edge_id, gradient in zip(self._live.out_edges(node_id), grad_inputs, strict=False):
            # One tensor often goes both ways, as behind `+`; it is read once.
            first = next((i for i, g in enumerate(grad_inputs) if g is gradient), 0)
            snapshot = outgoing[first] if first < len(outgoing) else self._log.take(gradient)
            outgoing.append(snapshot)
            if edge_id is not None:
                edge = self._edges[edge_id]
                arrivals.send((edge.target, edge.input_nr), gradient, snapshot, edge_id)
        return tuple(outgoing)

    def accumulated(self, node_id: str) -> None:
        """Note once per visit that a leaf's `.grad` was added to."""
        visit = self._log.runs.current.leaf_arrivals.pop(node_id, None)
        if visit is None:
            return
        arrived, before = visit
        owner = self._log.by_slot[node_id, 0][0]
        if arrived.is_still(owner.tensor.grad):
            # PyTorch took the gradient itself as the new `.grad`: it is the same memory.
            self._log.note_grad(owner, arrived)
        after = self._log.grad_now(owner)
        reached: tuple[str, ...] = ()
        if before is not None:
            # PyTorch adds in place, and the memory may be that of another gradient as well.
            reached = self._log.changed_grad(owner)
        self._log.add(
            kind="accumulate",
            tensor=owner.label,
            node=node_id,
            incoming=arrived.snapshot,
            before=before,
            after=after,
            reached=reached,
        )
