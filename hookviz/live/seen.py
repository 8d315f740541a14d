"""Keep a snapshot with enough of a mark to tell later whether it is still true."""

from __future__ import annotations

import torch

from hookviz.live import internals
from hookviz.live.memory import storage_of
from hookviz.live.summarize import sample
from hookviz.records import TensorSnapshot


class Seen:
    """A snapshot, and marks of the tensor: its memory, its version, and a sample of large ones.

    The version alone would not do: writing through `.data` or `.numpy()` does not count.
    """

    __slots__ = ("_mark", "_sample", "snapshot")

    def __init__(self, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None) -> None:
        self.snapshot = snapshot
        self._mark = _mark_of(tensor)
        self._sample = None
        if tensor is not None and snapshot is not None and snapshot.summary is not None:
            self._sample = _sample_of(tensor)

    def is_still(self, tensor: torch.Tensor | None) -> bool:
        """Return whether the snapshot is known to be what the tensor holds now."""
        if tensor is None or self.snapshot is None:
            return tensor is None and self.snapshot is None
        if self.snapshot.values is not None or self._mark != _mark_of(tensor):
            return False  # a small tensor is cheap to read again
        now = _sample_of(tensor)
        if self._sample is None or now is None:
            return False
        return torch.equal(self._sample, now)


def _mark_of(tensor: torch.Tensor | None) -> object:
    if tensor is None:
        return None
    storage = storage_of(tensor)
    if not storage:
        return object()  # no memory to tell it by: never the same
    offset = tensor.storage_offset()
    return (storage, offset, tensor.shape, tensor.stride(), internals.version(tensor))


def _sample_of(tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.layout != torch.strided:
        return None
    # As raw bits where NaN would differ from itself.
    taken = sample(tensor.detach()).clone()
    return taken.view(torch.int32) if taken.dtype == torch.float32 else taken
