"""Put boxes into ranks, and decide from them which way the gradient flows on the screen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Literal, get_args

Direction = Literal["auto", "across", "down"]
"""Which way the gradient flows on the screen; `auto` is across where there is room for it."""

DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

_MOST_RANKS_SIDEWAYS = 7
_WIDEST_SIDEWAYS = 980.0


def find_ranks(items: Iterable[str], arrows: Iterable[tuple[str, str]]) -> list[list[str]] | None:
    """Return items in ranks, each behind all items from which an arrow leads to it.

    Args:
        items: Ids.
        arrows: Pairs of ids, from the one that sends to the one that receives.

    Returns:
        The ranks; `None` if arrows go round in a circle. No autograd graph has one, but a file can
        claim one, and so can boxes.
    """
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(items, ()))
    for tail, head in arrows:
        sorter.add(head, tail)
    try:
        sorter.prepare()
    except CycleError:
        return None
    ranks: list[list[str]] = []
    while sorter.is_active():
        ranks.append(list(sorter.get_ready()))
        sorter.done(*ranks[-1])
    return ranks


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
    ranks = find_ranks(widths, arrows)
    if ranks is None:
        return False
    total = sum(max(widths[box] for box in rank) for rank in ranks)
    room = total + gap * (len(ranks) - 1) + around
    return len(ranks) <= _MOST_RANKS_SIDEWAYS and room <= _WIDEST_SIDEWAYS
