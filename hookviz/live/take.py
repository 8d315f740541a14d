"""Take a snapshot of a tensor: read once, copied as plain numbers, nothing kept alive."""

from __future__ import annotations

import math
from typing import Any, Literal

import torch

from hookviz.records import TensorSnapshot, TensorSummary

Keep = Literal["summary", "all"]

WHOLE_LIMIT = 64
"""Tensors with at most this many elements are kept whole."""

HISTOGRAM_BINS = 24
CORNER = 4
GRID = 16


def take(tensor: torch.Tensor, *, keep: Keep = "summary") -> TensorSnapshot:
    """Describe the value that a tensor has now.

    Args:
        tensor: Any shape, dtype, device and layout. It is read, never changed or kept.
        keep: `"summary"` keeps up to 64 elements whole and summarizes larger tensors; `"all"`
            keeps every element.

    Returns:
        A snapshot that later changes of `tensor` cannot reach.
    """
    with torch.no_grad():
        plain = tensor.detach()
        shape = tuple(int(size) for size in plain.shape)
        dtype = str(plain.dtype).removeprefix("torch.")
        layout = str(plain.layout).removeprefix("torch.")
        nnz = int(plain._nnz()) if layout.startswith("sparse") else None
        values: tuple[str, ...] | None = None
        summary: TensorSummary | None = None
        note = ""
        try:
            dense = plain.to_dense() if plain.layout != torch.strided else plain
            if math.prod(shape) <= WHOLE_LIMIT or keep == "all":
                values = exact_texts(dense)
            else:
                summary = summarize(dense)
        except (RuntimeError, NotImplementedError, TypeError) as error:
            # A meta tensor or an exotic layout has no readable numbers; its shape is still true.
            note = str(error).splitlines()[0]
        return TensorSnapshot(
            shape=shape,
            dtype=dtype,
            device=str(plain.device),
            layout=layout,
            values=values,
            summary=summary,
            nnz=nnz,
            note=note,
        )


def exact_texts(dense: torch.Tensor) -> tuple[str, ...]:
    """Return every element as the exact text of a Python number, in row-major order."""
    flat = dense.resolve_conj().resolve_neg().reshape(-1).tolist()
    return tuple(repr(number) for number in flat)


def summarize(dense: torch.Tensor) -> TensorSummary:
    """Describe a large strided tensor in a few numbers.

    Args:
        dense: A strided tensor with at least one element. Integers and half precision are
            summed in float32 or wider, so that `mean` and `norm` do not overflow.

    Returns:
        Its summary; see `TensorSummary` for units and for what a complex tensor lacks.
    """
    corner = _corner(dense)
    corner_texts = exact_texts(corner)
    corner_shape = tuple(corner.shape)
    if dense.is_complex():
        magnitude = dense.abs()
        finite_mask = torch.isfinite(magnitude)
        norm = torch.linalg.vector_norm(magnitude[finite_mask]).item()
        return TensorSummary(
            minimum="",
            maximum="",
            mean=repr(dense[finite_mask].mean().item()) if bool(finite_mask.any()) else "",
            std="",
            norm=repr(norm),
            nan_count=int(torch.isnan(dense).sum()),
            inf_count=int(torch.isinf(dense).sum()),
            zero_count=int((dense == 0).sum()),
            corner=corner_texts,
            corner_shape=corner_shape,
        )
    numbers = dense if dense.dtype in (torch.float32, torch.float64) else dense.to(torch.float32)
    total = torch.linalg.vector_norm(numbers).item()
    nan_count = inf_count = 0
    if not math.isfinite(total):
        nan_count = int(torch.isnan(numbers).sum())
        inf_count = int(torch.isinf(numbers).sum())
        if nan_count or inf_count:
            numbers = numbers[torch.isfinite(numbers)]
            total = torch.linalg.vector_norm(numbers).item() if numbers.numel() else math.nan
    zero_count = int(numbers.numel() - torch.count_nonzero(numbers))
    empty = numbers.numel() == 0
    low, high = ("", "") if empty else (n.item() for n in torch.aminmax(numbers))
    histogram: tuple[int, ...] = ()
    if not empty and low != high:
        # `histc` knows float32 and float64 only, and counts on the CPU or the GPU alike.
        histogram = tuple(int(n) for n in torch.histc(numbers, HISTOGRAM_BINS).tolist())
    grid = _grid(dense)
    return TensorSummary(
        minimum="" if empty else repr(low),
        maximum="" if empty else repr(high),
        mean="" if empty else repr(numbers.mean().item()),
        std="" if empty else repr(numbers.std(correction=0).item()),
        norm="" if empty else repr(total),
        nan_count=nan_count,
        inf_count=inf_count,
        zero_count=zero_count,
        histogram=histogram,
        corner=corner_texts,
        corner_shape=corner_shape,
        grid=exact_texts(grid),
        grid_shape=tuple(grid.shape),
    )


def _corner(dense: torch.Tensor) -> torch.Tensor:
    index: list[Any] = [0] * max(dense.dim() - 2, 0)
    index += [slice(CORNER)] * min(dense.dim(), 2)
    return dense[tuple(index)]


def _grid(dense: torch.Tensor) -> torch.Tensor:
    matrix = dense[(0,) * max(dense.dim() - 2, 0)]
    if matrix.dim() == 1:
        matrix = matrix.unsqueeze(0)
    rows, columns = (min(size, GRID) for size in matrix.shape)
    pooled = torch.nn.functional.adaptive_avg_pool2d(
        matrix.to(torch.float32)[None, None], (rows, columns)
    )
    return pooled[0, 0]
