"""Hold what is common to the words for all events at a module."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.words.change import Change, Item, Parts
from hookviz._view.words.words import E, Side, Words


class ModuleWords(Words[E]):
    """The words for the forward of a module, or for one of its hooks.

    Attributes:
        row_key, sentence_key: Keys of the language tables.
        side: Where the values go that a hook is given first.
    """

    row_key: ClassVar[str]
    sentence_key: ClassVar[str]
    side: ClassVar[Side]

    @abstractmethod
    def changes(self) -> Argument:
        """Return what changed, or what came out."""

    def row(self) -> Message:
        """Return `args[0] 1 → 11 by forward pre-hook add_ten`, or `forward: output = 3`."""
        return Message(self.row_key, self._args())

    def sentence(self) -> Message:
        """Return the sentence with the name of the module."""
        return Message(self.sentence_key, {"module": self.event.module or "", **self._args()})

    def sides(self) -> Iterable[tuple[Side, Change]]:
        """Yield what the hook was given and what it made of it."""
        yield self.side, self.change()

    def outputs(self, parts: Parts) -> tuple[Text, ...]:
        """Return `output = 3` for each of the first values."""
        shown = [
            Message("change.output", {"path": name, "after": self.speaker.value(item)})
            for name, item in parts[: self.speaker.most_changes]
        ]
        return (*shown, *self._more(parts))

    def arguments(self, pairs: Sequence[tuple[str, Item, Item]]) -> tuple[Text, ...]:
        """Return `args[0] 1 → 11` for each of the first values."""
        shown = [
            Message("change.argument", {"path": name, **self.speaker.before_and_after(*items)})
            for name, *items in pairs[: self.speaker.most_changes]
        ]
        return (*shown, *self._more(pairs))

    def _more(self, items: Sequence[object]) -> Iterable[Message]:
        rest = len(items) - self.speaker.most_changes
        if rest > 0:
            yield Message("change.more", {"count": str(rest)})

    def _args(self) -> dict[str, Argument]:
        event, changes = self.event, self.changes()
        if event.call:
            args = {"changes": changes, "number": str(event.call + 1)}
            changes = Message("change.call", args)
        hook: dict[str, Argument] = {} if event.hook is None else {"hook": event.hook.label}
        return {"changes": changes, **hook}
