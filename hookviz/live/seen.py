"""Keep a snapshot with enough of a mark to tell later whether it is still true."""

from __future__ import annotations

import torch

from hookviz.live import internals
from hookviz.live.memory import bit_print, bit_sample, storage_of
from hookviz.records import TensorSnapshot


class Seen:
    """A snapshot, and marks of the tensor: its memory, its version, and a print of its bits.

    The version alone would not do, because writing through `.data` or `.numpy()` is not counted.
    A small tensor needs no print: it is read again.
    """

    __slots__ = ("_mark", "_print", "_printed", "snapshot", "storage")

    def __init__(
        self,
        tensor: torch.Tensor | None,
        snapshot: TensorSnapshot | None,
        *,
        is_exact: bool = False,
    ) -> None:
        """Mark a tensor.

        Args:
            tensor: The tensor.
            snapshot: What it holds now.
            is_exact: Whether to print all bits of a large one, as is due where user code is about
                to get hold of it, and not only some.
        """
        self.snapshot = snapshot
        self.storage = 0 if tensor is None else storage_of(tensor)
        self._mark = _mark_of(tensor)
        self._printed = bit_print if is_exact else bit_sample
        is_large = snapshot is not None and snapshot.summary is not None
        self._print = self._printed(tensor) if tensor is not None and is_large else None

    def is_still(self, tensor: torch.Tensor | None) -> bool:
        """Return whether the snapshot is known to be what the tensor holds now."""
        if tensor is None or self.snapshot is None:
            return tensor is None and self.snapshot is None
        if self._print is None or self._mark != _mark_of(tensor):
            return False
        return self._print == self._printed(tensor)

    def has_value_of(self, tensor: torch.Tensor, snapshot: TensorSnapshot | None) -> bool:
        """Return whether a tensor holds the same numbers, `snapshot` being what it holds now.

        Two large tensors may differ and have the same summary; their bits tell.
        """
        if self._print is not None and self.snapshot is not None:
            is_exact = self._printed is bit_print
            is_alike = snapshot is not None and self.snapshot.dtype == snapshot.dtype
            is_same_print = is_alike and self._print == self._printed(tensor)
            return is_same_print and (is_exact or self.snapshot == snapshot)
        return self.snapshot == snapshot


def _mark_of(tensor: torch.Tensor | None) -> object:
    if tensor is None:
        return None
    storage = storage_of(tensor)
    if not storage:
        return object()  # no memory to tell it by: never the same
    offset = tensor.storage_offset()
    return (storage, offset, tensor.shape, tensor.stride(), internals.version(tensor))
