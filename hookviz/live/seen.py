"""Keep a snapshot with enough of a mark to tell later whether it is still true."""

from __future__ import annotations

import torch

from hookviz.live import internals
from hookviz.live.memory import storage_of
from hookviz.records import TensorSnapshot


class Seen:
    """A snapshot, and enough to tell later whether the tensor is still what it was."""

    __slots__ = ("_mark", "snapshot")

    def __init__(self, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None) -> None:
        self.snapshot = snapshot
        self._mark = self._mark_of(tensor)

    def is_still(self, tensor: torch.Tensor | None) -> bool:
        """Return whether the snapshot is known to be what the tensor holds now."""
        # Writing through `.data` is not counted; a small tensor is cheap to read again.
        if self.snapshot is not None and self.snapshot.values is not None:
            return False
        return self._mark == self._mark_of(tensor)

    @staticmethod
    def _mark_of(tensor: torch.Tensor | None) -> object:
        if tensor is None:
            return None
        storage = storage_of(tensor)
        # No memory to tell it by: never the same.
        return (storage, tensor.shape, internals.version(tensor)) if storage else object()
