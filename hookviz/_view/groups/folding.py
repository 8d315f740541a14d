"""Fold repeated items into one box, and a row that is too long to read into a few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookviz._records import CallRecord, ModuleRecord, NodeRecord
from hookviz._view.groups.alike import Alike
from hookviz._view.groups.runs import Run, find_runs
from hookviz._view.groups.titles import (
    calls_title,
    functions_title,
    functions_type,
    range_title,
    repeat_title,
    types_title,
)
from hookviz._view.groups.tree import TOP, Group, GroupKind
from hookviz._view.text.message import Text

LEAST_FOLDED = 24
"""Fewer functions and parameters than this are shown one by one, also where they repeat."""

MOST_REPEATS = 30
"""An open fold shows at most so many repetitions; more stand in ranges of ten, a hundred, ..."""

MOST_ITEMS = 48
"""More unlike items than this are divided into stretches."""

_STRETCHES = 12


class Folder:
    """Put items together into groups.

    Attributes:
        folded: The groups made so far, by id; the groups around them are not known yet.
        sizes: How many functions each node, call and group is made of.
    """

    def __init__(
        self,
        nodes: Mapping[str, NodeRecord],
        modules: Mapping[str, ModuleRecord],
        calls: Mapping[str, CallRecord],
        alike: Alike,
    ) -> None:
        self.folded: dict[str, Group] = {}
        self._nodes = nodes
        self._modules = {call.id: modules[call.module] for call in calls.values()}
        self._alike = alike
        self.sizes = dict(alike.sizes)
        self._made = 0

    def fold(self, items: Sequence[str], gaps: Sequence[int]) -> list[str]:
        """Return the items with repeated items replaced by groups.

        Args:
            items: Nodes and calls in an order in which forward can have made them.
            gaps: How many arrows pass the gap before each of them.
        """
        tokens = [self._alike.tokens[item] for item in items]
        kinds = [self._alike.kinds[item] for item in items]
        result: list[str] = []
        starts: list[int] = []
        place = 0
        for run in [*find_runs(tokens, gaps, kinds), Run(len(items), 1, 0)]:
            repeated = items[run.start : run.end]
            weight = sum(self._alike.weights[item] for item in repeated)
            if run.count and weight < LEAST_FOLDED:
                continue
            result += items[place : run.start]
            starts += range(place, run.start)
            if run.count:
                result.append(self._add_fold(repeated, run.period))
                starts.append(run.start)
            place = run.end
        if len(result) > MOST_ITEMS:
            return self._divide(result, [gaps[start] for start in starts])
        return result

    def _add_fold(self, items: Sequence[str], period: int) -> str:
        fold = self._new_id()
        count = len(items) // period
        kind = self._type(items[:period])
        repeats = list(items)
        if period > 1:
            slices = [items[start : start + period] for start in range(0, len(items), period)]
            repeats = [
                self._add_repeat(inside, number, count)
                for number, inside in enumerate(slices, start=1)
            ]
        inside = self._ranges(repeats, 1, kind)
        return self._put(fold, "fold", self._title(items), kind, inside, count=count)

    def _add_repeat(self, items: Sequence[str], number: int, count: int) -> str:
        repeat = self._new_id()
        inside = items
        if len(items) > MOST_ITEMS:
            inside = self._divide(items, [0] * len(items))
        title = repeat_title(number, count)
        return self._put(repeat, "repeat", title, self._type(items), inside, first=number)

    def _ranges(self, repeats: Sequence[str], first: int, kind: Text) -> Sequence[str]:
        """Return the repetitions, or ranges of them if there are too many to look at."""
        if len(repeats) <= MOST_REPEATS:
            return repeats
        length = 10
        while -(-len(repeats) // length) > MOST_REPEATS:
            length *= 10
        ranges = []
        for start in range(0, len(repeats), length):
            part = repeats[start : start + length]
            made, number = self._new_id(), first + start
            title = self._range_title(part, number)
            inside = self._ranges(part, number, kind)
            ranges.append(
                self._put(made, "range", title, kind, inside, count=len(part), first=number)
            )
        return ranges

    def _range_title(self, repeats: Sequence[str], number: int) -> str:
        names = self._title(repeats) if all(item in self._modules for item in repeats) else ""
        # Calls of one and the same module are told apart by their number alone.
        is_telling = "…" in names
        return names if is_telling else range_title(number, number + len(repeats) - 1)

    def _divide(self, items: Sequence[str], gaps: Sequence[int]) -> list[str]:
        """Divide items into stretches, where the fewest arrows pass from one to the next."""
        length = max(-(-len(items) // _STRETCHES), _STRETCHES)
        stretches = []
        start = 0
        while start < len(items):
            end = _cut(gaps, start, length)
            made, inside = self._new_id(), items[start:end]
            title = self._title(inside)
            kind = functions_type(sum(self.sizes[item] for item in inside))
            if len(inside) > MOST_ITEMS:
                inside = self._divide(inside, gaps[start:end])
            stretches.append(self._put(made, "stretch", title, kind, inside))
            start = end
        return stretches

    def _title(self, items: Sequence[str]) -> str:
        modules = [self._modules[item] for item in items if item in self._modules]
        if modules:
            return calls_title(modules[0], modules[-1])
        return functions_title([self._nodes[item] for item in items if item in self._nodes])

    def _type(self, items: Sequence[str]) -> Text:
        modules = [self._modules[item] for item in items if item in self._modules]
        if modules:
            return types_title(modules)
        return functions_type(sum(self.sizes[item] for item in items))

    def _new_id(self) -> str:
        self._made += 1
        return f"g{self._made - 1}"

    def _put(
        self,
        group_id: str,
        kind: GroupKind,
        title: Text,
        type_: Text,
        items: Sequence[str],
        *,
        count: int = 1,
        first: int = 1,
    ) -> str:
        self.sizes[group_id] = sum(self.sizes[item] for item in items)
        self.folded[group_id] = Group(
            id=group_id,
            kind=kind,
            parent=TOP,
            title=title,
            type=type_,
            items=tuple(items),
            count=count,
            first=first,
            size=self.sizes[group_id],
        )
        return group_id


def _cut(gaps: Sequence[int], start: int, length: int) -> int:
    """Return where a stretch from `start` on ends: near `length`, where few arrows pass."""
    if len(gaps) - start <= length + length // 2:
        return len(gaps)
    ideal = start + length
    near = range(ideal - length // 3, ideal + length // 3 + 1)
    return min(near, key=lambda place: (gaps[place], abs(place - ideal)))
