"""Write down what each event changes on the boxes of modules and folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hookviz._records import Event
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Argument
from hookviz._view.groups.ports import Port, Ports, Side
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.groups.where import Where, is_about
from hookviz._view.lookup.arrivals import Arrival, value_at
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.steps.frame import Patch, initial_hook_patches
from hookviz._view.steps.value_patches import ValuePatches
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import short_text
from hookviz._view.words.arguments import (
    arguments_change,
    changed_arguments,
    changed_gradients,
    gradients_change,
    gradients_text,
    several,
)

Frame = Mapping[tuple[str, str], Text]

_PENDING = Message("flow.pending")
_UNREACHED = Message("flow.unreached")
_FIELDS: Mapping[str, tuple[str, ...]] = {
    "module_forward_pre_hook": ("input",),
    "module_forward": ("input", "output"),
    "module_forward_hook": ("output",),
}
_SIDES: tuple[Side, Side] = ("grad_output", "grad_input")


class BoxPatches:
    """Say what happens to boxes, in the order of the events.

    Args:
        index: The graph.
        tree: Its groups.
        events: What happened.
        write: Takes an element, a field, and what it is from now on.
        mark: Takes an element and its field that is what goes on right now.
    """

    def __init__(
        self,
        index: GraphIndex,
        tree: GroupTree,
        events: Sequence[Event],
        *,
        write: Callable[[str, str, Text], None],
        mark: Callable[[str, str], None],
    ) -> None:
        self._index = index
        self._tree = tree
        self._write = write
        self._mark = mark
        self._is_backward = any(not event.kind.startswith("module_") for event in events)
        # Without a backward nothing passes a border, and looking for borders takes time.
        self._ports = Ports(index, tree) if self._is_backward else Ports()
        self._values = ValuePatches(index, tree, events, write=write, mark=mark)
        self._known: dict[tuple[str, Side], dict[int, TensorSnapshot | None]] = {}
        self._told_by_hooks: dict[tuple[str, Side], Text] = {}
        self._first: dict[tuple[str, str], tuple[Argument, ...]] = {}
        self._told = set(self._fields_told(events))

    def initial(self) -> Iterator[Patch]:
        """Yield every field of every box as it is at step 0."""
        for group in self._tree.groups.values():
            yield group.id, "state", "pending"
            for field in ("input", "output"):
                yield group.id, field, _PENDING if (group.id, field) in self._told else ""
            yield group.id, "note", ""
            for side in _SIDES:
                yield group.id, side, _PENDING if self._has(group.id, side) else ""
            if group.module is not None:
                yield from initial_hook_patches(group.id, group.module.hooks)
        yield from self._values.initial()

    def write(self, event: Event, where: Where, arrivals: Sequence[Arrival]) -> None:
        """Write the changes of one event and of the arrivals that become known with it."""
        if not self._tree.groups:
            return
        if event.kind == "start" and not event.timeline:
            self._begin_backward()
        for arrival in arrivals:
            self._arrive(self._ports.at_slot.get(arrival.slot, ()), arrival.value)
        if event.kind == "node":
            for place, edge in self._index.sent_along(event.node):
                ports = self._ports.along_edge.get(edge.id, ())
                self._arrive(ports, value_at(event.outgoing, place))
        state = "error" if event.kind == "error" else "current"
        for group in self._tree.chain(where.box):
            if state == "error":
                self._write(group, "state", state)
            else:
                self._mark(group, "state")
        if where.is_of_box:
            self._module(event, where.box)

    def final(self, frame: Frame) -> Iterator[Patch]:
        """Yield what the end says about boxes and hooks that are still waiting."""
        for group in self._tree.groups.values():
            if self._is_backward and frame[group.id, "state"] == "pending":
                yield group.id, "state", "unreached"
            for side in _SIDES:
                if frame[group.id, side] == _PENDING:
                    yield group.id, side, _UNREACHED
            for hook in group.module.hooks if group.module is not None else ():
                could_run = self._is_backward or "forward" in hook.kind
                if could_run and frame[group.id, f"hook-state:{hook.id}"] == "pending":
                    yield group.id, f"hook:{hook.id}", Message("hook.not_run")

    def _has(self, group: str, side: Side) -> bool:
        return self._ports.counts.get((group, side), 0) > 0

    def _fields_told(self, events: Sequence[Event]) -> Iterator[tuple[str, str]]:
        """Yield the boxes of which some event says what went in or came out."""
        for event in events:
            box = self._tree.call_of(event.module, event.call) if event.module else TOP
            if not is_about(self._tree, box, event):
                continue
            kind = event.kind
            if kind == "error" and event.arguments_before:
                kind = event.hook.kind if event.hook is not None else "module_forward_pre_hook"
            for field in _FIELDS.get(kind, ()):
                yield box, field
                for fold in self._folds_that_begin_or_end(box, is_begin=field == "input"):
                    yield fold, field

    def _begin_backward(self) -> None:
        """Let boxes wait again: that their forward ran says nothing about their gradients."""
        for group in self._tree.groups:
            if self._has(group, "grad_output") or self._has(group, "grad_input"):
                self._write(group, "state", "pending")

    def _arrive(self, ports: Sequence[Port], value: TensorSnapshot | None) -> None:
        for port in ports:
            known = self._known.setdefault((port.group, port.side), {})
            known[port.place] = value
            # What a module's own hook was given is the whole truth; edges may be parts of it.
            if (port.group, port.side) not in self._told_by_hooks:
                texts = [short_text(known[place]) for place in sorted(known)]
                self._write(port.group, port.side, several(texts))

    # -- what happens to a call as such ---------------------------------------------------------

    def _module(self, event: Event, box: str) -> None:
        match event.kind:
            case "module_forward_pre_hook":
                self._argument(box, "input", event.arguments_before, event.arguments_after)
                self._values.given(event, box)
            case "module_forward":
                self._argument(box, "input", event.arguments_before, event.arguments_before)
                self._argument(box, "output", event.arguments_after, event.arguments_after)
                self._values.given(event, box)
            case "module_forward_hook":
                self._argument(box, "output", event.arguments_before, event.arguments_after)
                self._values.given(event, box)
            case "module_backward_pre_hook":
                self._gradient(box, "grad_output", event)
            case "module_backward_hook":
                self._gradient(box, "grad_input", event)
            case "error" if event.arguments_before:
                is_after = event.hook is not None and event.hook.kind == "module_forward_hook"
                field = "output" if is_after else "input"
                self._argument(box, field, event.arguments_before, event.arguments_before)
        if event.hook is not None:
            self._ran(event, box)

    def _argument(
        self, box: str, field: str, before: Sequence[Argument], after: Sequence[Argument]
    ) -> None:
        first = self._first.setdefault((box, field), tuple(before))
        text = arguments_change(first, after)
        self._write(box, field, text)
        for fold in self._folds_that_begin_or_end(box, is_begin=field == "input"):
            self._write(fold, field, text)

    def _folds_that_begin_or_end(self, box: str, *, is_begin: bool) -> Iterator[str]:
        """Yield the folds whose input is the input of this call, or whose output its output."""
        group = self._tree.groups[box]
        while group.parent != TOP:
            parent = self._tree.groups[group.parent]
            is_fold = parent.kind in ("fold", "range")
            if not is_fold or parent.items[0 if is_begin else -1] != group.id:
                return
            yield parent.id
            group = parent

    def _gradient(self, box: str, side: Side, event: Event) -> None:
        text = gradients_change(event.incoming, event.outgoing)
        self._told_by_hooks[box, side] = text
        self._write(box, side, text)

    def _ran(self, event: Event, box: str) -> None:
        """Say on the hook's own row what it did, if the hook has a row."""
        hook, group = event.hook, self._tree.groups[box]
        known = group.module.hooks if group.module is not None else ()
        if hook is None or all(one.id != hook.id for one in known):
            return
        if event.kind == "error":
            self._write(box, f"hook:{hook.id}", Message("hook.raised"))
            self._write(box, f"hook-state:{hook.id}", "error")
            return
        self._write(box, f"hook:{hook.id}", _did(event))
        self._mark(box, f"hook-state:{hook.id}")


def _did(event: Event) -> Text:
    if "backward" in event.kind:
        change = changed_gradients(event.incoming, event.outgoing)
        same = gradients_text(event.incoming)
    else:
        change = changed_arguments(event.arguments_before, event.arguments_after)
        same = arguments_change(event.arguments_after, event.arguments_after)
    if change is not None:
        return change
    return Message("hook.unchanged", {"gradient": same}) if same else Message("hook.ran")
