"""Write down what went into the outermost calls and came out, where no graph shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hookviz._records import Event
from hookviz._records.value import Argument
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.groups.value_keys import MOST_VALUES, value_key
from hookviz._view.groups.where import is_about
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.message import Text
from hookviz._view.words.arguments import argument_value


class ValuePatches:
    """Say what the values beside the outermost calls are.

    Args:
        index: The graph; with nodes in it, there are no such values.
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
        self._tree = tree
        self._write = write
        self._mark = mark
        self._keys: dict[tuple[str, str, str], str] = {}
        """The key of each value, by call, side, and path."""
        self._first: dict[str, Text] = {}
        if not index.graph.nodes:
            for event in events:
                self._number(event)

    def initial(self) -> Iterator[tuple[str, str, Text]]:
        """Yield every field of every value as it is at step 0."""
        for (_, _, path), key in self._keys.items():
            yield key, "path", path
            yield key, "state", "pending"
            yield key, "incoming", ""
            yield key, "rewritten", ""

    def given(self, event: Event, box: str) -> None:
        """Write what an event says about the values of its call."""
        for side, arguments in _sides(event):
            for item in arguments:
                key = self._keys.get((box, side, item.path))
                if key is None:
                    continue
                text = argument_value(item)
                first = self._first.setdefault(key, text)
                self._write(key, "incoming", first)
                self._write(key, "rewritten", "" if text == first else text)
                self._mark(key, "state")

    def _number(self, event: Event) -> None:
        box = self._tree.call_of(event.module, event.call) if event.module else TOP
        if box == TOP or self._tree.groups[box].parent != TOP:
            return
        if not is_about(self._tree, box, event):
            return
        for side, arguments in _sides(event):
            count = sum(known[:2] == (box, side) for known in self._keys)
            for item in arguments:
                place = box, side, item.path
                if place not in self._keys and count < MOST_VALUES:
                    self._keys[place] = value_key(box, side, count)
                    count += 1


def _sides(event: Event) -> Iterator[tuple[str, Sequence[Argument]]]:
    """Yield what an event shows of a call's arguments (`i`) and outputs (`o`), oldest first."""
    match event.kind:
        case "module_forward_pre_hook":
            yield "i", event.arguments_before
            yield "i", event.arguments_after
        case "module_forward":
            yield "i", event.arguments_before
            yield "o", event.arguments_after
        case "module_forward_hook":
            yield "o", event.arguments_before
            yield "o", event.arguments_after
