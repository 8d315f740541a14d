"""Write an event in one line, from the event alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookviz._records.short import short
from hookviz._records.snapshot_text import brief_text
from hookviz._records.value import Argument, Value

if TYPE_CHECKING:
    from hookviz._records.event import Event
    from hookviz._records.snapshot import TensorSnapshot

_PAIRS = (
    (".grad ", "grad_before", "grad_after"),
    ("", "arguments_before", "arguments_after"),
    ("", "incoming", "outgoing"),
)
"""The values that the line of an event tells: the first pair of which its kind has a field."""

_MOST_ARGUMENTS = 4


def event_text(event: Event) -> str:
    """Return `<tensor_hook c: 8 -> 10 by c_hook>`: kind, place, values and hook of an event."""
    owner = event.tensor or event.module or event.node
    place = f" {short(owner)}" if owner else ""
    word = "by" if event.error is None else "in"
    hook = f" {word} {short(event.hook.label)}" if event.hook is not None else ""
    return f"<{event.kind}{place}: {_what(event)}{hook}>"


def _what(event: Event) -> str:
    if event.error is not None:
        return short(f"{event.error.type}: {event.error.message}")
    label, sides = _told(event)
    if event.hook is not None and not event.rewritten and not event.mutated:
        return f"{label}{sides[0]} unchanged"
    if event.value_before != event.value_after:
        sides[-1] += f", value {brief_text(event.value_before)} -> {brief_text(event.value_after)}"
    return label + " -> ".join(sides) + (" in place" if event.mutated else "")


def _told(event: Event) -> tuple[str, list[str]]:
    for label, *names in _PAIRS:
        sides = [_text(getattr(event, name)) for name in names if name in event.__struct_fields__]
        if sides:
            return label, sides
    return "", []


def _text(side: Value | tuple[Argument, ...]) -> str:
    if not isinstance(side, tuple):
        return brief_text(side)
    texts = [_item(item) for item in side[:_MOST_ARGUMENTS]]
    return ", ".join(texts + ["..."] * (len(side) > _MOST_ARGUMENTS))


def _item(item: TensorSnapshot | Argument | None) -> str:
    if not isinstance(item, Argument):
        return brief_text(item)
    return brief_text(item.snapshot) if item.snapshot is not None else short(item.text)
