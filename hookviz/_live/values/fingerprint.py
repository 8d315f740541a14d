"""Keep a reading with marks of its tensor, which tell later whether it is still true."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import torch

from hookviz._live import internals
from hookviz._live.values.memory import bit_print, bit_sample, is_strided, place_of, same_bits
from hookviz._live.values.reading import MaybeReading
from hookviz._live.values.summarize import exact_numbers


class Seen:
    """A reading, and marks of the tensor: its memory, its version, and a print of its bits.

    The version alone would not do, because writing through `.data` or `.numpy()` is not counted.
    The print of a small tensor are its numbers, that of one that was copied is the copy.
    """

    __slots__ = ("_is_exact", "_mark", "_print", "reading")

    def __init__(
        self,
        tensor: torch.Tensor | None,
        reading: MaybeReading,
        *,
        is_exact: bool = False,
    ) -> None:
        """Mark a tensor.

        Args:
            tensor: The tensor.
            reading: What it holds now.
            is_exact: Whether to print all bits of a large one, as is due where user code is about
                to get hold of it, and not only some.
        """
        self.reading = reading
        self._is_exact = is_exact
        self._mark: object = None
        self._print: object = None
        if tensor is not None and is_strided(tensor):
            self._mark = self._mark_of(tensor)
            self._take_print(tensor)

    def _mark_of(self, tensor: torch.Tensor) -> object:
        """Return all marks of a tensor but its bits; `None` where nothing could tell it again."""
        if not is_strided(tensor):
            return None
        place = place_of(tensor)
        if not place:
            return None
        return (place, tensor.shape, tensor.stride(), tensor.dtype, internals.version(tensor))

    def _take_print(self, tensor: torch.Tensor) -> None:
        reading = self.reading
        if reading is None or reading.numbers is not None:
            return
        self._print = reading.copy
        if self._print is not None:
            self._is_exact = True
        elif reading.is_large:
            self._print = bit_print(tensor) if self._is_exact else bit_sample(tensor)

    def copied(self, tensor: torch.Tensor) -> Seen:
        """Return the same print, with the marks that the tensor has now and nothing else of it."""
        other = object.__new__(Seen)
        other.reading, other._mark = self.reading, other._mark_of(tensor)
        other._is_exact, other._print = self._is_exact, self._print
        return other

    def is_still(self, tensor: torch.Tensor | None) -> bool:
        """Return whether the reading is known to be that of the tensor now."""
        reading = self.reading
        if tensor is None or reading is None:
            return tensor is None and reading is None
        # Without memory to tell it by, it is never known to be the same.
        if self._mark is None or self._mark != self._mark_of(tensor):
            return False
        if self._print is not None:
            return self._has_print_of(tensor)
        return reading.numbers is not None and same_numbers(reading.numbers, tensor)

    def read_again(
        self, tensor: torch.Tensor, read: Callable[[torch.Tensor], MaybeReading]
    ) -> tuple[MaybeReading, bool]:
        """Return what the tensor holds now, and whether that is another value."""
        if self.is_still(tensor):
            return self.reading, False
        reading = read(tensor)
        return reading, not self.has_value_of(tensor, reading)

    def has_value_of(self, tensor: torch.Tensor, reading: MaybeReading) -> bool:
        """Return whether a tensor holds the same numbers, `reading` being what it holds now.

        Two large tensors may differ and have the same summary; their bits tell.
        """
        if self._print is not None and self.reading is not None:
            is_alike = reading is not None and self.reading.dtype == reading.dtype
            is_same_print = is_alike and self._has_print_of(tensor)
            return is_same_print and (self._is_exact or self.reading == reading)
        return self.reading == reading

    def _has_print_of(self, tensor: torch.Tensor) -> bool:
        if isinstance(self._print, torch.Tensor):
            return same_bits(self._print, tensor)
        return self._print == (bit_print(tensor) if self._is_exact else bit_sample(tensor))


def same_numbers(numbers: list[Any], tensor: torch.Tensor) -> bool:
    """Return whether a small tensor holds these numbers, told apart as their texts are.

    So NaN is the same as NaN, and zero is another number than minus zero.
    """
    now = exact_numbers(tensor.detach())
    if now == numbers:
        kind = type(now[0]) if now else float
        if kind is not complex and 0 not in now:
            return True
        if kind is float and array("d", now).tobytes() == array("d", numbers).tobytes():
            return True
    return tuple(map(repr, now)) == tuple(map(repr, numbers))
