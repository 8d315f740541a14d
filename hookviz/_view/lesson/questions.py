"""Ask for the value that the next event will show, where it can be said in a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from hookviz._view.text.message import Message, Text
from hookviz._view.words.words import Words

MOST_NUMBERS = 16
"""Nobody types more than this."""


class Question(Struct, frozen=True, kw_only=True):
    """What a learner can be asked before an event is shown.

    Attributes:
        text: The question.
        answer: Exact texts of the recorded numbers in row-major order, several gradients one
            after the other; `None` where no gradient is.
        shown: The answer as it is shown when it is revealed.
    """

    text: Message
    answer: tuple[str | None, ...]
    shown: Text


def question_of(words: Words[Any]) -> Question | None:
    """Return the question whose answer an event gives, or `None` where none can be asked.

    Nothing can be foreseen of a hidden rewrite or an error, and nobody types a thousand numbers.
    """
    asked = words.question()
    if asked is None:
        return None
    text, values = asked
    numbers: list[str | None] = []
    for value in values:
        if value is None:
            numbers.append(None)
        elif value.values:
            numbers.extend(value.values)
        else:
            return None
    if not 1 <= len(numbers) <= MOST_NUMBERS:
        return None
    shown = [words.speaker.value(value) for value in values]
    return Question(text=text, answer=tuple(numbers), shown=_listed(shown))


def _listed(shown: Sequence[Text]) -> Text:
    if len(shown) == 1:
        return shown[0]
    if all(isinstance(text, str) for text in shown):
        return "[" + ", ".join(text for text in shown if isinstance(text, str)) + "]"
    return Message("question.answers", {"answers": tuple(shown)})
