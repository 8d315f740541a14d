"""Describe a large tensor in a few numbers, in few passes over its memory."""

from __future__ import annotations

import math
from typing import Any

import torch

from hookviz.live.memory import distinct
from hookviz.records import TensorSummary

HISTOGRAM_BINS = 24
SAMPLE = 4096
CORNER = 4
GRID = 16

_EXACT_DTYPES = (torch.float32, torch.float64)
_PART = 1 << 18
"""How many elements are converted at a time, where that is needed."""

_GROUP = 8 * 250
"""Fewer than 256 bytes in each of eight lanes."""


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
    numbers = _widened(dense)
    nan_count = inf_count = 0
    finite, repeats = distinct(numbers)
    total = finite.numel()
    square = _square(finite)
    if not math.isfinite(square):
        nan_count = repeats * int(torch.isnan(finite).sum())
        inf_count = repeats * int(torch.isinf(finite).sum())
        finite = finite[torch.isfinite(finite)]
        square = _wide_square(finite)
    count = finite.numel()
    if count == 0:
        return TensorSummary(
            minimum="",
            maximum="",
            mean="",
            std="",
            norm="",
            nan_count=nan_count,
            inf_count=inf_count,
            zero_count=0,
            **_excerpts(dense, numbers, 0.0, 0.0, is_finite=False),
        )
    # Two passes, and yet a third of the time of `torch.aminmax` (tried on 2.13).
    low, high = finite.amin().item(), finite.amax().item()
    mean, std = _mean_and_std(finite, square)
    zeros = count - _count_nonzero(finite) if low <= 0 <= high else 0
    return TensorSummary(
        minimum=repr(low),
        maximum=repr(high),
        mean=repr(mean),
        std=repr(std),
        norm=repr(math.sqrt(square * repeats)),
        nan_count=nan_count,
        inf_count=inf_count,
        zero_count=zeros * repeats,
        **_excerpts(dense, numbers, low, high, is_finite=count == total),
    )


def _count_nonzero(numbers: torch.Tensor) -> int:
    """Count as `torch.count_nonzero` does, which is 60 times as slow where every other is zero.

    (Tried on 2.13: it branches on every element.) Here bytes of 0 and 1 are added up eight at a
    time, and in groups so small that no byte overflows.
    """
    if numbers.dim() != 1 or numbers.numel() < _GROUP:
        return int(torch.count_nonzero(numbers))
    total = 0
    for part in numbers.split(_PART):
        flags = part.bool()
        whole = flags.numel() // _GROUP * _GROUP
        words = flags[:whole].view(torch.int64).view(-1, _GROUP // 8).sum(1)
        total += int(words.view(torch.uint8).sum()) + int(flags[whole:].sum())
    return total


def _widened(dense: torch.Tensor) -> torch.Tensor:
    return dense if dense.dtype in _EXACT_DTYPES else dense.to(torch.float32)


def _square(numbers: torch.Tensor) -> float:
    """Return the sum of squares; the square of the L2 norm."""
    if numbers.dim() == 1 and numbers.is_contiguous():
        # Faster and more exact than a float32 `vector_norm`: 60000.0 for 40,000 times 300, where
        # that gives 59997.8 (tried on 2.13).
        square: float = torch.dot(numbers, numbers).item()
    else:
        square = torch.linalg.vector_norm(numbers).item() ** 2
    # Squares of very large and very small numbers leave the range of float32.
    return square if 1e-30 < square < math.inf else _wide_square(numbers)


def _wide_square(numbers: torch.Tensor) -> float:
    total = 0.0
    for part in numbers.reshape(-1).split(_PART):
        total += torch.linalg.vector_norm(part, dtype=torch.float64).item() ** 2
    return total


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


def _mean_and_std(finite: torch.Tensor, square: float) -> tuple[float, float]:
    count = finite.numel()
    mean = finite.sum().item() / count
    if not math.isfinite(mean):
        mean = sum(part.sum(dtype=torch.float64).item() for part in finite.split(_PART)) / count
    # The variance is the mean square less the squared mean, unless too few digits would be left.
    variance = square / count - mean * mean
    if variance > 0.1 * square / count:
        return mean, math.sqrt(variance)
    # Welford's method, in PyTorch: slower, and needs no copy.
    return mean, float(finite.std(correction=0))


def _excerpts(
    dense: torch.Tensor, numbers: torch.Tensor, low: float, high: float, *, is_finite: bool
) -> dict[str, Any]:
    corner = dense[(0,) * max(dense.dim() - 2, 0) + (slice(CORNER),) * min(dense.dim(), 2)]
    excerpts: dict[str, Any] = {
        "corner": exact_texts(corner),
        "corner_shape": tuple(corner.shape),
    }
    if not (low < high and math.isfinite(high - low)):
        return excerpts
    sampled = sample(numbers)
    # Bounds are given, so elements that are not finite fall outside and are not counted.
    counts = torch.histc(sampled, HISTOGRAM_BINS, low, high).tolist()
    excerpts["histogram"] = tuple(map(int, counts))
    excerpts["histogram_count"] = sampled.numel()
    grid = _thin(numbers)
    levels = grid.sub(low).mul_(254 / (high - low)).add_(1.5)
    if not is_finite:
        levels = levels.clamp_(1, 255).masked_fill_(~torch.isfinite(grid), 0)
    excerpts["grid"] = bytes(levels.to(torch.uint8).reshape(-1).tolist()).hex()
    excerpts["grid_shape"] = tuple(grid.shape)
    return excerpts


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
    corner = dense[(0,) * max(dense.dim() - 2, 0) + (slice(CORNER),) * min(dense.dim(), 2)]
    return TensorSummary(
        minimum="",
        maximum="",
        mean=repr(finite.mean().item()) if finite.numel() else "",
        std="",
        norm=repr(torch.linalg.vector_norm(magnitude[mask]).item()) if finite.numel() else "",
        nan_count=int(torch.isnan(dense).sum()),
        inf_count=int(torch.isinf(dense).sum()),
        zero_count=dense.numel() - int(torch.count_nonzero(dense)),
        corner=exact_texts(corner),
        corner_shape=tuple(corner.shape),
    )
