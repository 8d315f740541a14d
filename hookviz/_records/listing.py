"""Show the items of a tuple one a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import SupportsIndex, TypeVar, overload

T = TypeVar("T")

_MOST_LINES = 40
_LAST_LINES = 10


class Listing(tuple[T, ...]):
    """A tuple that shows each of its items on a line of its own; a long one without its middle."""

    def __repr__(self) -> str:
        lines = list(self._lines())
        if len(lines) > _MOST_LINES:
            left_out = len(lines) - _MOST_LINES
            first = lines[: _MOST_LINES - _LAST_LINES]
            lines = [*first, f"... {left_out} more ...", *lines[-_LAST_LINES:]]
        end = "," if len(self) == 1 else ""
        return "(" + ",\n ".join(lines) + f"{end})"

    def _lines(self) -> Iterator[str]:
        return map(repr, self)

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...

    def __getitem__(self, place: SupportsIndex | slice) -> T | tuple[T, ...]:
        """Return one item, or a listing of several."""
        if not isinstance(place, slice):
            return super().__getitem__(place)
        part = type(self)(super().__getitem__(place))
        part.__dict__.update(self.__dict__)
        return part
