"""Take snapshots as a recording does."""

from __future__ import annotations

import torch

from hookviz._live.values.reading import read
from hookviz._parameters import Keep
from hookviz._records import TensorSnapshot


def take(tensor: torch.Tensor, *, keep: Keep = "summary") -> TensorSnapshot:
    """Return the snapshot of the value that a tensor has now."""
    return read(tensor, keep=keep).snapshot
