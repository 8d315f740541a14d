"""Write down what the autograd engine does, event by event, without taking part in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from hookviz.live.arrivals import Arrivals
from hookviz.live.chain import Hook, LiveHook
from hookviz.live.explain import explanation, user_traceback
from hookviz.live.grads import read_grad
from hookviz.live.graph import LiveGraph, LiveTensor, Slot
from hookviz.live.memory import equal_bits
from hookviz.live.printed import Printed
from hookviz.live.seen import Seen
from hookviz.live.take import Keep, take
from hookviz.records import ErrorRecord, Event, GraphRecord, TensorSnapshot

Gradient = torch.Tensor | None
Snapshot = TensorSnapshot | None
_Result = TypeVar("_Result")


class Recorded:
    """Stand in for a hook: runs through the recorder, and is named as the hook is.

    PyTorch's error messages read a hook's `__name__`, and say `<unknown>` where it has none.
    """

    __slots__ = ("_hook", "_run")

    def __init__(self, hook: Hook, run: Hook) -> None:
        self._hook = hook
        self._run = run

    def __call__(self, argument: Any) -> Any:
        """Run the hook and note what it did."""
        return self._run(argument)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hook, name)


class Recorder:
    """Build the events of one pass from callbacks that PyTorch makes.

    Every callback returns `None` and keeps no tensor longer than the engine itself needs it.
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
        self._arrivals = Arrivals(live.edges, keep=keep)
        self._by_slot: dict[Slot, list[LiveTensor]] = {}
        for owner in live.tensors:
            self._by_slot.setdefault(owner.slot, []).append(owner)
        self._edges = {edge.id: edge for edge in live.edges}
        self._incoming: dict[str, tuple[Snapshot, ...]] = {}
        self._grads: dict[str, Seen] = {
            tensor.id: Seen(read_grad(owner.tensor), tensor.grad)
            for tensor, owner in zip(graph.tensors, live.tensors, strict=True)
        }
        self._unfinished_leaf: dict[str, Seen] = {}
        self._hook_at_work: LiveHook | None = None
        self._hook_returned = False
        self._node_at_work: str | None = None

    # -- what happens ---------------------------------------------------------------------------

    def start(self, gradient: torch.Tensor) -> None:
        """Note the gradient that is handed to the root."""
        root = self._live.tensors[0]
        snapshot = self._take(gradient)
        self._arrivals.send(root.slot, gradient, snapshot, root.label)
        self._add(kind="start", tensor=root.label, outgoing=snapshot)

    def wrap(self, hook: LiveHook, place: int) -> Hook:
        """Return a function that runs a hook and notes what it was given and what it did."""
        run = self._run_tensor_hook if hook.kind == "tensor_hook" else self._run_post_accumulate

        return Recorded(hook.function, functools.partial(run, hook, place))

    def node_prehook(self, node_id: str) -> Callable[[tuple[Gradient, ...]], None]:
        """Return a pre-hook that notes what a node is about to work with."""

        def arrived(grad_outputs: tuple[Gradient, ...]) -> None:
            self._hook_at_work, self._node_at_work = None, node_id
            snapshots = []
            for output_nr, gradient in enumerate(grad_outputs):
                slot = (node_id, output_nr)
                snapshots.append(self._arrived(slot, gradient))
                self._arrivals.use(slot)
                for owner in self._by_slot.get(slot, ()):
                    self._kept(owner, snapshots[-1])
            self._incoming[node_id] = tuple(snapshots)
            if node_id in self._live.leaves:
                self._unfinished_leaf[node_id] = Seen(grad_outputs[0], snapshots[0])

        return arrived

    def node_hook(self, node_id: str) -> Callable[..., None]:
        """Return a hook that notes what left a node along each edge."""

        def left(grad_inputs: tuple[Gradient, ...], grad_outputs: tuple[Gradient, ...]) -> None:
            if node_id in self._live.leaves:
                self._accumulated(node_id)
                self._hook_at_work = self._node_at_work = None
                return
            incoming = self._incoming.get(node_id, ())
            outgoing: list[Snapshot] = []
            for edge_id, gradient in zip(self._live.out_edges(node_id), grad_inputs, strict=False):
                # One tensor often goes both ways, as behind `+`; it is read once.
                first = next((i for i, g in enumerate(grad_inputs) if g is gradient), 0)
                is_repeated = first < len(outgoing)
                snapshot = outgoing[first] if is_repeated else self._take(gradient)
                outgoing.append(snapshot)
                if edge_id is not None:
                    edge = self._edges[edge_id]
                    self._arrivals.send((edge.target, edge.input_nr), gradient, snapshot, edge_id)
            self._add(kind="node", node=node_id, incoming=incoming, outgoing=tuple(outgoing))
            self._hook_at_work = self._node_at_work = None

        return left

    def failed(self, error: Exception) -> ErrorRecord:
        """Note the exception that ended the pass, and which hook or node it came from."""
        hook, node = self._hook_at_work, self._node_at_work
        incoming = outgoing = None
        if hook is not None and self._hook_returned:
            # The hook itself came through; PyTorch refused what it returned.
            last = self.events.pop()
            incoming, outgoing = last.incoming, last.outgoing
        lines = user_traceback(error)
        # Between two nodes only hooks run; one that is not on the list cannot be named.
        is_hidden = hook is None and node is None and lines != ""
        record = ErrorRecord(
            type=type(error).__name__,
            message=str(error),
            explanation=(
                "error.hidden_hook_raised"
                if is_hidden
                else explanation(error, in_hook=hook is not None)
            ),
            hook=hook.record if hook else None,
            node=node if hook is None else None,
            tensor=hook.owner.label if hook else None,
            traceback=lines,
        )
        self._add(
            kind="error",
            tensor=record.tensor,
            node=record.node,
            hook=record.hook,
            incoming=incoming,
            outgoing=outgoing,
            error=record,
        )
        return record

    # -- tensors --------------------------------------------------------------------------------

    def _run_tensor_hook(self, hook: LiveHook, place: int, gradient: Gradient) -> Any:
        owner = hook.owner
        self._hook_at_work, self._node_at_work = None, None
        before = self._arrived(owner.slot, gradient)
        seen = Seen(gradient, before)
        self._hook_at_work, self._hook_returned = hook, False
        result = hook.function(gradient)
        now = before if seen.is_still(gradient) else self._take(gradient)
        mutated = now != before
        reached: tuple[str, ...] = ()
        if mutated and gradient is not None:
            reached = self._arrivals.changed_in_place(gradient, but=owner.slot)
        after, passed_on = now, gradient
        if isinstance(result, torch.Tensor) and result is not gradient:
            after, passed_on = self._take(result), result
        self._arrivals.replace(owner.slot, passed_on, after, owner.label)
        self._add(
            kind="tensor_hook",
            tensor=owner.label,
            node=owner.slot[0],
            slot=owner.slot[1],
            hook=hook.record,
            hook_index=place,
            incoming=before,
            outgoing=after,
            rewritten=mutated or self._differs(gradient, before, passed_on, after),
            returned_none=result is None,
            mutated=mutated,
            reached=reached,
        )
        self._hook_returned = True
        return result

    def _arrived(self, slot: Slot, gradient: Gradient) -> Snapshot:
        """Return the snapshot of what arrives, after noting a rewrite that no hook explains."""
        snapshot = self._arrivals.snapshot_of(slot, gradient)
        hidden, sent = self._arrivals.unexplained(slot, gradient, snapshot)
        if hidden:
            owners = self._by_slot.get(slot)
            self._add(
                kind="hidden_rewrite",
                tensor=owners[0].label if owners else None,
                node=slot[0],
                slot=slot[1],
                incoming=sent,
                outgoing=snapshot,
                rewritten=True,
            )
            self._arrivals.replace(slot, gradient, snapshot, slot[0])
        return snapshot

    def _kept(self, owner: LiveTensor, arrived: Snapshot) -> None:
        if owner.tensor.is_leaf or not owner.tensor.retains_grad:
            return
        before = self._grads[owner.id].snapshot
        after = self.final_grad(owner)
        if arrived is None and after == before:
            return
        self._add(
            kind="retain_grad",
            tensor=owner.label,
            node=owner.slot[0],
            slot=owner.slot[1],
            incoming=arrived,
            before=before,
            after=after,
        )

    # -- leaves ---------------------------------------------------------------------------------

    def _accumulated(self, node_id: str) -> None:
        """Note once per visit that a leaf's `.grad` was added to."""
        if node_id not in self._unfinished_leaf:
            return
        arrived = self._unfinished_leaf.pop(node_id)
        owner = self._by_slot[node_id, 0][0]
        before = self._grads[owner.id].snapshot
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
        # These run inside the node, so before its own hook could tell that `.grad` was added to.
        self._accumulated(hook.owner.slot[0])
        grad_before, value_before = self.final_grad(hook.owner), self._take(leaf)
        self._hook_at_work, self._hook_returned = hook, False
        result = hook.function(leaf)
        grad_after, value_after = self._take(leaf.grad), self._take(leaf)
        self._grads[hook.owner.id] = Seen(leaf.grad, grad_after)
        self._add(
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
        self._hook_returned = True
        return result

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

    def _add(self, **fields: Any) -> None:
        self.events.append(Event(index=len(self.events), printed=self._printed.take(), **fields))
