"""Write down what each event changes on screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookviz._records import (
    ErrorEvent,
    Event,
    GradEvent,
    HiddenRewriteEvent,
    NodeEvent,
    NodeHookEvent,
    NodePrehookEvent,
    PostAccumulateHookEvent,
    StartEvent,
    TensorHookEvent,
    TensorRecord,
    TensorSnapshot,
)
from hookviz._view.groups.tree import GroupTree
from hookviz._view.groups.where import Where
from hookviz._view.lookup.arrivals import Arrival, single, value_at
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.steps.box_patches import BoxPatches
from hookviz._view.steps.frame import PENDING, Patch, final_patches, initial_patches
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import is_same_value, pair_text, short_text
from hookviz._view.words.words import Words

__all__ = ["Patch", "PatchWriter"]


class PatchWriter:
    """Write the patches of one trace, step by step, in the order of its events.

    It keeps the frame of the step before, so that a patch is written only where something changes.
    """

    def __init__(self, index: GraphIndex, tree: GroupTree, events: Sequence[Event]) -> None:
        self._index = index
        self._boxes = BoxPatches(index, tree, events, write=self._set, mark=self._mark)
        self._frame: dict[tuple[str, str], Text] = {}
        self._changes: dict[tuple[str, str], Text] = {}
        self._current: list[tuple[str, str]] = []
        self._arrived: dict[str, TensorSnapshot | None] = {}
        self._has_events = {
            tensor.id for event in events if (tensor := index.tensor_of(event.tensor))
        }
        # A trace of a forward alone says nothing about what backward reaches.
        self._is_backward = any(event.module is None for event in events)
        self._is_error = any(isinstance(event, ErrorEvent) for event in events)

    def initial(self) -> tuple[Patch, ...]:
        """Return the patches of step 0: every field of every element."""
        for key, field, value in (*initial_patches(self._index), *self._boxes.initial()):
            self._set(key, field, value)
        return self._flush()

    def write(self, words: Words[Any], where: Where, *, is_last: bool) -> tuple[Patch, ...]:
        """Return the patches of one event and of the arrivals that become known with it."""
        for key, field in self._current:
            self._set(key, field, "done")
        self._current.clear()
        for arrival in words.news.arrivals:
            self._arrive(arrival)
        self._apply(words.event, where)
        self._boxes.write(words, where)
        self._ran(words, where)
        if is_last:
            self._end()
        return self._flush()

    def _end(self) -> None:
        frame = {**self._frame, **self._changes}
        patches = list(self._boxes.final(frame))
        if self._is_backward:
            patches += final_patches(self._index, frame, is_error=self._is_error)
        for key, field, value in patches:
            self._set(key, field, value)

    def _set(self, key: str, field: str, value: Text) -> None:
        self._changes[key, field] = value

    def _get(self, key: str, field: str) -> Text:
        change = self._changes.get((key, field))
        return self._frame.get((key, field), "") if change is None else change

    def _mark(self, key: str, field: str = "state") -> None:
        self._set(key, field, "current")
        self._current.append((key, field))

    def _flush(self) -> tuple[Patch, ...]:
        patches = tuple(
            (key, field, value)
            for (key, field), value in self._changes.items()
            if self._frame.get((key, field)) != value
        )
        self._frame.update(self._changes)
        self._changes.clear()
        return patches

    def _arrive(self, arrival: Arrival) -> None:
        for tensor in self._index.tensors_at.get(arrival.slot, ()):
            self._arrived[tensor.id] = arrival.value
            if arrival.value is None:
                self._set(tensor.id, "flow", Message("flow.none"))
            else:
                self._set(tensor.id, "incoming", short_text(arrival.value))
                self._set(tensor.id, "flow", "")
            if tensor.id not in self._has_events and not tensor.is_leaf:
                self._pass_through(tensor)

    def _pass_through(self, tensor: TensorRecord) -> None:
        """Say of a non-leaf that its gradient is known and, unless it is retained, not kept."""
        if self._get(tensor.id, "state") == "pending":
            self._set(tensor.id, "state", "done")
        if self._get(tensor.id, "grad") == PENDING and not tensor.retains_grad:
            is_none = self._get(tensor.id, "flow") == Message("flow.none")
            self._set(tensor.id, "grad", Message("grad.none" if is_none else "grad.not_kept"))

    def _apply(self, event: Event, where: Where) -> None:
        tensor = self._index.tensors.get(where.tensor)
        match event:
            case NodeEvent():
                self._apply_node(event)
            case NodePrehookEvent() | NodeHookEvent() if event.node in self._index.nodes:
                self._mark(event.node or "")
            case HiddenRewriteEvent():
                self._apply_hidden(event)
            case ErrorEvent():
                self._apply_error(where)
            case StartEvent() if tensor is not None:
                self._mark(tensor.id)
            case TensorHookEvent() if tensor is not None:
                self._apply_hook(event, tensor)
            case GradEvent() if tensor is not None:
                self._apply_kept(event, tensor)
            case PostAccumulateHookEvent() if tensor is not None:
                self._apply_post(event, tensor)

    def _apply_node(self, event: NodeEvent) -> None:
        node = self._index.nodes.get(event.node or "")
        if node is None:
            return
        self._mark(node.id)
        for slot in range(max(node.num_outputs, 1)):
            for tensor in self._index.tensors_at.get((node.id, slot), ()):
                if tensor.id in self._arrived and not tensor.is_leaf:
                    self._pass_through(tensor)
        for place, edge in self._index.sent_along(node.id):
            self._mark(edge.id)
            self._set(edge.id, "contribution", short_text(value_at(event.outgoing, place)))

    def _apply_hook(self, event: TensorHookEvent, tensor: TensorRecord) -> None:
        self._mark(tensor.id)
        self._rewrite(tensor, single(event.outgoing))
        if event.mutated:
            others = filter(None, map(self._index.tensor_of, event.reached))
            for changed in (tensor, *others):
                self._set(changed.id, "note", Message("note.mutated"))

    def _rewrite(self, tensor: TensorRecord, value: TensorSnapshot | None) -> None:
        arrived = self._arrived.get(tensor.id)
        is_same = is_same_value(arrived, value)
        self._set(tensor.id, "rewritten", "" if is_same else pair_text(arrived, value)[1])

    def _ran(self, words: Words[Any], where: Where) -> None:
        """Say on the hook's own row what it did, if the hook has a row."""
        key, field = where.box if where.is_of_box else where.tensor, f"hook:{where.hook}"
        if (key, field) not in self._frame:
            return
        did, state = words.did(), f"hook-state:{where.hook}"
        self._set(key, field, Message("hook.raised") if did is None else did)
        if did is None:
            self._set(key, state, "error")
        else:
            self._mark(key, state)

    def _apply_kept(self, event: GradEvent, tensor: TensorRecord) -> None:
        self._mark(tensor.id)
        if tensor.is_leaf:
            self._mark(tensor.node)
        grad = event.grad_after
        self._set(tensor.id, "grad", Message("grad.none") if grad is None else short_text(grad))

    def _apply_post(self, event: PostAccumulateHookEvent, tensor: TensorRecord) -> None:
        self._mark(tensor.id)
        grad = event.grad_after
        is_cleared = grad is None and event.grad_before is not None
        self._set(tensor.id, "grad", Message("grad.cleared") if is_cleared else short_text(grad))

    def _apply_hidden(self, event: HiddenRewriteEvent) -> None:
        slot = self._index.slot_of(event)
        if slot is None:
            return
        note = Message("note.hidden")
        tensors = self._index.tensors_at.get(slot, ())
        for tensor in tensors:
            self._mark(tensor.id)
            self._set(tensor.id, "note", note)
            self._rewrite(tensor, value_at(event.outgoing, 0))
        self._set(slot[0], "note", note)
        if not tensors:
            self._mark(slot[0])

    def _apply_error(self, where: Where) -> None:
        if where.tensor:
            self._set(where.tensor, "state", "error")
        if where.node in self._index.nodes and not (where.tensor and where.hook):
            self._set(where.node, "state", "error")
