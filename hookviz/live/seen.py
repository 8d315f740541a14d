"""Keep a snapshot with enough of a mark to tell later whether it is still true."""

from __future__ import annotations

import math

import torch

from hookviz.live import internals
from hookviz.live.memory import storage_of
from hookviz.live.summarize import norm
from hookviz.records import TensorSnapshot

_SAME_NORM = 1e-6
"""Relative; threads may add up in another order, and the same numbers give another last digit."""


class Seen:
    """A snapshot, and marks of the tensor: its memory and its version.

    These alone would not do, because writing through `.data` or `.numpy()` is not counted; so the
    norm of a large tensor is looked at again, and a small one is read again.
    """

    __slots__ = ("_mark", "snapshot")

    def __init__(self, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None) -> None:
        self.snapshot = snapshot
        self._mark = _mark_of(tensor)

    def is_still(self, tensor: torch.Tensor | None) -> bool:
        """Return whether the snapshot is known to be what the tensor holds now."""
        if tensor is None or self.snapshot is None:
            return tensor is None and self.snapshot is None
        summary = self.snapshot.summary
        if summary is None or not summary.norm or self._mark != _mark_of(tensor):
            return False
        return math.isclose(float(summary.norm), norm(tensor.detach()), rel_tol=_SAME_NORM)


def _mark_of(tensor: torch.Tensor | None) -> object:
    if tensor is None:
        return None
    storage = storage_of(tensor)
    if not storage:
        return object()  # no memory to tell it by: never the same
    offset = tensor.storage_offset()
    return (storage, offset, tensor.shape, tensor.stride(), internals.version(tensor))
