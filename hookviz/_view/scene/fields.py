"""Hold the text of every field of a picture at one step, and its largest width over all steps."""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Protocol

from hookviz._languages import LANGUAGES
from hookviz._view.text.message import Message, Text, is_words, render
from hookviz._view.text.width import clean, width_in_em

STATES = ("error", "current", "done", "pending", "unreached")
"""Several edges that are drawn as one have the first of these states that any edge has."""

_SEPARATOR_EM = 1.2


class Patched(Protocol):
    """A step, as far as the picture knows it."""

    @property
    def patches(self) -> Sequence[tuple[str, str, Text]]:
        """The changes on screen: the key of an element, the name of a field, its text."""


class Fields:
    """The texts of a picture at one step, and their widths over all steps and languages.

    A width is measured when it is first asked for: of a large graph little is drawn.

    Args:
        steps: Every step of the pass.
        step: The step to show; the patches of steps `0 ... step` are applied.
    """

    def __init__(self, steps: Sequence[Patched], step: int) -> None:
        self._steps = steps
        self._is_at_rest = False
        self._now: dict[tuple[str, str], Text] = {}
        self._all: dict[tuple[str, str], list[Text]] = defaultdict(list)
        self._measured: dict[tuple[str, str], tuple[float, float]] = {}
        for number, one_step in enumerate(steps):
            for key, field, value in one_step.patches:
                if number <= step:
                    self._now[key, field] = value
                if value != "" and field != "state":
                    self._all[key, field].append(value)

    def at(self, step: int, *, is_at_rest: bool = False) -> Fields:
        """Return the same texts at another step; widths that were measured stay known."""
        other = copy.copy(self)
        other._is_at_rest = is_at_rest
        other._now = {
            (key, field): value
            for one_step in self._steps[: step + 1]
            for key, field, value in one_step.patches
        }
        return other

    def now(self, key: str, field: str) -> Text:
        """Return the text of a field at the step, empty when nothing was said about it."""
        return self._now.get((key, field), "")

    def now_of_all(self, keys: Iterable[str], field: str) -> Text:
        """Return the texts of several elements as one, without repetitions."""
        texts: list[Text] = []
        for text in (self.now(key, field) for key in keys):
            if text != "" and text not in texts:
                texts.append(text)
        if len(texts) < 2:
            return texts[0] if texts else ""
        return Message("value.several", {"values": tuple(texts)})

    def state(self, key: str, field: str = "state") -> str:
        """Return a state: `pending` when nothing was said about it."""
        state = self._now.get((key, field)) or "pending"
        return "done" if state == "current" and self._is_at_rest else str(state)

    def state_of_all(self, keys: Iterable[str]) -> str:
        """Return the state of several elements that are shown as one."""
        return min((self.state(key) for key in keys), key=STATES.index)

    def room(self, key: str, field: str, size: float = 1.0, words: float | None = None) -> float:
        """Return the largest width that a field has at any step in any language.

        Args:
            key: Id of the tensor, node, edge, or group.
            field: Name of the field.
            size: Font size; with 1 the width is in em.
            words: Font size of messages, if it is another.
        """
        if (key, field) not in self._measured:
            self._measured[key, field] = self._measure(self._all.get((key, field), ()))
        numbers, messages = self._measured[key, field]
        return max(numbers * size, messages * (size if words is None else words))

    def room_of_all(self, keys: Sequence[str], field: str) -> float:
        """Return the width in em that the texts of several elements need beside each other."""
        rooms = [room for room in (self.room(key, field) for key in keys) if room]
        return sum(rooms) + _SEPARATOR_EM * max(len(rooms) - 1, 0)

    def _measure(self, texts: Iterable[Text]) -> tuple[float, float]:
        """Return the widths of numbers and of words in their place: they differ in size."""
        numbers, messages = 0.0, 0.0
        for text in texts:
            if is_words(text):
                messages = max(messages, room_for(text))
            else:
                numbers = max(numbers, room_for(text))
        return numbers, messages


def room_for(text: Text) -> float:
    """Return the width in em that a text needs in the language in which it is longest."""
    if isinstance(text, str):
        return width_in_em(clean(text))
    return _room_for_words(text.key) if not text.args else _widest(text)


@functools.cache
def _room_for_words(key: str) -> float:
    """The same for a message that is always the same words, which many cards have."""
    return _widest(Message(key))


def _widest(message: Message) -> float:
    return max(width_in_em(clean(render(message, language))) for language in LANGUAGES)
