"""Watch the gradients that arrive at a slot: some are kept, some were rewritten unseen."""

from __future__ import annotations

from hookviz._live.graph.tensors import LiveTensor, Slot
from hookviz._live.recording.in_flight import Gradient
from hookviz._live.recording.log import EventLog
from hookviz._live.values.grads import read_grad
from hookviz._live.values.reading import MaybeReading, RawValue, Reading, pending
from hookviz._records import HiddenRewriteEvent, RetainGradEvent


class ArrivalWatcher:
    """Look at a gradient where it arrives, before a hook of its tensor and before its node."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def tensor(self, slot: Slot, gradient: Gradient) -> MaybeReading:
        """Read an arriving gradient, and note a rewrite that no hook explains."""
        reading, hidden, sent = self._log.runs.arrivals.arrived(slot, gradient)
        if hidden:
            self._hidden_rewrite(slot, gradient, sent, reading)
        return reading

    def node(self, slot: Slot, gradient: Gradient) -> MaybeReading:
        """Do so at a node, and note the tensors of the slot that keep the gradient as `.grad`."""
        run = self._log.runs.current
        reading, hidden, sent = run.arrivals.arrived(slot, gradient)
        owners = self._log.by_slot.get(slot)
        if owners is None and not hidden:
            return reading
        if slot[0] in run.arrived:
            owners = None  # what they keep was told before the pre-hooks of the node
        keeping = [
            owner
            for owner in owners or ()
            if owner.tensor.retains_grad and not owner.tensor.is_leaf
        ]
        if hidden and keeping and self._was_kept(keeping[0], sent, reading):
            # A hook of the user's on the node itself: it runs after `.grad` is kept.
            self._keep_grads(keeping, sent)
            keeping = []
        if hidden:
            self._hidden_rewrite(slot, gradient, sent, reading)
        self._keep_grads(keeping, reading)
        return reading

    def _was_kept(self, owner: LiveTensor, sent: RawValue, arrived: MaybeReading) -> bool:
        """Return whether `.grad` took in the sent gradient, and not the one that has arrived."""
        after = self._log.read(read_grad(owner.tensor))
        before = self._log.grads.last(owner)
        if before is None or after is None:
            return after == sent != arrived
        if not isinstance(sent, Reading) or arrived is None:
            return False
        if before.values is None or after.values is None or sent.values is None:
            return False

        def miss(added: Reading) -> float:
            old, new, total = (one.snapshot.numbers() for one in (before, added, after))
            return sum(abs(o + n - t) for o, n, t in zip(old, new, total, strict=True))

        return miss(sent) < miss(arrived)

    def _hidden_rewrite(
        self, slot: Slot, gradient: Gradient, sent: RawValue, arrived: MaybeReading
    ) -> None:
        owners = self._log.by_slot.get(slot)
        self._log.add(
            HiddenRewriteEvent(
                **self._log.at(),
                tensor=owners[0].label if owners else None,
                node=slot[0],
                slot=slot[1],
                incoming=pending(sent),
                outgoing=pending(arrived),
            )
        )
        self._log.runs.arrivals.replace(slot, gradient, arrived, slot[0])

    def _keep_grads(self, owners: list[LiveTensor], kept: RawValue) -> None:
        for owner in owners:
            before = self._log.grads.last(owner)
            after = self._log.grads.now(owner)
            if kept is None and after == before:
                continue
            self._log.add(
                RetainGradEvent(
                    **self._log.at(),
                    tensor=owner.label,
                    node=owner.slot[0],
                    slot=owner.slot[1],
                    incoming=pending(kept),
                    grad_before=pending(before),
                    grad_after=pending(after),
                )
            )
