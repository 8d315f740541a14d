"""Write down what the autograd engine does, event by event, without taking part in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from hookviz.live.arrivals import Arrivals, count_senders
from hookviz.live.chain import Hook, LiveHook
from hookviz.live.engine_run import EngineRuns
from hookviz.live.explain import explain
from hookviz.live.grads import read_grad
from hookviz.live.graph import LiveGraph, LiveTensor, Slot
from hookviz.live.guard import guarded
from hookviz.live.memory import equal_bits
from hookviz.live.printed import Printed
from hookviz.live.recorded import Recorded
from hookviz.live.seen import Seen
from hookviz.live.take import Keep, take
from hookviz.records import ErrorRecord, Event, GraphRecord, TensorSnapshot, Value

Gradient = torch.Tensor | None
Snapshot = TensorSnapshot | None


class Recorder:
    """Build the events of one pass from callbacks that PyTorch makes.

    Every callback returns `None` (a hook's returns what the hook did) and keeps no tensor longer
    than the engine itself needs it.
    """

    def __init__(
        self, live: LiveGraph, graph: GraphRecord, *, printed: Printed, keep: Keep
    ) -> None:
        """Prepare to record one pass.

        Args:
            live: The captured graph.
            graph: The plain record of it, made just now: what each `.grad` was before.
            printed: Catches what user code prints.
            keep: See `take`.
        """
        self.events: list[Event] = []
        self._live = live
        self._printed = printed
        self._keep = keep
        self._by_slot: dict[Slot, list[LiveTensor]] = {}
        for owner in live.tensors:
            self._by_slot.setdefault(owner.slot, []).append(owner)
        self._edges = {edge.id: edge for edge in live.edges}
        senders = count_senders(live.edges)
        self._runs = EngineRuns(lambda: Arrivals(senders, keep=keep))
        self._grads: dict[str, Seen] = {
            tensor.id: Seen(read_grad(owner.tensor), tensor.grad)
            for tensor, owner in zip(graph.tensors, live.tensors, strict=True)
        }
        self._hook_at_work: LiveHook | None = None
        self._returned: Event | None = None
        """The event of the hook at work, once the hook itself has come through."""

    # -- what happens ---------------------------------------------------------------------------

    def start(self, gradient: torch.Tensor) -> None:
        """Note the gradient that is handed to the root."""
        root = self._live.tensors[0]
        snapshot = self._take(gradient)
        self._runs.current.arrivals.send(root.slot, gradient, snapshot, root.label)
        self._add(kind="start", tensor=root.label, outgoing=snapshot)

    def wrap(self, hook: LiveHook, place: int) -> Hook:
        """Return a function that runs a hook and notes what it was given and what it did."""
        run = self._run_tensor_hook if hook.kind == "tensor_hook" else self._run_post_accumulate
        return Recorded(hook.function, functools.partial(run, hook, place))

    def node_prehook(self, node_id: str) -> Callable[[tuple[Gradient, ...]], None]:
        """Return a pre-hook that notes what a node is about to work with."""

        @guarded
        def arrived(grad_outputs: tuple[Gradient, ...]) -> None:
            run = self._runs.enter_slot()
            self._hook_at_work = None
            snapshots = []
            for output_nr, gradient in enumerate(grad_outputs):
                slot = (node_id, output_nr)
                snapshots.append(self._arrived_at_node(slot, gradient))
                run.arrivals.use(slot)
            run.incoming[node_id] = tuple(snapshots)
            run.node_at_work = node_id
            if node_id in self._live.leaves:
                owner = self._by_slot[node_id, 0][0]
                arrival = Seen(grad_outputs[0], snapshots[0])
                run.leaf_arrivals[node_id] = (arrival, self.final_grad(owner))

        return arrived

    def node_hook(self, node_id: str) -> Callable[..., None]:
        """Return a hook that notes what left a node along each edge."""

        @guarded
        def left(grad_inputs: tuple[Gradient, ...], grad_outputs: tuple[Gradient, ...]) -> None:
            run = self._runs.leave_node(node_id)
            if node_id in self._live.leaves:
                self._accumulated(node_id)
            else:
                incoming = run.incoming.get(node_id, ())
                outgoing = self._send(node_id, grad_inputs, run.arrivals)
                self._add(kind="node", node=node_id, incoming=incoming, outgoing=outgoing)
            self._hook_at_work = run.node_at_work = None

        return left

    def failed(self, error: Exception) -> ErrorRecord:
        """Note the exception that ended the pass, and which hook or node it came from."""
        hook, last = self._hook_at_work, self._returned
        is_refused = hook is not None and last is not None and self.events[-1] is last
        if is_refused:
            # The hook itself came through; PyTorch refused what it returned.
            self.events.pop()
        record = explain(
            error,
            hook=hook,
            node=self._runs.current.node_at_work,
            is_refused=is_refused,
        )
        self._add(
            kind="error",
            tensor=record.tensor,
            node=record.node,
            hook=record.hook,
            incoming=last.incoming if is_refused and last is not None else None,
            outgoing=last.outgoing if is_refused and last is not None else None,
            error=record,
        )
        return record

    # -- tensors --------------------------------------------------------------------------------

    def _run_tensor_hook(self, hook: LiveHook, place: int, gradient: Gradient) -> Any:
        seen = self._before_tensor_hook(hook, gradient)
        with self._runs.inside_a_hook():
            result = hook.function(gradient)
        self._hook_at_work = hook
        if seen is not None:
            self._after_tensor_hook(hook, place, gradient, seen, result)
        return result

    @guarded
    def _before_tensor_hook(self, hook: LiveHook, gradient: Gradient) -> Seen:
        self._runs.enter_slot()
        self._hook_at_work = None
        seen = Seen(gradient, self._arrived(hook.owner.slot, gradient))
        self._hook_at_work, self._returned = hook, None
        return seen

    @guarded
    def _after_tensor_hook(
        self, hook: LiveHook, place: int, gradient: Gradient, seen: Seen, result: Any
    ) -> None:
        owner, arrivals = hook.owner, self._runs.current.arrivals
        now = seen.snapshot if seen.is_still(gradient) else self._take(gradient)
        mutated = now != seen.snapshot
        reached: tuple[str, ...] = ()
        if mutated and gradient is not None:
            reached = arrivals.changed_in_place(gradient, but=owner.slot)
        after, passed_on = now, gradient
        if isinstance(result, torch.Tensor) and result is not gradient:
            after, passed_on = self._take(result), result
        arrivals.replace(owner.slot, passed_on, after, owner.label)
        self._returned = self._add(
            kind="tensor_hook",
            tensor=owner.label,
            node=owner.slot[0],
            slot=owner.slot[1],
            hook=hook.record,
            hook_index=place,
            incoming=seen.snapshot,
            outgoing=after,
            rewritten=mutated or self._differs(gradient, seen.snapshot, passed_on, after),
            returned_none=result is None,
            mutated=mutated,
            reached=reached,
        )

    def _arrived(self, slot: Slot, gradient: Gradient) -> Snapshot:
        """Return the snapshot of what arrives, after noting a rewrite that no hook explains."""
        arrivals = self._runs.current.arrivals
        snapshot = arrivals.snapshot_of(slot, gradient)
        hidden, sent = arrivals.unexplained(slot, gradient, snapshot)
        if hidden:
            self._hidden_rewrite(slot, gradient, sent, snapshot)
        return snapshot

    def _arrived_at_node(self, slot: Slot, gradient: Gradient) -> Snapshot:
        """The same at a node, after what retained tensors of the slot have kept."""
        arrivals = self._runs.current.arrivals
        snapshot = arrivals.snapshot_of(slot, gradient)
        hidden, sent = arrivals.unexplained(slot, gradient, snapshot)
        keeping = [
            owner
            for owner in self._by_slot.get(slot, ())
            if owner.tensor.retains_grad and not owner.tensor.is_leaf
        ]
        if hidden and keeping and self._was_kept(keeping[0], sent, snapshot):
            # A hook of the user's on the node itself: it runs after `.grad` is kept.
            self._keep_grads(keeping, sent)
            keeping = []
        if hidden:
            self._hidden_rewrite(slot, gradient, sent, snapshot)
        self._keep_grads(keeping, snapshot)
        return snapshot

    def _was_kept(self, owner: LiveTensor, sent: Value, arrived: Snapshot) -> bool:
        """Return whether `.grad` took in what was sent and not what the node received."""
        after = self._take(read_grad(owner.tensor))
        before = self._grads[owner.id].snapshot
        if before is None or after is None:
            return after == sent != arrived
        if not isinstance(sent, TensorSnapshot) or arrived is None:
            return False
        if before.values is None or after.values is None or sent.values is None:
            return False

        def miss(added: TensorSnapshot) -> float:
            rows = zip(before.numbers(), added.numbers(), after.numbers(), strict=True)
            return sum(abs(old + new - total) for old, new, total in rows)

        return miss(sent) < miss(arrived)

    def _hidden_rewrite(
        self, slot: Slot, gradient: Gradient, sent: Value, arrived: Snapshot
    ) -> None:
        owners = self._by_slot.get(slot)
        self._add(
            kind="hidden_rewrite",
            tensor=owners[0].label if owners else None,
            node=slot[0],
            slot=slot[1],
            incoming=sent,
            outgoing=arrived,
            rewritten=True,
        )
        self._runs.current.arrivals.replace(slot, gradient, arrived, slot[0])

    def _keep_grads(self, owners: list[LiveTensor], kept: Value) -> None:
        for owner in owners:
            before = self._grads[owner.id].snapshot
            after = self.final_grad(owner)
            if kept is None and after == before:
                continue
            self._add(
                kind="retain_grad",
                tensor=owner.label,
                node=owner.slot[0],
                slot=owner.slot[1],
                incoming=kept,
                before=before,
                after=after,
            )

    # -- nodes and leaves -----------------------------------------------------------------------

    def _send(
        self, node_id: str, grad_inputs: tuple[Gradient, ...], arrivals: Arrivals
    ) -> tuple[Snapshot, ...]:
        outgoing: list[Snapshot] = []
        for edge_id, gradient in zip(self._live.out_edges(node_id), grad_inputs, strict=False):
            # One tensor often goes both ways, as behind `+`; it is read once.
            first = next((i for i, g in enumerate(grad_inputs) if g is gradient), 0)
            snapshot = outgoing[first] if first < len(outgoing) else self._take(gradient)
            outgoing.append(snapshot)
            if edge_id is not None:
                edge = self._edges[edge_id]
                arrivals.send((edge.target, edge.input_nr), gradient, snapshot, edge_id)
        return tuple(outgoing)

    def _accumulated(self, node_id: str) -> None:
        """Note once per visit that a leaf's `.grad` was added to."""
        visit = self._runs.current.leaf_arrivals.pop(node_id, None)
        if visit is None:
            return
        arrived, before = visit
        owner = self._by_slot[node_id, 0][0]
        if arrived.is_still(owner.tensor.grad):
            # PyTorch took the gradient itself as the new `.grad`: it is the same memory.
            self._grads[owner.id] = arrived
        self._add(
            kind="accumulate",
            tensor=owner.label,
            node=node_id,
            incoming=arrived.snapshot,
            before=before,
            after=self.final_grad(owner),
        )

    def _run_post_accumulate(self, hook: LiveHook, place: int, leaf: torch.Tensor) -> Any:
        before = self._before_post_accumulate(hook, leaf)
        with self._runs.inside_a_hook():
            result = hook.function(leaf)
        self._hook_at_work = hook
        if before is not None:
            self._after_post_accumulate(hook, place, leaf, before, result)
        return result

    @guarded
    def _before_post_accumulate(
        self, hook: LiveHook, leaf: torch.Tensor
    ) -> tuple[Snapshot, Snapshot]:
        # These run inside the node, so before its own hook could tell that `.grad` was added to.
        self._accumulated(hook.owner.slot[0])
        before = (self.final_grad(hook.owner), self._take(leaf))
        self._hook_at_work, self._returned = hook, None
        return before

    @guarded
    def _after_post_accumulate(
        self,
        hook: LiveHook,
        place: int,
        leaf: torch.Tensor,
        before: tuple[Snapshot, Snapshot],
        result: Any,
    ) -> None:
        grad_before, value_before = before
        grad_after, value_after = self._take(leaf.grad), self._take(leaf)
        self._grads[hook.owner.id] = Seen(leaf.grad, grad_after)
        self._returned = self._add(
            kind="post_accumulate_hook",
            tensor=hook.owner.label,
            node=hook.owner.slot[0],
            hook=hook.record,
            hook_index=place,
            incoming=grad_before,
            outgoing=grad_after,
            before=value_before,
            after=value_after,
            rewritten=grad_before != grad_after,
            returned_none=result is None,
            mutated=value_before != value_after,
        )

    def final_grad(self, owner: LiveTensor) -> Snapshot:
        """Return what a tensor's `.grad` is now, read again only if it may have changed."""
        grad = read_grad(owner.tensor)
        seen = self._grads[owner.id]
        if not seen.is_still(grad):
            seen = self._grads[owner.id] = Seen(grad, self._take(grad))
        return seen.snapshot

    # -- helpers --------------------------------------------------------------------------------

    def _take(self, tensor: Gradient) -> Snapshot:
        return None if tensor is None else take(tensor, keep=self._keep)

    def _differs(
        self, one: Gradient, one_snapshot: Snapshot, other: Gradient, other_snapshot: Snapshot
    ) -> bool:
        if one is other:
            return False
        if one is None or other is None or one_snapshot is None or other_snapshot is None:
            return one is not other
        if one_snapshot.values is not None or other_snapshot.values is not None:
            return one_snapshot != other_snapshot
        return not equal_bits(one, other)

    def _add(self, **fields: Any) -> Event:
        event = Event(
            index=len(self.events),
            printed=self._printed.take(),
            timeline=self._runs.depth,
            **fields,
        )
        self.events.append(event)
        return event
