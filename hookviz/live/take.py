"""Take a snapshot of a tensor: read once, copied as plain numbers, nothing kept alive."""

from __future__ import annotations

import torch

from hookviz.live.reading import Keep, read
from hookviz.records import TensorSnapshot

__all__ = ["Keep", "take"]


def take(tensor: torch.Tensor, *, keep: Keep = "summary") -> TensorSnapshot:
    """Describe the value that a tensor has now.

    Args:
        tensor: Any shape, dtype, device and layout. It is read, never changed or kept.
        keep: `"summary"` keeps up to 64 elements whole and summarizes larger tensors; `"all"`
            keeps every element.

    Returns:
        A snapshot that later changes of `tensor` cannot reach.
    """
    return read(tensor, keep=keep).snapshot
