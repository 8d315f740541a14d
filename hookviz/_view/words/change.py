"""Hold values at two moments, before and after, and write them as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from hookviz._records import Argument, TensorSnapshot, Value
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import CARD_WIDTH, change_text, pair_text, short_text

MOST_TOLD = 3
"""A box tells only the first of more values than this."""

Item: TypeAlias = TensorSnapshot | str | None
"""A tensor's value, the text of another object, or `None` where no gradient is."""

Parts: TypeAlias = tuple[tuple[str, Item], ...]
"""The values of one moment, each with its name; a name is empty where there is one value."""

_ABSENT = "–"
_KEYWORD = re.compile(r"^kwargs\['(.*?)'\](.*)$", re.DOTALL)


class Change(Struct, frozen=True):
    """Gradients, arguments or outputs before and after an event."""

    before: Parts
    after: Parts

    def pairs(self) -> list[tuple[str, Item, Item]]:
        """Return each name with its value before and after."""
        before, after = dict(self.before), dict(self.after)
        return [
            (name, before.get(name, _ABSENT), after.get(name, _ABSENT))
            for name in {**before, **after}
        ]

    def changed(self) -> list[tuple[str, Item, Item]]:
        """Return the pairs that differ."""
        return [pair for pair in self.pairs() if pair[1] != pair[2]]

    def text(self) -> Text:
        """Return all values as they are, or as they were and are: `1; 2 → 11; 2`."""
        if self.before == self.after:
            return parts_text(self.after)
        if len(self.before) == len(self.after) == 1:
            return _arrow_text(self.before[0][1], self.after[0][1], with_shape=True)
        return _arrow(parts_text(self.before), parts_text(self.after))

    def news_text(self) -> Text | None:
        """Return only the values that changed, or `None` if none did: `1; 3 → 11; 13`."""
        changed = self.changed()
        if not changed:
            return None
        if len(changed) == 1:
            return _arrow_text(*changed[0][1:], with_shape=False)
        texts = [item_texts(before, after) for _, before, after in changed]
        return _arrow(_several([one for one, _ in texts]), _several([other for _, other in texts]))


def gradients(value: Value) -> Parts:
    """Return one gradient, or the gradients per output slot or edge, by their places."""
    if not isinstance(value, tuple):
        return (("", value),)
    if len(value) == 1:
        return (("", value[0]),)
    return tuple((str(place), item) for place, item in enumerate(value))


def arguments(items: Iterable[Argument]) -> Parts:
    """Return a module's arguments or outputs by their paths."""
    return tuple(
        (item.path, item.text if item.snapshot is None else item.snapshot) for item in items
    )


def parts_text(parts: Parts) -> Text:
    """Return the values of one moment for a box: `1; 2; c = 3`."""
    return _several([_named(name, item_text(item)) for name, item in parts[: MOST_TOLD + 1]])


def item_text(item: Item, width: int = CARD_WIDTH) -> Text:
    """Return one value in about `width` characters."""
    return item if isinstance(item, str) else short_text(item, width=width)


def item_texts(before: Item, after: Item, width: int = CARD_WIDTH) -> tuple[Text, Text]:
    """Return two values in such a way that they look different if they are."""
    if isinstance(before, str) or isinstance(after, str):
        return item_text(before, width), item_text(after, width)
    return pair_text(before, after, width=width)


def _several(texts: Sequence[Text]) -> Text:
    """Return some texts as one; the separator is the language's own."""
    if len(texts) == 1:
        return texts[0]
    shown = tuple(texts[:MOST_TOLD])
    if len(texts) > MOST_TOLD:
        shown = (*shown, "…")
    return Message("value.several", {"values": shown}) if shown else ""


def _arrow_text(before: Item, after: Item, *, with_shape: bool) -> Text:
    if isinstance(before, str) or isinstance(after, str):
        return _arrow(item_text(before), item_text(after))
    return change_text(before, after, with_shape=with_shape)


def _arrow(before: Text, after: Text) -> Text:
    if isinstance(before, str) and isinstance(after, str):
        return f"{before} → {after}"
    return Message("value.arrow", {"before": before, "after": after})


def _named(name: str, value: Text) -> Text:
    """Put the name before an argument given by keyword; the others are told by their order."""
    keyword = _KEYWORD.match(name)
    if keyword is None:
        return value
    name = keyword[1] + keyword[2]
    if isinstance(value, str):
        return f"{name} = {value}"
    return Message("value.named", {"name": name, "value": value})
