"""Find repetitions in a row: layers that are alike, the steps of a loop written out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

FEWEST_REPEATS = 3
"""Two of a kind are shown as two."""

_LONGEST_PERIOD = 400
_MOST_TRIES = 6


class Run(Struct, frozen=True):
    """A stretch of a row that is the same few items again and again.

    Attributes:
        start: Place of the first item.
        period: How many items are repeated.
        count: How often.
    """

    start: int
    period: int
    count: int

    @property
    def end(self) -> int:
        """Place after the last item."""
        return self.start + self.period * self.count


def find_runs(
    tokens: Sequence[int], crossings: Sequence[int] = (), kinds: Sequence[int] = ()
) -> list[Run]:
    """Return the runs of a row, from left to right; they do not overlap.

    Args:
        tokens: The row; items that are alike have the same number.
        crossings: How many arrows pass the gap before each item. A run may be cut into periods
            at several places; the one that fewest arrows pass is where the loop begins.
        kinds: The kinds of the items without their first inputs; see `_with_first_period`.

    Example:
        >>> find_runs([7, 1, 2, 1, 2, 1, 2, 9])
        [Run(start=1, period=2, count=3)]
    """
    if len(tokens) < FEWEST_REPEATS:
        return []
    places: dict[int, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        places[token].append(place)
    ranks = [0] * len(tokens)
    for found in places.values():
        for rank, place in enumerate(found):
            ranks[place] = rank
    runs: list[Run] = []
    place = 0
    while place < len(tokens):
        run = _best_run(tokens, place, places[tokens[place]], ranks[place])
        if run is None:
            place += 1
            continue
        run = _turned(run, _length(tokens, run.start, run.period), crossings)
        run = _with_first_period(run, kinds or tokens, runs[-1].end if runs else 0)
        runs.append(run)
        place = run.end
    return runs


def _best_run(tokens: Sequence[int], start: int, same: list[int], rank: int) -> Run | None:
    """Return the run from `start` that covers most, with the shortest period among equals."""
    best: Run | None = None
    for other in same[rank + 1 : rank + 1 + _MOST_TRIES]:
        period = other - start
        if period > _LONGEST_PERIOD:
            break
        count = _length(tokens, start, period) // period
        if count >= FEWEST_REPEATS and (best is None or count * period > best.count * best.period):
            best = Run(start, period, count)
            if best.end + period > len(tokens):
                break
    return best


def _length(tokens: Sequence[int], start: int, period: int) -> int:
    """Return how many items from `start` on go on repeating after `period` items."""
    place = start + period
    while place < len(tokens) and tokens[place] == tokens[place - period]:
        place += 1
    return place - start


def _turned(run: Run, length: int, crossings: Sequence[int]) -> Run:
    """Let a run begin later, by less than a period, if that is where a period begins.

    That is where the fewest arrows pass. Among equals it is where the last period ends with the
    run: a loop ends after a whole period, while its first one is often a little different.
    """
    if not crossings:
        return run
    to_the_end = length % run.period
    candidates = []
    for shift in range(run.period):
        count = (length - shift) // run.period
        if count >= max(FEWEST_REPEATS, run.count - 1):
            passing = crossings[run.start + shift + run.period]
            candidates.append((passing, shift != to_the_end, shift, count))
    _, _, shift, count = min(candidates)
    return Run(run.start + shift, run.period, count)


def _with_first_period(run: Run, kinds: Sequence[int], free: int) -> Run:
    """Add the period before a run if it is made of the same kinds of items.

    The first period of a loop is a little different: it begins with a leaf, or with nothing that
    requires grad, which can change the order as well.
    """
    start = run.start - run.period
    if start < free:
        return run
    before, first = kinds[start : run.start], kinds[run.start : run.start + run.period]
    return Run(start, run.period, run.count + 1) if sorted(before) == sorted(first) else run
