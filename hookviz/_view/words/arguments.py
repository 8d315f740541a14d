"""Write what goes into a call and comes out of it: several values as one text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookviz._records.value import Argument, Value
from hookviz._view.lookup.arrivals import value_at
from hookviz._view.text.message import Argument as Words
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import change_text, pair_text, short_text

MOST_TOLD = 3
"""Of more values than this only the first are told."""

_KEYWORD = re.compile(r"^kwargs\['(.*?)'\](.*)$", re.DOTALL)


def arguments_text(arguments: Sequence[Argument]) -> Text:
    """Return the values of a call's arguments or outputs: `1; 2; c = 3`."""
    return several([_named(item.path, argument_value(item)) for item in arguments])


def arguments_change(before: Sequence[Argument], after: Sequence[Argument]) -> Text:
    """Return the values as they are, or as they were and are: `1; 2 → 11; 2`."""
    if tuple(before) == tuple(after):
        return arguments_text(after)
    if len(before) == len(after) == 1:
        return _change(before[0], after[0], with_shape=True)
    return arrow(arguments_text(before), arguments_text(after))


def changed_arguments(before: Sequence[Argument], after: Sequence[Argument]) -> Text | None:
    """Return only what changed, or `None` if nothing did: `1; 3 → 11; 13`."""
    old, new = ({item.path: item for item in items} for items in (before, after))
    changed = [path for path in {**old, **new} if old.get(path) != new.get(path)]
    if not changed:
        return None
    if len(changed) == 1:
        return _change(old.get(changed[0]), new.get(changed[0]), with_shape=False)
    pairs = [_pair(old.get(path), new.get(path)) for path in changed]
    return arrow(several([first for first, _ in pairs]), several([second for _, second in pairs]))


def gradients_text(value: Value) -> Text:
    """Return gradients per output or input as one text."""
    values = value if isinstance(value, tuple) else (value,)
    return several([short_text(item) for item in values])


def gradients_change(before: Value, after: Value) -> Text:
    """Return gradients per output or input as they are, or as they were and are."""
    values = [value if isinstance(value, tuple) else (value,) for value in (before, after)]
    if values[0] == values[1]:
        return gradients_text(before)
    if len(values[0]) == len(values[1]) == 1:
        return change_text(values[0][0], values[1][0])
    return arrow(gradients_text(before), gradients_text(after))


def changed_gradients(before: Value, after: Value) -> Text | None:
    """Return only the gradients that changed, or `None` if none did."""
    count = max(len(value) if isinstance(value, tuple) else 1 for value in (before, after))
    pairs = [(value_at(before, place), value_at(after, place)) for place in range(count)]
    changed = [(one, other) for one, other in pairs if one != other]
    if len(changed) == 1:
        return change_text(*changed[0], with_shape=False)
    if not changed:
        return None
    texts = [pair_text(one, other) for one, other in changed]
    return arrow(several([first for first, _ in texts]), several([second for _, second in texts]))


def several(texts: Sequence[Text]) -> Text:
    """Return some texts as one; the separator is the language's own."""
    if len(texts) == 1:
        return texts[0]
    shown: tuple[Words, ...] = tuple(texts[:MOST_TOLD])
    if len(texts) > MOST_TOLD:
        shown = (*shown, "…")
    return Message("value.several", {"values": shown}) if shown else ""  # type: ignore[dict-item]


def arrow(before: Text, after: Text) -> Text:
    """Return `before → after`."""
    if isinstance(before, str) and isinstance(after, str):
        return f"{before} → {after}"
    return Message("value.arrow", {"before": before, "after": after})


def argument_value(item: Argument | None) -> Text:
    """Return one value; a dash where there is none."""
    if item is None:
        return "–"
    return short_text(item.snapshot) if item.snapshot is not None else item.text


def _change(old: Argument | None, new: Argument | None, *, with_shape: bool) -> Text:
    if old is not None and new is not None and old.snapshot and new.snapshot:
        return change_text(old.snapshot, new.snapshot, with_shape=with_shape)
    return arrow(*_pair(old, new))


def _pair(old: Argument | None, new: Argument | None) -> tuple[Text, Text]:
    if old is not None and new is not None and old.snapshot and new.snapshot:
        return pair_text(old.snapshot, new.snapshot)
    return argument_value(old), argument_value(new)


def _named(path: str, value: Text) -> Text:
    """Put the name before what was given by keyword; the others are told by their order."""
    keyword = _KEYWORD.match(path)
    if keyword is None:
        return value
    name = keyword[1] + keyword[2]
    return (
        f"{name} = {value}"
        if isinstance(value, str)
        else Message("value.named", {"name": name, "value": value})
    )
