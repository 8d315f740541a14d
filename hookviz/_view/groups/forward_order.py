"""Put things that feed each other into an order in which forward can have made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=str)


def forward_order(items: Iterable[Item], inputs: Mapping[Item, Sequence[Item]]) -> list[Item]:
    """Return the items so that each comes after its inputs.

    What belongs together stays together: right before an item stand its inputs, and of those the
    one with the longest history comes first. So a loop written out by hand comes out period by
    period, with what each period adds from outside in that period.

    Args:
        items: The items to order; an item that no other uses is the end of a chain.
        inputs: The inputs of each item, first input first; an item that is missing here has none.

    Example:
        >>> forward_order(["y", "a", "b"], {"y": ["a", "b"], "b": ["a"]})
        ['a', 'b', 'y']
    """
    starts = list(items)
    if not inputs:
        return starts
    heights: dict[Item, int] = {}
    for item in _walk(starts, inputs):
        heights[item] = 1 + max((heights.get(one, 0) for one in inputs.get(item, ())), default=0)
    deepest_first = {
        item: sorted(given, key=lambda one: -heights[one]) if len(given) > 1 else given
        for item, given in inputs.items()
    }
    return _walk(starts, deepest_first)


def _walk(starts: Sequence[Item], inputs: Mapping[Item, Sequence[Item]]) -> list[Item]:
    order: list[Item] = []
    seen: set[Item] = set()
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        # A stack of iterators, not recursion: chains of thousands of nodes are ordinary.
        stack: list[tuple[Item, Iterator[Item]]] = [(start, iter(inputs.get(start, ())))]
        while stack:
            item, rest = stack[-1]
            for one in rest:
                if one not in seen:
                    seen.add(one)
                    stack.append((one, iter(inputs.get(one, ()))))
                    break
            else:
                stack.pop()
                order.append(item)
    return order


def crossings(order: Sequence[Item], inputs: Mapping[Item, Sequence[Item]]) -> list[int]:
    """Return how many arrows pass each gap of an order; gap `i` is before item `i`."""
    places = {item: place for place, item in enumerate(order)}
    changes = [0] * (len(order) + 1)
    for item, place in places.items():
        for one in set(inputs.get(item, ())):
            before = places.get(one, place)
            if before < place:
                changes[before + 1] += 1
                changes[place + 1] -= 1
    total = 0
    counts = []
    for change in changes:
        total += change
        counts.append(total)
    return counts
