"""Take a snapshot of a tensor: read once, copied as plain numbers, nothing kept alive."""

from __future__ import annotations

import functools
from typing import Literal

import torch

from hookviz.live.summarize import exact_texts, summarize
from hookviz.records import TensorSnapshot, TensorSummary

Keep = Literal["summary", "all"]

WHOLE_LIMIT = 64
"""Tensors with at most this many elements are kept whole."""


def take(tensor: torch.Tensor, *, keep: Keep = "summary") -> TensorSnapshot:
    """Describe the value that a tensor has now.

    Args:
        tensor: Any shape, dtype, device and layout. It is read, never changed or kept.
        keep: `"summary"` keeps up to 64 elements whole and summarizes larger tensors; `"all"`
            keeps every element.

    Returns:
        A snapshot that later changes of `tensor` cannot reach.
    """
    plain = tensor.detach()
    values: tuple[str, ...] | None = None
    summary: TensorSummary | None = None
    nnz: int | None = None
    note = ""
    layout = _name(plain.layout)
    try:
        if layout != "strided":
            nnz = int(plain._nnz()) if layout == "sparse_coo" else None
            plain = plain.to_dense()
        if plain.numel() <= WHOLE_LIMIT or keep == "all":
            values = exact_texts(plain)
        else:
            summary = summarize(plain)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        # A meta tensor or an exotic layout has no readable numbers; its shape is still true.
        note = str(error).splitlines()[0]
    return TensorSnapshot(
        shape=tuple(tensor.shape),
        dtype=_name(tensor.dtype),
        device=str(tensor.device),
        layout=layout,
        values=values,
        summary=summary,
        nnz=nnz,
        note=note,
    )


@functools.lru_cache(maxsize=64)
def _name(kind: object) -> str:
    return str(kind).removeprefix("torch.")
