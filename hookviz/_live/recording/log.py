"""Collect the events of a pass, with the text that user code printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import torch

from hookviz._live.forward.log import At
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.tensors import LiveTensor, Slot
from hookviz._live.recording.blame import Blame
from hookviz._live.recording.engine_runs import EngineRuns
from hookviz._live.recording.in_flight import Arrivals
from hookviz._live.recording.known_grads import KnownGrads
from hookviz._live.user.printed import Printed
from hookviz._live.values.grads import read_grad
from hookviz._live.values.moments import Moments
from hookviz._live.values.reading import MaybeReading, Reader
from hookviz._records import AnyEvent

EventT = TypeVar("EventT", bound=AnyEvent)


class EventLog:
    """The events of a pass, and the state that the watchers of all hooks and nodes share.

    The events hold readings where finished events hold snapshots (see `values.reading.pending`).

    Attributes:
        before: The finished events of the forward; the numbers of the others follow theirs.
        events: In the order of the engine.
        runs: The engine runs that are open.
        blame: Which hook an exception would come from.
        grads: The last reading of each `.grad`.
        by_slot: The reachable tensors of each slot.
        printed: Catches the text that user code prints.
    """

    def __init__(
        self,
        live: LiveGraph,
        grads: Iterable[MaybeReading],
        *,
        printed: Printed,
        reader: Reader,
        before: Iterable[AnyEvent] = (),
    ) -> None:
        self.before = tuple(before)
        self.events: list[AnyEvent] = []
        self.runs = EngineRuns(lambda: Arrivals(reader))
        self.blame = Blame(self.events)
        self.grads = KnownGrads(live.tensors, grads, reader)
        self.printed = printed
        self.by_slot: dict[Slot, list[LiveTensor]] = {}
        for owner in live.tensors:
            self.by_slot.setdefault(owner.slot, []).append(owner)
        self._held_text = ""
        self._reader = reader

    def at(self, printed: str | None = None) -> At:
        """Return the common fields of the next event; the text printed until now belongs to it.

        Args:
            printed: The text that belongs to it instead.
        """
        text = self._held_text + (self.printed.take() if printed is None else printed)
        self._held_text = ""
        index = len(self.before) + len(self.events)
        return {"index": index, "printed": text, "timeline": self.runs.depth}

    def add(self, event: EventT) -> EventT:
        """Append the event for which `at` was asked last."""
        self.events.append(event)
        return event

    def hold_printed(self) -> None:
        """Keep the text that was printed so far for the next event."""
        self._held_text += self.printed.take()

    def read(self, tensor: torch.Tensor | None, *, found: Moments | None = None) -> MaybeReading:
        """Read a tensor now; no gradient has no reading (see `Reader.read` for `found`)."""
        return None if tensor is None else self._reader.read(tensor, found=found)

    def changed_grad(self, owner: LiveTensor) -> tuple[str, ...]:
        """Follow a change of a `.grad` in place to the gradients that lie in the same memory.

        Returns:
            The labels of waiting gradients and of tensors whose `.grad` are other ones now.
        """
        grad = read_grad(owner.tensor)
        if grad is None:
            return ()
        waiting = self.runs.arrivals.changed_in_place(grad, but=owner.slot)
        return (*waiting, *self.grads.reached(owner))
