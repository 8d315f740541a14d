"""Write down what each event changes on the boxes of modules and folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hookviz._records import ErrorEvent, Event, NodeEvent, StartEvent, TensorSnapshot
from hookviz._view.groups.ports import Port, Ports
from hookviz._view.groups.ports import Side as PortSide
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.groups.where import Where, is_about
from hookviz._view.lookup.arrivals import value_at
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.steps.frame import Patch, initial_hook_patches
from hookviz._view.steps.value_patches import ValuePatches
from hookviz._view.text.message import Message, Text
from hookviz._view.words.change import Change, Parts, parts_text
from hookviz._view.words.kinds import is_of_module, words_for
from hookviz._view.words.speaker import Speaker
from hookviz._view.words.words import Side, Words

Frame = Mapping[tuple[str, str], Text]

_PENDING = Message("flow.pending")
_UNREACHED = Message("flow.unreached")
_FORWARD: tuple[Side, Side] = ("input", "output")
_BACKWARD: tuple[PortSide, PortSide] = ("grad_output", "grad_input")


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
        self._is_backward = not all(is_of_module(event) for event in events)
        # Without a backward nothing passes a border, and looking for borders takes time.
        self._ports = Ports(index, tree) if self._is_backward else Ports()
        self._values = ValuePatches(tree, write=write, mark=mark)
        self._known: dict[tuple[str, PortSide], dict[int, TensorSnapshot | None]] = {}
        self._told_by_hooks: set[tuple[str, str]] = set()
        self._first: dict[tuple[str, str], Parts] = {}
        self._told: set[tuple[str, str]] = set()
        for event in events:
            self._foresee(event)

    def initial(self) -> Iterator[Patch]:
        """Yield every field of every box as it is at step 0."""
        for group in self._tree.groups.values():
            yield group.id, "state", "pending"
            for field in _FORWARD:
                yield group.id, field, _PENDING if (group.id, field) in self._told else ""
            yield group.id, "note", ""
            for side in _BACKWARD:
                yield group.id, side, _PENDING if self._has(group.id, side) else ""
            if group.module is not None:
                yield from initial_hook_patches(group.id, group.module.hooks)
        yield from self._values.initial()

    def write(self, words: Words[Any], where: Where) -> None:
        """Write the changes of one event and of the arrivals that become known with it."""
        if not self._tree.groups:
            return
        event = words.event
        if isinstance(event, StartEvent) and not event.timeline:
            self._begin_backward()
        for arrival in words.news.arrivals:
            self._arrive(self._ports.at_slot.get(arrival.slot, ()), arrival.value)
        if isinstance(event, NodeEvent):
            for place, edge in self._index.sent_along(event.node):
                ports = self._ports.along_edge.get(edge.id, ())
                self._arrive(ports, value_at(event.outgoing, place))
        for group in self._tree.chain(where.box):
            if isinstance(event, ErrorEvent):
                self._write(group, "state", "error")
            else:
                self._mark(group, "state")
        if where.is_of_box:
            for side, change in words.sides():
                self._show(where.box, side, change)
            self._values.given(words, where.box)

    def final(self, frame: Frame) -> Iterator[Patch]:
        """Yield what the end says about boxes and hooks that are still waiting."""
        for group in self._tree.groups.values():
            if self._is_backward and frame[group.id, "state"] == "pending":
                yield group.id, "state", "unreached"
            for side in _BACKWARD:
                if frame[group.id, side] == _PENDING:
                    yield group.id, side, _UNREACHED
            for hook in group.module.hooks if group.module is not None else ():
                could_run = self._is_backward or "forward" in hook.kind
                if could_run and frame[group.id, f"hook-state:{hook.id}"] == "pending":
                    yield group.id, f"hook:{hook.id}", Message("hook.not_run")

    def _has(self, group: str, side: PortSide) -> bool:
        return self._ports.counts.get((group, side), 0) > 0

    def _foresee(self, event: Event) -> None:
        """Note the boxes of which the event says what went in or came out."""
        box = self._tree.call_of(event.module, event.call) if event.module else TOP
        if not is_about(self._tree, box, event):
            return
        words = words_for(event, Speaker(self._index))
        for side, _ in words.sides():
            if side in _FORWARD:
                self._told.update((known, side) for known in (box, *self._folds_at(box, side)))
        if not self._index.graph.nodes:
            self._values.number(words, box)

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
                values = tuple(("", known[place]) for place in sorted(known))
                self._write(port.group, port.side, parts_text(values))

    def _show(self, box: str, side: Side, change: Change) -> None:
        """Show on a box what an event says of its call."""
        if side not in _FORWARD:
            self._told_by_hooks.add((box, side))
            self._write(box, side, change.text())
            return
        first = self._first.setdefault((box, side), change.before)
        text = Change(first, change.after).text()
        for key in (box, *self._folds_at(box, side)):
            self._write(key, side, text)

    def _folds_at(self, box: str, side: Side) -> Iterator[str]:
        """Yield the folds whose input is the input of this call, or whose output its output."""
        group = self._tree.groups[box]
        while group.parent != TOP:
            parent = self._tree.groups[group.parent]
            is_fold = parent.kind in ("fold", "range")
            if not is_fold or parent.items[0 if side == "input" else -1] != group.id:
                return
            yield parent.id
            group = parent
