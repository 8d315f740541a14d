"""Describe the value of one tensor at one moment: whole when small, a summary when large."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

Number = float | int | bool | complex


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSummary:
    """What is kept of a tensor that is too large to keep whole.

    Attributes:
        minimum, maximum, mean, std, norm: Text of the number over the finite elements, such as
            `"0.5"`; `norm` is the Euclidean (L2) norm; `std` divides by the number of elements.
            Empty text when no element is finite or when the dtype has no order (complex).
        nan_count, inf_count, zero_count: How many elements are NaN, infinite (either sign), zero.
        histogram: How many elements of an evenly spread sample fall into each of the equally wide
            bins between `minimum` and `maximum`; empty when there is no range.
        histogram_count: How many elements the sample had; the whole tensor when it is not large.
        corner: The first rows and columns, as text, in row-major order.
        corner_shape: The shape of `corner`.
        grid: A picture of the last two dimensions: every n-th row and column, two hexadecimal
            digits per cell from `01` (`minimum`) to `ff` (`maximum`); `00` is not finite.
        grid_shape: Rows and columns of `grid`.
    """

    minimum: str
    maximum: str
    mean: str
    std: str
    norm: str
    nan_count: int
    inf_count: int
    zero_count: int
    histogram: tuple[int, ...] = ()
    histogram_count: int = 0
    corner: tuple[str, ...] = ()
    corner_shape: tuple[int, ...] = ()
    grid: str = ""
    grid_shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSnapshot:
    """The value of a tensor as it was at one moment; later changes of the tensor do not reach it.

    Attributes:
        shape: Sizes of the dimensions; `()` for a single number.
        dtype: Name without the `torch.` prefix, such as `"float32"`.
        device: Such as `"cpu"` or `"cuda:0"`.
        layout: Such as `"strided"` or `"sparse_coo"`.
        values: Every element in row-major order, as the exact text of a Python number (`"8.0"`,
            `"nan"`, `"(4-8j)"`), or `None` when the tensor was too large and `summary` stands
            for it. For a sparse tensor: the elements of its dense form.
        summary: Present exactly when `values` is not.
        nnz: Number of stored entries of a sparse tensor, duplicates counted; else `None`.
        note: Why neither values nor summary could be read (a meta tensor, say); else empty.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str = "cpu"
    layout: str = "strided"
    values: tuple[str, ...] | None = None
    summary: TensorSummary | None = None
    nnz: int | None = None
    note: str = ""

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def numbers(self) -> tuple[Number, ...]:
        """Return every element as a Python number, in row-major order.

        Raises:
            ValueError: If the tensor was too large to keep whole.
        """
        if self.values is None:
            raise ValueError(
                f"this {self.dtype} tensor of shape {list(self.shape)} was kept as a summary; "
                "record with keep='all' to keep every element"
            )
        return tuple(_parse_number(text, self.dtype) for text in self.values)

    def tolist(self) -> Any:
        """Return the elements as nested lists, or one number for shape `()`, like `Tensor.tolist`.

        Raises:
            ValueError: If the tensor was too large to keep whole.
        """
        return _nest(self.numbers(), self.shape)

    def item(self) -> Number:
        """Return the only element as a Python number, like `Tensor.item`.

        Raises:
            ValueError: If there is not exactly one element.
        """
        numbers = self.numbers()
        if len(numbers) != 1:
            raise ValueError(f"only one element can be converted, this snapshot has {len(numbers)}")
        return numbers[0]


def _parse_number(text: str, dtype: str) -> Number:
    if dtype == "bool":
        return text == "True"
    if dtype.startswith("complex"):
        return complex(text)
    if "int" in dtype and "." not in text:
        return int(text)
    return float(text)


def _nest(numbers: tuple[Number, ...], shape: tuple[int, ...]) -> Any:
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return list(numbers)
    size = math.prod(shape[1:])
    return [_nest(numbers[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]
