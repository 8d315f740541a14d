"""Collect the events of a pass, with what was printed and how deep the engine was nested."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.tensors import LiveTensor, Slot
from hookviz._live.hooks.at_work import HookAtWork, Labelled
from hookviz._live.recording.engine_runs import EngineRuns
from hookviz._live.user.printed import Printed
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.grads import read_grad
from hookviz._live.values.memory import storage_of
from hookviz._live.values.moments import Moments
from hookviz._live.values.reading import Reader, Reading, finished
from hookviz._records import EVENT_CLASSES, AnyEvent

Gradient = torch.Tensor | None
MaybeReading = Reading | None
RawEvent = dict[str, Any]
"""The fields of an `Event`, with readings where it has snapshots: much faster to make."""


class EventLog:
    """What all parts of the recorder share: the events so far, and what each `.grad` was last.

    Attributes:
        before: The finished events of the forward; the numbers of the others follow theirs.
        events: In the order of the engine.
        runs: The engine runs that are open.
        by_slot: The reachable tensors of each slot.
        hook_at_work: The hook that runs, or whose result PyTorch is looking at.
        refusable: A hook that has returned what PyTorch may refuse, and its event.
    """

    def __init__(
        self,
        live: LiveGraph,
        grads: Iterable[MaybeReading],
        runs: EngineRuns,
        *,
        printed: Printed,
        reader: Reader,
        before: Iterable[AnyEvent] = (),
    ) -> None:
        """Begin.

        Args:
            live: The captured graph.
            grads: What the `.grad` of each of its tensors is.
            runs: Keeps apart what belongs to one run of the engine.
            printed: Catches what user code prints.
            reader: Reads tensors.
            before: The events of the forward, numbered from 0.
        """
        self.before = tuple(before)
        self.events: list[RawEvent] = []
        self.runs = runs
        self.printed = printed
        self.by_slot: dict[Slot, list[LiveTensor]] = {}
        for owner in live.tensors:
            self.by_slot.setdefault(owner.slot, []).append(owner)
        self.hook_at_work: HookAtWork | None = None
        self.refusable: tuple[HookAtWork, RawEvent] | None = None
        self._held_text = ""
        self._reader = reader
        self._grads: dict[str, Seen] = {}
        self._in_storage: dict[int, dict[str, LiveTensor]] = {}
        self._storages: dict[str, int] = {}
        for grad, owner in zip(grads, live.tensors, strict=True):
            now = read_grad(owner.tensor)
            self.note_grad(owner, now, Seen(now, grad))

    def add(self, **fields: Any) -> RawEvent:
        """Append an event; what was printed since the last one belongs to it."""
        fields["index"] = len(self.before) + len(self.events)
        printed = fields.get("printed")
        if printed is None:
            printed = self.printed.take()
        fields["printed"] = self._held_text + printed
        fields["timeline"] = self.runs.depth
        self._held_text = ""
        self.events.append(fields)
        return fields

    def hold_printed(self) -> None:
        """Keep what was printed so far for the next event, whoever listens until then."""
        self._held_text += self.printed.take()

    def has_refusable_of(self, owner: Labelled) -> bool:
        """Return whether a post-accumulate hook of this leaf has returned something."""
        if self.refusable is None:
            return False
        hook, event = self.refusable
        later = self.events[event["index"] - len(self.before) :]
        is_recent = all(one.get("tensor") == event.get("tensor") for one in later)
        return hook.owner is owner and hook.kind == "post_accumulate_hook" and is_recent

    def read(self, tensor: Gradient, *, found: Moments | None = None) -> MaybeReading:
        """Return what a tensor holds, or `None` for no gradient; see `Reader.read`."""
        return None if tensor is None else self._reader.read(tensor, found=found)

    def last_grad(self, owner: LiveTensor) -> MaybeReading:
        """Return what a tensor's `.grad` was when it was last looked at."""
        return self._grads[owner.id].reading

    def note_grad(self, owner: LiveTensor, grad: Gradient, seen: Seen) -> None:
        """Remember what a tensor's `.grad` is now."""
        self._grads[owner.id] = seen
        storage = 0 if grad is None else storage_of(grad)
        if storage:
            self._in_storage.setdefault(storage, {})[owner.id] = owner
        self._storages[owner.id] = storage

    def changed_grad(self, owner: LiveTensor) -> tuple[str, ...]:
        """Follow a change of a `.grad` in place to whatever else lies in the same memory.

        Returns:
            The labels of waiting gradients and of tensors whose `.grad` are other ones now.
        """
        grad = read_grad(owner.tensor)
        if grad is None:
            return ()
        waiting = self.runs.current.arrivals.changed_in_place(grad, but=owner.slot)
        return (*waiting, *self.grads_reached(owner))

    def grads_reached(self, changed: LiveTensor) -> tuple[str, ...]:
        """Look again at the `.grad`s that share memory with one that was changed in place.

        Returns:
            The labels of the tensors whose `.grad` is another one now.
        """
        storage = self._storages[changed.id]
        reached = []
        for owner in self._in_storage.get(storage, {}).values():
            if owner is changed or self._storages[owner.id] != storage:
                continue
            before = self.last_grad(owner)
            if self.grad_now(owner) != before:
                reached.append(owner.label)
        return tuple(reached)

    def grad_now(self, owner: LiveTensor) -> MaybeReading:
        """Return what a tensor's `.grad` is now, read again only if it may have changed."""
        grad = read_grad(owner.tensor)
        seen = self._grads[owner.id]
        if not seen.is_still(grad):
            seen = Seen(grad, self.read(grad))
            self.note_grad(owner, grad, seen)
        return seen.reading


def finished_event(raw: RawEvent) -> AnyEvent:
    """Make the plain record of an event."""
    fields: dict[str, Any] = {name: finished(value) for name, value in raw.items()}
    return EVENT_CLASSES[fields.pop("kind")](**fields)
