"""List which boxes can be open together, the likely combinations first."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from itertools import combinations

from hookviz._view.groups.tree import GroupTree

_MOST_LARGE = 3
_FEWEST_IN_LARGE = 5
_MOST_OF_IT = 0.7

Key = tuple[str, ...]
"""Boxes that can be seen to be open, in the order of the tree."""


def map_openings(tree: GroupTree, everything: Collection[str]) -> Iterator[Key]:
    """Yield the boxes of each map: all of them, then all without the largest ones.

    On a map a closed box takes as much room as an open one, so those that would leave much of it
    empty are closed on other maps, in every combination.
    """
    if not tree.groups:
        return
    large = _large_boxes(tree)
    for count in range(len(large) + 1):
        for closed in combinations(large, count):
            yield tuple(box for box in everything if box not in closed)


def _large_boxes(tree: GroupTree) -> tuple[str, ...]:
    opened = tree.openable(tree.groups)
    total = len(tree.owner)
    sized = sorted((tree.groups[box] for box in opened), key=lambda group: (-group.size, group.id))
    found: list[str] = []
    for group in sized:
        inner = max((other.size for other in tree.inner(group.id)), default=0)
        # A box around nearly everything, or around little but another box, leaves no more empty
        # than that one does.
        is_mere_frame = inner > _MOST_OF_IT * group.size or group.size > _MOST_OF_IT * total
        if group.size >= _FEWEST_IN_LARGE and not is_mere_frame:
            found.append(group.id)
    return tuple(found[:_MOST_LARGE])


def openings(
    tree: GroupTree, expanded: Collection[str], everything: Collection[str]
) -> Iterator[Key]:
    """Yield which boxes can be open, each combination once.

    The start comes first, then everything and nothing, then the others by how many clicks they are
    away from the start. Of a large graph there are too many to count.
    """
    start = seen_open(tree, expanded)
    first = dict.fromkeys((start, seen_open(tree, everything), ()))
    yield from first
    met, waiting = {start}, deque([start])
    while waiting:
        for key in _one_click_from(tree, waiting.popleft()):
            if key in met:
                continue
            met.add(key)
            waiting.append(key)
            if key not in first:
                yield key


def seen_open(tree: GroupTree, expanded: Collection[str]) -> Key:
    """Return the visible ones of some open boxes, in the order of the tree."""
    opened = tree.openable(expanded)
    return tuple(box for box in tree.groups if opened.issuperset(tree.chain(box)))


def _one_click_from(tree: GroupTree, key: Key) -> Iterator[Key]:
    opened = set(key)
    for box in tree.groups:
        if box in opened:
            yield seen_open(tree, opened - {box})
        elif opened.issuperset(tree.chain(box)[:-1]) and tree.can_open(box):
            yield seen_open(tree, opened | {box})
