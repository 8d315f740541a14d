"""Describe a large tensor in a few numbers, in few passes over its memory."""

from __future__ import annotations

import math
from typing import Any

import torch

from hookviz.live.memory import distinct
from hookviz.live.moments import moments, standard_deviation
from hookviz.records import TensorSummary

HISTOGRAM_BINS = 24
SAMPLE = 4096
CORNER = 4
GRID = 16


def exact_texts(dense: torch.Tensor) -> tuple[str, ...]:
    """Return every element as the exact text of a Python number, in row-major order."""
    if dense.is_conj():
        dense = dense.resolve_conj()
    if dense.is_neg():
        dense = dense.resolve_neg()
    numbers = dense.reshape(-1).tolist() if dense.dim() else (dense.item(),)
    return tuple(map(repr, numbers))


def summarize(dense: torch.Tensor) -> TensorSummary:
    """Describe a large strided tensor.

    Args:
        dense: A strided tensor with at least one element. Integers and half precision are
            widened to float32 first, so that sums do not overflow.

    Returns:
        Its summary; see `TensorSummary` for units and for what a complex tensor lacks.
    """
    if dense.is_complex():
        return _summarize_complex(dense)
    elements, repeats = distinct(dense)
    found = moments(elements)
    counts: dict[str, Any] = {
        "nan_count": repeats * found.nan_count,
        "inf_count": repeats * found.inf_count,
        "zero_count": repeats * found.zero_count,
    }
    if found.count == 0:
        return TensorSummary(
            minimum="", maximum="", mean="", std="", norm="", **counts, **_corner(dense)
        )
    is_finite = found.count == elements.numel()
    low, high = found.minimum, found.maximum
    return TensorSummary(
        minimum=repr(low),
        maximum=repr(high),
        mean=repr(found.mean),
        std=repr(standard_deviation(elements, found)),
        norm=repr(math.sqrt(found.square * repeats)),
        **counts,
        **_corner(dense),
        **_pictures(dense, low, high, is_finite=is_finite),
    )


def sample(dense: torch.Tensor) -> torch.Tensor:
    """Return about 4096 elements at fixed, evenly spread places; the same for equal shapes."""
    flat = dense.reshape(-1) if dense.is_contiguous() else _strided_sample(dense)
    return flat[:: max(flat.numel() // SAMPLE, 1)]


def _strided_sample(dense: torch.Tensor) -> torch.Tensor:
    # `reshape` would copy all of it; thin out the longest dimensions first.
    while dense.numel() > 2 * SAMPLE and max(dense.shape) > 1:
        longest = max(range(dense.dim()), key=lambda d: dense.shape[d])
        step = min(dense.shape[longest], max(dense.numel() // SAMPLE, 2))
        index: list[Any] = [slice(None)] * dense.dim()
        index[longest] = slice(None, None, step)
        dense = dense[tuple(index)]
    return dense.reshape(-1)


def _corner(dense: torch.Tensor) -> dict[str, Any]:
    corner = dense[(0,) * max(dense.dim() - 2, 0) + (slice(CORNER),) * min(dense.dim(), 2)]
    return {"corner": exact_texts(corner), "corner_shape": tuple(corner.shape)}


def _pictures(dense: torch.Tensor, low: float, high: float, *, is_finite: bool) -> dict[str, Any]:
    if not (low < high and math.isfinite(high - low)):
        return {}
    sampled = sample(dense)
    # Bounds are given, so elements that are not finite fall outside and are not counted.
    counts = torch.histc(_widened(sampled), HISTOGRAM_BINS, low, high).tolist()
    grid = _widened(_thin(dense))
    levels = grid.sub(low).mul_(254 / (high - low)).add_(1.5)
    if not is_finite:
        levels = levels.clamp_(1, 255).masked_fill_(~torch.isfinite(grid), 0)
    return {
        "histogram": tuple(map(int, counts)),
        "histogram_count": sampled.numel(),
        "grid": bytes(levels.to(torch.uint8).reshape(-1).tolist()).hex(),
        "grid_shape": tuple(grid.shape),
    }


def _widened(few: torch.Tensor) -> torch.Tensor:
    return few if few.dtype in (torch.float32, torch.float64) else few.to(torch.float32)


def _thin(numbers: torch.Tensor) -> torch.Tensor:
    matrix = numbers[(0,) * max(numbers.dim() - 2, 0)]
    if matrix.dim() == 1:
        matrix = matrix.unsqueeze(0)
    rows, columns = (max(-(-size // GRID), 1) for size in matrix.shape)
    return matrix[::rows, ::columns]


def _summarize_complex(dense: torch.Tensor) -> TensorSummary:
    magnitude = dense.abs()
    mask = torch.isfinite(magnitude)
    finite = dense[mask]
    return TensorSummary(
        minimum="",
        maximum="",
        mean=repr(finite.mean().item()) if finite.numel() else "",
        std="",
        norm=repr(torch.linalg.vector_norm(magnitude[mask]).item()) if finite.numel() else "",
        nan_count=int(torch.isnan(dense).sum()),
        inf_count=int(torch.isinf(dense).sum()),
        zero_count=dense.numel() - int(torch.count_nonzero(dense)),
        **_corner(dense),
    )
