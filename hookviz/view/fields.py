"""Answer what every field of the picture holds at one step, and how much room it ever needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookviz.languages import LANGUAGES
from hookviz.view.message import Text, render
from hookviz.view.text_width import clean, width_in_em

if TYPE_CHECKING:
    from hookviz.view.steps import Step


class Fields:
    """The texts of a picture at one step, and their widths over all steps and languages.

    Args:
        steps: Every step of the pass.
        step: The step to show; the patches of steps `0 ... step` are applied.
        is_at_rest: Show what is happening at the step as done.
    """

    def __init__(self, steps: Sequence[Step], step: int, *, is_at_rest: bool = False) -> None:
        self._is_at_rest = is_at_rest
        self._now: dict[tuple[str, str], Text] = {}
        # Literals (numbers) and messages (words) apart: they are drawn in different sizes.
        self._room: dict[tuple[str, str, bool], float] = {}
        for number, one_step in enumerate(steps):
            for key, field, value in one_step.patches:
                if number <= step:
                    self._now[key, field] = value
                place = key, field, isinstance(value, str)
                self._room[place] = max(self._room.get(place, 0.0), room_for(value))

    def now(self, key: str, field: str) -> Text:
        """Return the text of a field at the step, empty when nothing was said about it."""
        return self._now.get((key, field), "")

    def state(self, key: str, field: str = "state") -> str:
        """Return a state: `pending` when nothing was said about it."""
        state = self._now.get((key, field)) or "pending"
        return "done" if state == "current" and self._is_at_rest else str(state)

    def room(self, key: str, field: str, size: float = 1.0, words: float | None = None) -> float:
        """Return the largest width that a field has at any step in any language.

        Args:
            key: Id of the tensor, node, or edge.
            field: Name of the field.
            size: Font size; with 1 the width is in em.
            words: Font size of messages, if it is another.
        """
        numbers = self._room.get((key, field, True), 0.0) * size
        messages = self._room.get((key, field, False), 0.0) * (size if words is None else words)
        return max(numbers, messages)


def room_for(text: Text) -> float:
    """Return the width in em that a text needs in the language in which it is longest."""
    if isinstance(text, str):
        return width_in_em(clean(text))
    return max(width_in_em(clean(render(text, language))) for language in LANGUAGES)
