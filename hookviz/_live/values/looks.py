"""Read a module's arguments or outputs at one moment, and detect changes later."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from msgspec import Struct

from hookviz._live.user.short_text import short_text
from hookviz._live.user.storable import storable
from hookviz._live.values.arguments import MORE, Item, is_tensor
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.memory import equal_bits
from hookviz._live.values.quiet import read_quietly
from hookviz._live.values.reading import Reading
from hookviz._parameters import Keep
from hookviz._records.value import Argument

_MOST_REMEMBERED = 256


class Look(Struct, frozen=True):
    """The arguments or outputs at one moment: the objects, and their plain data.

    It holds tensors, so it is for the time of one call only.
    """

    items: tuple[Item, ...]
    seen: tuple[Seen | None, ...]
    arguments: tuple[Argument, ...]


class Looks:
    """Make looks, reading a large tensor again only where it may have changed.

    What one module returns is what the next one is given. The numbers of a small tensor are read
    each time; of a large one a print of its bits tells whether they are still those.
    """

    def __init__(self, keep: Keep) -> None:
        self._keep: Keep = keep
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], Seen]] = {}

    def look(self, items: tuple[Item, ...]) -> Look:
        """Read the objects as they are now. Call it within `quietly`.

        Args:
            items: See `arguments.of_call` and `arguments.of_output`.
        """
        seen = tuple(self._see(value) if is_tensor(value) else None for _, value in items)
        arguments = tuple(
            _argument(path, value, mark) for (path, value), mark in zip(items, seen, strict=True)
        )
        return Look(items, seen, arguments)

    def _see(self, tensor: torch.Tensor) -> Seen:
        known = self._known.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1].is_still(tensor):
            return known[1]
        reading = self._read(tensor)
        # All bits of a large one: between two looks runs code of the user's.
        seen = Seen(tensor, reading, is_exact=True)
        if reading.is_large:
            self._remember(tensor, seen)
        return seen

    def _remember(self, tensor: torch.Tensor, seen: Seen) -> None:
        if len(self._known) >= _MOST_REMEMBERED:
            self._known = {k: v for k, v in self._known.items() if v[0]() is not None}
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
        self._known[id(tensor)] = (weakref.ref(tensor), seen)

    def changed_in_place(self, before: Look) -> bool:
        """Return whether a tensor of an earlier look holds other numbers now."""
        return any(
            seen is not None and seen.read_again(value, self._read)[1]
            for (_, value), seen in zip(before.items, before.seen, strict=True)
        )

    def differ(self, before: Look, after: Look) -> bool:
        """Return whether two looks differ in value, whichever objects hold the values."""
        if [path for path, _ in before.items] != [path for path, _ in after.items]:
            return True
        return any(
            self._differs(one, other, before.seen[i], after.seen[i])
            or before.arguments[i].text != after.arguments[i].text
            for i, ((_, one), (_, other)) in enumerate(zip(before.items, after.items, strict=True))
        )

    def _differs(self, one: Any, other: Any, first: Seen | None, second: Seen | None) -> bool:
        if first is None or second is None or first is second:
            return first is not second
        if first.reading != second.reading:
            return True
        # Two large tensors can have the same summary. Where the first one is as it was, compare.
        is_large = first.reading is not None and first.reading.is_large
        return is_large and first.is_still(one) and not equal_bits(one, other)

    def _read(self, tensor: torch.Tensor) -> Reading:
        return read_quietly(tensor, keep=self._keep)


def _argument(path: str, value: Any, seen: Seen | None) -> Argument:
    path = storable(path)
    if seen is not None and seen.reading is not None:
        return Argument(path=path, snapshot=seen.reading.snapshot)
    return Argument(path=path, text="" if path == MORE else short_text(value))
