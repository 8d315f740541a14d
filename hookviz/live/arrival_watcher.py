"""Note what arrives at a slot: kept gradients, and rewrites that no listed hook explains."""

from __future__ import annotations

from hookviz.live.event_log import EventLog, Gradient, Snapshot
from hookviz.live.grads import read_grad
from hookviz.live.graph import LiveTensor, Slot
from hookviz.records import TensorSnapshot, Value


class ArrivalWatcher:
    """Look at a gradient where it arrives, before a hook of its tensor and before its node."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def tensor(self, slot: Slot, gradient: Gradient) -> Snapshot:
        """Return the snapshot of what arrives, after noting a rewrite that no hook explains."""
        arrivals = self._log.runs.current.arrivals
        snapshot = arrivals.snapshot_of(slot, gradient)
        hidden, sent = arrivals.unexplained(slot, gradient, snapshot)
        if hidden:
            self._hidden_rewrite(slot, gradient, sent, snapshot)
        return snapshot

    def node(self, slot: Slot, gradient: Gradient) -> Snapshot:
        """The same at a node, after what retained tensors of the slot have kept."""
        arrivals = self._log.runs.current.arrivals
        snapshot = arrivals.snapshot_of(slot, gradient)
        hidden, sent = arrivals.unexplained(slot, gradient, snapshot)
        keeping = [
            owner
            for owner in self._log.by_slot.get(slot, ())
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
        after = self._log.take(read_grad(owner.tensor))
        before = self._log.last_grad(owner)
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
        owners = self._log.by_slot.get(slot)
        self._log.add(
            kind="hidden_rewrite",
            tensor=owners[0].label if owners else None,
            node=slot[0],
            slot=slot[1],
            incoming=sent,
            outgoing=arrived,
            rewritten=True,
        )
        self._log.runs.current.arrivals.replace(slot, gradient, arrived, slot[0])

    def _keep_grads(self, owners: list[LiveTensor], kept: Value) -> None:
        for owner in owners:
            before = self._log.last_grad(owner)
            after = self._log.grad_now(owner)
            if kept is None and after == before:
                continue
            self._log.add(
                kind="retain_grad",
                tensor=owner.label,
                node=owner.slot[0],
                slot=owner.slot[1],
                incoming=kept,
                before=before,
                after=after,
            )
