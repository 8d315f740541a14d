"""Count ranks, and decide from them which way the gradient flows on the screen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal, get_args

Direction = Literal["auto", "across", "down"]
"""Which way the gradient flows on the screen; `auto` is across where there is room for it."""

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

_MOST_RANKS_SIDEWAYS = 7
_WIDEST_SIDEWAYS = 980.0


def find_ranks(boxes: Iterable[str], arrows: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return how many arrows lead to each box on the longest way.

    Args:
        boxes: Ids.
        arrows: Pairs of ids, from the one that sends to the one that receives.
    """
    heads: dict[str, list[str]] = defaultdict(list)
    waits: Counter[str] = Counter()
    for tail, head in arrows:
        heads[tail].append(head)
        waits[head] += 1
    found = dict.fromkeys(boxes, 0)
    ready = [box for box in found if not waits[box]]
    while ready:
        box = ready.pop()
        for head in heads[box]:
            found[head] = max(found[head], found[box] + 1)
            waits[head] -= 1
            if not waits[head]:
                ready.append(head)
    return found


def fits_sideways(
    widths: Mapping[str, float],
    arrows: Iterable[tuple[str, str]],
    gap: float,
    *,
    around: float = 0.0,
) -> bool:
    """Return whether a drawing from right to left is short enough to be read without scrolling.

    Args:
        widths: Of the boxes, by id.
        arrows: As for `find_ranks`.
        gap: Room between ranks.
        around: Room that frames take at both ends.
    """
    widest: dict[int, float] = defaultdict(float)
    for box, rank in find_ranks(widths, arrows).items():
        widest[rank] = max(widest[rank], widths[box])
    total = sum(widest.values()) + gap * (len(widest) - 1) + around
    return len(widest) <= _MOST_RANKS_SIDEWAYS and total <= _WIDEST_SIDEWAYS
