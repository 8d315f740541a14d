"""Write down what went into the outermost calls and came out, where no graph shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hookviz._records import ErrorEvent
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.groups.value_keys import MOST_VALUES, value_key
from hookviz._view.text.message import Text
from hookviz._view.words.change import Item, item_text
from hookviz._view.words.words import Words


class ValuePatches:
    """Say what the values beside the outermost calls are.

    Args:
        tree: The groups of the graph.
        write: Takes an element, a field, and what it is from now on.
        mark: Takes an element and its field that is what goes on right now.
    """

    def __init__(
        self,
        tree: GroupTree,
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

    def number(self, words: Words[Any], box: str) -> None:
        """Give a key to each value of an outermost call that an event shows."""
        if self._tree.groups[box].parent != TOP:
            return
        for side, name, _ in _values(words):
            count = sum(known[:2] == (box, side) for known in self._keys)
            if (box, side, name) not in self._keys and count < MOST_VALUES:
                self._keys[box, side, name] = value_key(box, side, count)

    def initial(self) -> Iterator[tuple[str, str, Text]]:
        """Yield every field of every value as it is at step 0."""
        for (_, _, path), key in self._keys.items():
            yield key, "path", path
            yield key, "state", "pending"
            yield key, "incoming", ""
            yield key, "rewritten", ""

    def given(self, words: Words[Any], box: str) -> None:
        """Write what an event says about the values of its call."""
        for side, name, item in _values(words):
            key = self._keys.get((box, side, name))
            if key is None:
                continue
            text = item_text(item)
            first = self._first.setdefault(key, text)
            self._write(key, "incoming", first)
            self._write(key, "rewritten", "" if text == first else text)
            self._mark(key, "state")


def _values(words: Words[Any]) -> Iterator[tuple[str, str, Item]]:
    """Yield the arguments (`i`) and outputs (`o`) of a call that an event shows, oldest first."""
    for side, change in () if isinstance(words.event, ErrorEvent) else words.sides():
        if side in ("input", "output"):
            for name, item in (*change.before, *change.after):
                yield side[0], name, item
