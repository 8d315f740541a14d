"""Describe a large tensor in a few numbers, in few passes over its memory."""

from __future__ import annotations

import math
from typing import Any

import torch
from msgspec import Struct

from hookviz._live.values.memory import distinct
from hookviz._live.values.moments import Moments, moments
from hookviz._records import TensorSummary

HISTOGRAM_BINS = 24
SAMPLE = 4096
CORNER = 4
GRID = 16


class Excerpt(Struct, frozen=True):
    """The numbers and copies that are taken of a large tensor while backward waits.

    Attributes:
        found: What was added up over the elements that lie in memory.
        elements: How many those are.
        repeats: How often each one counts.
        corner: A copy of the first rows and columns.
        sample: A copy of an evenly spread sample; `None` where no picture is drawn.
        grid: A copy of every n-th row and column; likewise.
    """

    found: Moments
    elements: int
    repeats: int
    corner: torch.Tensor
    sample: torch.Tensor | None
    grid: torch.Tensor | None

    @property
    def weight(self) -> int:
        """Bytes that the copies take."""
        parts = (self.corner, self.sample, self.grid)
        return sum(part.numel() * part.element_size() for part in parts if part is not None)

    def summary(self) -> TensorSummary:
        """Return the summary; see `TensorSummary` for units."""
        found, repeats = self.found, self.repeats
        numbers: tuple[str, ...] = ("",) * 5
        if found.count:
            norm = math.sqrt(found.square * repeats)
            known = (found.minimum, found.maximum, found.mean, found.deviation, norm)
            numbers = tuple(map(repr, known))
        minimum, maximum, mean, std, norm_text = numbers
        return TensorSummary(
            minimum=minimum,
            maximum=maximum,
            mean=mean,
            std=std,
            norm=norm_text,
            nan_count=repeats * found.nan_count,
            inf_count=repeats * found.inf_count,
            zero_count=repeats * found.zero_count,
            **_corner_text(self.corner),
            **self._pictures(),
        )

    def _pictures(self) -> dict[str, Any]:
        if self.sample is None or self.grid is None:
            return {}
        low, high = self.found.minimum, self.found.maximum
        # Bounds are given, so elements that are not finite fall outside and are not counted.
        counts = torch.histc(_widened(self.sample), HISTOGRAM_BINS, low, high).tolist()
        grid = _widened(self.grid)
        levels = grid.sub(low).mul_(254 / (high - low)).add_(1.5)
        if self.found.count < self.elements:
            levels = levels.clamp_(1, 255).masked_fill_(~torch.isfinite(grid), 0)
        return {
            "histogram": tuple(map(int, counts)),
            "histogram_count": self.sample.numel(),
            "grid": bytes(levels.to(torch.uint8).reshape(-1).tolist()).hex(),
            "grid_shape": tuple(grid.shape),
        }


def exact_numbers(dense: torch.Tensor) -> list[Any]:
    """Return every element as a Python number, in row-major order."""
    if dense.is_conj():
        dense = dense.resolve_conj()
    if dense.is_neg():
        dense = dense.resolve_neg()
    dimensions = dense.dim()
    if dimensions == 1:
        return dense.tolist()
    return dense.reshape(-1).tolist() if dimensions else [dense.item()]


def exact_texts(dense: torch.Tensor) -> tuple[str, ...]:
    """Return every element as the exact text of a Python number, in row-major order."""
    return tuple(map(repr, exact_numbers(dense)))


def excerpt(dense: torch.Tensor, *, known: Moments | None = None) -> Excerpt:
    """Read a large real tensor once, and keep copies of a few of its elements.

    Args:
        dense: A strided tensor with at least one element. Integers and half precision are
            widened to float32 first, so that sums do not overflow.
        known: What was found before, where another view of the same elements was read.
    """
    if dense.is_neg():
        dense = dense.resolve_neg()
    elements, repeats = distinct(dense)
    found = moments(elements) if known is None else known
    low, high = found.minimum, found.maximum
    has_pictures = low < high and math.isfinite(high - low)
    return Excerpt(
        found=found,
        elements=elements.numel(),
        repeats=repeats,
        corner=_corner(dense).clone(),
        sample=sample(dense).clone() if has_pictures else None,
        grid=_thin(dense).clone() if has_pictures else None,
    )


def summarize(dense: torch.Tensor) -> TensorSummary:
    """Describe a large strided tensor; see `TensorSummary` for what a complex one lacks."""
    return _summarize_complex(dense) if dense.is_complex() else excerpt(dense).summary()


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


def _corner(dense: torch.Tensor) -> torch.Tensor:
    # One view, where an index would make one for each dimension: of many tensors it is felt.
    sizes = tuple(min(size, CORNER) for size in dense.shape[-2:])
    return dense.as_strided(sizes, dense.stride()[-2:])


def _corner_text(corner: torch.Tensor) -> dict[str, Any]:
    return {"corner": exact_texts(corner), "corner_shape": tuple(corner.shape)}


def _widened(few: torch.Tensor) -> torch.Tensor:
    return few if few.dtype in (torch.float32, torch.float64) else few.to(torch.float32)


def _thin(dense: torch.Tensor) -> torch.Tensor:
    *_, height, width = (1, *dense.shape)
    *_, down, right = (0, *dense.stride())
    rows, columns = (max(-(-size // GRID), 1) for size in (height, width))
    return dense.as_strided(
        (-(-height // rows), -(-width // columns)), (down * rows, right * columns)
    )


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
        **_corner_text(_corner(dense.resolve_conj())),
    )
