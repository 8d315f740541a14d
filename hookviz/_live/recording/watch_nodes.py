"""Watch nodes: the gradients that arrive at each one, that it sends, and that a leaf takes in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch.utils.hooks import RemovableHandle

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.guard import warn_of
from hookviz._live.recording.in_flight import Arrivals, Gradient, Held
from hookviz._live.recording.log import EventLog
from hookviz._live.recording.watch_arrivals import ArrivalWatcher
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.memory import has_same_elements
from hookviz._live.values.moments import Moments
from hookviz._live.values.reading import MaybeReading, pending
from hookviz._records import AccumulateEvent, EdgeRecord, NodeEvent


class NodeWatcher:
    """Make the two callbacks that PyTorch runs before and after each node."""

    def __init__(self, live: LiveGraph, log: EventLog, arrivals_at: ArrivalWatcher) -> None:
        self._live = live
        self._log = log
        self._arrivals_at = arrivals_at

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Have every node call back within the block, and no longer."""
        handles: list[RemovableHandle] = []
        try:
            for node_id, node in self._live.nodes.items():
                # One at a time onto the list: an interrupt between two leaves no handle behind.
                handles.append(node.register_prehook(self._before(node_id)))
                handles.append(node.register_hook(self._after(node_id)))
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _before(self, node_id: str) -> Callable[[tuple[Gradient, ...]], None]:
        """Return a pre-hook that notes what a node is about to work with."""
        log, arrives, is_leaf = self._log, self._arrivals_at.node, node_id in self._live.leaves

        def arrived(grad_outputs: tuple[Gradient, ...]) -> None:
            try:
                run = log.runs.enter_slot()
                log.blame.nothing_runs()
                readings: list[MaybeReading] = []
                for output_nr, gradient in enumerate(grad_outputs):
                    slot = (node_id, output_nr)
                    reading = arrives(slot, gradient)
                    readings.append(reading)
                    held = run.arrivals.use(slot)
                    if not is_leaf and (reading is None or reading.found is None):
                        continue
                    # Marks without the tensor: PyTorch looks at how many hold a gradient.
                    if gradient is not None and isinstance(held, Held) and held.reading is reading:
                        seen = held.copied(gradient)
                    else:
                        seen = Seen(gradient, reading)
                    if is_leaf:
                        run.leaf_arrivals[node_id] = (seen, log.grads.now(log.by_slot[slot][0]))
                    else:
                        run.large_arrivals.setdefault(node_id, []).append((output_nr, seen))
                run.incoming[node_id] = tuple(readings)
                run.node_at_work = node_id
            except Exception as error:  # noqa: BLE001 - whatever it is, it is ours
                warn_of(error)

        return arrived

    def _after(self, node_id: str) -> Callable[..., None]:
        """Return a hook that notes what left a node along each edge."""
        log, is_leaf, row = self._log, node_id in self._live.leaves, self._live.out_edges[node_id]

        def left(grad_inputs: tuple[Gradient, ...], grad_outputs: tuple[Gradient, ...]) -> None:
            try:
                run = log.runs.leave_node(node_id)
                if is_leaf:
                    self.accumulated(node_id)
                else:
                    incoming = run.incoming.get(node_id, ())
                    large = [
                        (grad_outputs[output_nr], seen)
                        for output_nr, seen in run.large_arrivals.pop(node_id, ())
                    ]
                    outgoing = self._send(row, grad_inputs, large, run.arrivals)
                    log.add(
                        NodeEvent(
                            **log.at(),
                            node=node_id,
                            incoming=pending(incoming),
                            outgoing=pending(outgoing),
                        )
                    )
                log.blame.nothing_runs()
                run.node_at_work = None
            except Exception as error:  # noqa: BLE001 - whatever it is, it is ours
                warn_of(error)

        return left

    def _send(
        self,
        row: tuple[EdgeRecord | None, ...],
        grad_inputs: tuple[Gradient, ...],
        large: list[tuple[Gradient, Seen]],
        to: Arrivals,
    ) -> tuple[MaybeReading, ...]:
        outgoing: list[MaybeReading] = []
        for edge, gradient in zip(row, grad_inputs, strict=False):
            reading = None
            if gradient is not None:
                # One tensor often goes both ways, as behind `+`; it is read once.
                for before, sent in zip(grad_inputs, outgoing, strict=False):
                    if before is gradient:
                        reading = sent
                        break
                else:
                    found = _found_before(gradient, large) if large else None
                    reading = self._log.read(gradient, found=found)
            outgoing.append(reading)
            if edge is not None:
                to.send((edge.target, edge.input_nr), gradient, reading, edge.id)
        return tuple(outgoing)

    def accumulated(self, node_id: str) -> None:
        """Note once per visit that a leaf's `.grad` was added to."""
        visit = self._log.runs.current.leaf_arrivals.pop(node_id, None)
        if visit is None:
            return
        arrived, before = visit
        owner = self._log.by_slot[node_id, 0][0]
        grad = owner.tensor.grad
        if arrived.is_still(grad):
            # PyTorch took the gradient itself as the new `.grad`: it is the same memory.
            self._log.grads.note(owner, grad, arrived)
            after = arrived.reading
        else:
            after = self._log.grads.now(owner)
        reached: tuple[str, ...] = ()
        if before is not None:
            # PyTorch adds in place, and the memory may be that of another gradient as well.
            reached = self._log.changed_grad(owner)
        self._log.add(
            AccumulateEvent(
                **self._log.at(),
                tensor=owner.label,
                node=node_id,
                incoming=pending(arrived.reading),
                grad_before=pending(before),
                grad_after=pending(after),
                reached=reached,
            )
        )


def _found_before(gradient: torch.Tensor, large: list[tuple[Gradient, Seen]]) -> Moments | None:
    """Return the sums over an arriving gradient, if the node sends the same elements again.

    `view`, `transpose`, `expand` and their like do, and long graphs are full of them.
    """
    for arrived, seen in large:
        if arrived is not None and has_same_elements(arrived, gradient) and seen.is_still(arrived):
            return None if seen.reading is None else seen.reading.found
    return None
