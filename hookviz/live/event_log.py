"""Collect the events of a pass, with what was printed and how deep the engine was nested."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import torch

from hookviz.live.engine_run import EngineRuns
from hookviz.live.grads import read_grad
from hookviz.live.graph import LiveGraph, LiveTensor, Slot
from hookviz.live.hook_at_work import HookAtWork, Labelled
from hookviz.live.printed import Printed
from hookviz.live.seen import Seen
from hookviz.live.take import Keep, take
from hookviz.records import Event, GraphRecord, TensorSnapshot

Gradient = torch.Tensor | None
Snapshot = TensorSnapshot | None


class EventLog:
    """What all parts of the recorder share: the events so far, and what each `.grad` was last.

    Attributes:
        events: In the order of the engine, after those of the forward.
        runs: The engine runs that are open.
        by_slot: The reachable tensors of each slot.
        hook_at_work: The hook that runs, or whose result PyTorch is looking at.
        refusable: A hook that has returned what PyTorch may refuse, and its event.
    """

    def __init__(
        self,
        live: LiveGraph,
        graph: GraphRecord,
        runs: EngineRuns,
        *,
        printed: Printed,
        keep: Keep,
        before: Iterable[Event] = (),
    ) -> None:
        self.events: list[Event] = [
            replace(event, index=index) for index, event in enumerate(before)
        ]
        self.runs = runs
        self.printed = printed
        self.by_slot: dict[Slot, list[LiveTensor]] = {}
        for owner in live.tensors:
            self.by_slot.setdefault(owner.slot, []).append(owner)
        self.hook_at_work: HookAtWork | None = None
        self.refusable: tuple[HookAtWork, Event] | None = None
        self._held_text = ""
        self._keep = keep
        self._grads: dict[str, Seen] = {}
        self._in_storage: dict[int, dict[str, LiveTensor]] = {}
        for tensor, owner in zip(graph.tensors, live.tensors, strict=True):
            self.note_grad(owner, Seen(read_grad(owner.tensor), tensor.grad))

    def add(self, **fields: Any) -> Event:
        """Append an event; what was printed since the last one belongs to it."""
        printed = fields.pop("printed", None)
        if printed is None:
            printed = self.printed.take()
        event = Event(
            index=len(self.events),
            printed=self._held_text + printed,
            timeline=self.runs.depth,
            **fields,
        )
        self._held_text = ""
        self.events.append(event)
        return event

    def hold_printed(self) -> None:
        """Keep what was printed so far for the next event, whoever listens until then."""
        self._held_text += self.printed.take()

    def has_refusable_of(self, owner: Labelled) -> bool:
        """Return whether a post-accumulate hook of this leaf has returned something."""
        if self.refusable is None:
            return False
        hook, event = self.refusable
        is_recent = all(later.tensor == event.tensor for later in self.events[event.index :])
        return hook.owner is owner and hook.kind == "post_accumulate_hook" and is_recent

    def take(self, tensor: Gradient) -> Snapshot:
        """Return a snapshot, or `None` for no gradient."""
        return None if tensor is None else take(tensor, keep=self._keep)

    def last_grad(self, owner: LiveTensor) -> Snapshot:
        """Return what a tensor's `.grad` was when it was last looked at."""
        return self._grads[owner.id].snapshot

    def note_grad(self, owner: LiveTensor, seen: Seen) -> None:
        """Remember what a tensor's `.grad` is now."""
        self._grads[owner.id] = seen
        if seen.storage:
            self._in_storage.setdefault(seen.storage, {})[owner.id] = owner

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
        storage = self._grads[changed.id].storage
        reached = []
        for owner in self._in_storage.get(storage, {}).values():
            if owner is changed or self._grads[owner.id].storage != storage:
                continue
            before = self.last_grad(owner)
            if self.grad_now(owner) != before:
                reached.append(owner.label)
        return tuple(reached)

    def grad_now(self, owner: LiveTensor) -> Snapshot:
        """Return what a tensor's `.grad` is now, read again only if it may have changed."""
        grad = read_grad(owner.tensor)
        seen = self._grads[owner.id]
        if not seen.is_still(grad):
            seen = Seen(grad, self.take(grad))
            self.note_grad(owner, seen)
        return seen.snapshot
