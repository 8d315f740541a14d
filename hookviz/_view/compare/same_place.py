"""Find the place in a new trace that matches a place in an old one."""

from __future__ import annotations

from collections import Counter

from hookviz._records import Event

_Mark = tuple[object, ...]


def matching_step(old: tuple[Event, ...], new: tuple[Event, ...], step: int) -> int:
    """Return the step of a new trace at which the reader should stand.

    It is the one after the same event: same kind, same tensor, node and hook, and as many of
    those before it. Where that event is gone (its hook was removed), the last event before it
    that is still there counts.

    Args:
        old: The events on screen so far.
        new: The events after a change of hooks.
        step: The reader's step in `old`: 0 before anything, `len(old)` at the end.

    Returns:
        A step of `new`, from 0 to `len(new)`.
    """
    if step >= len(old):
        return len(new)
    places = {mark: place for place, mark in enumerate(_marks(new))}
    for mark in reversed(_marks(old)[: max(step, 0)]):
        if mark in places:
            return places[mark] + 1
    return 0


def _marks(events: tuple[Event, ...]) -> list[_Mark]:
    seen: Counter[_Mark] = Counter()
    marks: list[_Mark] = []
    for event in events:
        hook = event.hook.id if event.hook else None
        mark = (event.kind, event.tensor, event.node, event.slot, hook, event.timeline)
        marks.append((*mark, seen[mark]))
        seen[mark] += 1
    return marks
