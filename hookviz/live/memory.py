"""Compare tensors by the memory they live in, and by their bits."""

from __future__ import annotations

import torch


def storage_of(tensor: torch.Tensor) -> int:
    """Return the address of a tensor's storage; 0 where it has none."""
    if tensor.layout != torch.strided:
        return 0
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):  # a wrapper without memory of its own
        return 0


def shares_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors live in one storage."""
    return one is other or storage_of(one) == storage_of(other) != 0


def equal_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors hold the same numbers; NaN counts as equal to NaN."""
    if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device:
        return False
    with torch.no_grad():
        one, other = (t.to_dense() if t.layout != torch.strided else t for t in (one, other))
        if torch.equal(one, other):
            return True
        return bool(((one == other) | (one.isnan() & other.isnan())).all())
