"""Run the function that makes the root again, each time from the same state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from torch.utils.hooks import RemovableHandle

from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.table import HookEntry, HookTable
from hookviz._live.session.put_back import KeptBuffers, RandomState
from hookviz._live.session.root_function import FunctionRun, RootFunction, run_function
from hookviz._parameters import Keep

Place = tuple[object, HookTable]
"""A tensor or module, and the table of one of its hook dictionaries."""


class RepeatableFunction:
    """A function that makes the root, and the state from which each of its runs begins.

    Its random numbers are those of the first run, and the buffers of its modules (the statistics
    of a batch norm, say) begin as they were before it.

    Attributes:
        buffers: The buffers as they were before the first run.
    """

    def __init__(self, function: RootFunction, *, keep: Keep, echo: bool) -> None:
        self._function = function
        self._keep: Keep = keep
        self._echo = echo
        self._random = RandomState()
        self.buffers = KeptBuffers()
        self._registered = range(0)

    def run(self) -> FunctionRun:
        """Run it for the first time."""
        begin = RemovableHandle.next_id
        run = run_function(
            self._function, keep=self._keep, echo=self._echo, begins=self.buffers.note
        )
        self._registered = range(begin, RemovableHandle.next_id)
        return run

    def again(self) -> FunctionRun:
        """Run it once more; the random generators stay as that leaves them."""
        self.buffers.restore()
        self._random.restore()
        return self.run()

    def forget(self, places: Iterable[Place]) -> Forgotten:
        """Take off the hooks that the last run has registered; the next one does it again."""
        return Forgotten(self._registered, places)

    def registers(self, key: int) -> bool:
        """Return whether the last run has registered the hook with this number."""
        return key in self._registered

    def take_back(self, forgotten: Forgotten) -> None:
        """Put these hooks on again, and take off the hooks that a run has registered since."""
        forgotten.come_back(instead_of=self._registered)
        self._registered = forgotten.numbers


class Forgotten:
    """Hooks that a function has registered and will register again, off until then.

    Attributes:
        numbers: The numbers of the hooks that the run has registered.
    """

    def __init__(self, numbers: range, places: Iterable[Place]) -> None:
        self.numbers = numbers
        self._taken = [
            (thing, table, list(table.found), table.order(), _take(table, numbers))
            for thing, table in places
        ]

    def come_back(self, *, but: Iterable[object] = (), instead_of: range = range(0)) -> None:
        """Put the hooks on again.

        Args:
            but: Leave those of these things off.
            instead_of: Numbers of hooks that are to go.
        """
        left = {id(thing) for thing in but}
        for thing, table, found, order, taken in self._taken:
            if id(thing) in left:
                continue
            table.refresh()
            if instead_of != self.numbers:
                _take(table, instead_of)
            for key, entry in taken.items():
                table.found[key] = entry.original
                table.put_back(key, entry, order)
                if entry.is_gone:
                    table.take_off(key)
            # In which order they were found says which of them the first one was, and so on.
            places = {key: place for place, key in enumerate(found)}
            ordered = sorted(table.found, key=lambda key: places.get(key, len(places)))
            table.found = {key: table.found[key] for key in ordered}

    def on(self, owners: Iterable[LiveTensor]) -> Iterator[tuple[HookTable, list[HookEntry], str]]:
        """Yield the tables of some tensors, the hooks taken from each, and the tensor's label."""
        labels = {id(owner.tensor): owner.label for owner in owners}
        for thing, table, _, _, taken in self._taken:
            if id(thing) in labels and taken:
                yield table, list(taken.values()), labels[id(thing)]


def _take(table: HookTable, numbers: range) -> dict[int, HookEntry]:
    return {key: table.forget(key) for key in table.order() if key in numbers}


@contextmanager
def placeholders_away(tables: Iterable[HookTable]) -> Iterator[None]:
    """Keep the placeholders of hooks that are off out of the way of a forward.

    A module with anything in its dictionary of backward hooks changes its graph, even if that does
    nothing.
    """
    away: list[tuple[HookTable, list[int]]] = []
    try:
        for table in tables:
            away.append((table, table.order()))
            table.take_placeholders()
        yield
    finally:
        for table, order in reversed(away):
            table.put_placeholders(order)
