"""Describe the value of one tensor at one moment: whole when small, a summary when large."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from hookviz._records.number import Number, number_text, parse_number
from hookviz._records.snapshot_text import place_facts, snapshot_text, summary_text
from hookviz._records.table import facts_html

if TYPE_CHECKING:
    import numpy as np

_NUMPY_TYPES = {"bfloat16": "float32", "complex32": "complex64"}
"""NumPy's type for one that NumPy lacks; it holds each of the numbers exactly."""


class TensorLike(Protocol):
    """Anything with a shape and elements: a tensor, an array, a snapshot."""

    @property
    def shape(self) -> Sequence[int]:
        """Sizes of the dimensions."""

    def tolist(self) -> Any:
        """Return the elements as nested lists."""


class TensorSummary(Struct, frozen=True, kw_only=True):
    """A few numbers that stand for a tensor that is too large to keep whole.

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

    def __repr__(self) -> str:
        return f"<summary {summary_text(self)}>"


class TensorSnapshot(Struct, frozen=True, kw_only=True):
    """The value of a tensor as it was at one moment; later changes of the tensor do not reach it.

    A tensor of at most 64 elements is kept whole, a larger one as a summary unless it was recorded
    with `keep="all"`. A snapshot converts as a tensor does: `float(snapshot)`, `int(snapshot)` (of
    one element), `snapshot.tolist()`, `numpy.asarray(snapshot)`. Unlike a tensor it is always
    true, also a zero: `if event.before` asks whether there is a value.

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

    Example:
        >>> a = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> hookviz.record((a * a).sum()).grad("a")
        float32[2]([2., 4.])
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
            ValueError: If the elements were not kept, as those of a large tensor.

        Example:
            >>> a = torch.ones(2, 2, requires_grad=True)
            >>> hookviz.record((a * 3).sum()).grad("a").numbers()
            (3.0, 3.0, 3.0, 3.0)
        """
        if self.values is None:
            raise ValueError(self._why_not_whole())
        return tuple(parse_number(text, self.dtype) for text in self.values)

    def tolist(self) -> Any:
        """Return the elements as nested lists, or one number for shape `()`, like `Tensor.tolist`.

        Raises:
            ValueError: If the elements were not kept, as those of a large tensor.

        Example:
            >>> a = torch.ones(2, 2, requires_grad=True)
            >>> hookviz.record((a * 3).sum()).grad("a").tolist()
            [[3.0, 3.0], [3.0, 3.0]]
        """
        return _nest(self.numbers(), self.shape)

    def item(self) -> Number:
        """Return the only element as a Python number, like `Tensor.item`.

        Raises:
            ValueError: If there is not exactly one element.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).grad("a").item()
            3.0
        """
        numbers = self.numbers()
        if len(numbers) != 1:
            raise ValueError(f"only one element can be converted, this snapshot has {len(numbers)}")
        return numbers[0]

    def numpy(self) -> "np.ndarray[Any, Any]":
        """Return the elements as a new NumPy array, like `Tensor.numpy`.

        Returns:
            An array of the same shape and type. For `bfloat16` and the 8-bit floating-point types,
            which NumPy lacks, the type is `float32`; for `complex32` it is `complex64`.

        Raises:
            ValueError: If the elements were not kept, as those of a large tensor.

        Example:
            >>> a = torch.tensor([1.0, 2.0], requires_grad=True)
            >>> hookviz.record((a * a).sum()).grad("a").numpy()
            array([2., 4.], dtype=float32)
        """
        return self.__array__()

    def equal(self, other: TensorLike) -> bool:
        """Return whether a tensor has the same shape and the same elements, like `torch.equal`.

        The elements are compared exactly; the types may differ, and NaN equals nothing.

        Args:
            other: A tensor, an array or another snapshot.

        Raises:
            ValueError: If the elements were not kept, as those of a large tensor.
            TypeError: If `other` has no shape and no elements, as a number has none.

        Example:
            >>> a = torch.tensor([1.0, 2.0], requires_grad=True)
            >>> hookviz.record((a * a).sum()).grad("a").equal(a.grad)
            True
        """
        if not hasattr(other, "shape") or not hasattr(other, "tolist"):
            raise TypeError(
                f"equal() takes a tensor, and was given something of type {type(other).__name__}; "
                "to compare one number, write float(snapshot) == number"
            )
        if tuple(other.shape) != self.shape:
            return False
        dense = getattr(other, "to_dense", None)
        return bool(self.tolist() == (dense() if callable(dense) else other).tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> "np.ndarray[Any, Any]":  # noqa: FBT001 - NumPy's protocol
        import numpy as np

        if copy is False:
            raise ValueError("a snapshot keeps no array, so numpy has to make a new one")
        numbers = np.array(self.numbers(), dtype=self._numpy_type())
        array = numbers.reshape(self.shape)
        return array if dtype is None else array.astype(dtype)

    def _numpy_type(self) -> str | None:
        if self.dtype.startswith(("float8", "float4")):
            return "float32"
        known = self.dtype.startswith(("float", "int", "uint", "bool", "complex"))
        return _NUMPY_TYPES.get(self.dtype, self.dtype if known else None)

    def _why_not_whole(self) -> str:
        what = f"this {self.dtype} tensor of shape {list(self.shape)}"
        if self.note:
            return f"{what} could not be read: {self.note}"
        state = "was not read" if self.summary is None else "was kept as a summary"
        return f'{what} {state}; hookviz.record(..., keep="all") keeps every element'

    def __float__(self) -> float:
        return float(self._real())

    def __int__(self) -> int:
        return int(self._real())

    def __complex__(self) -> complex:
        return complex(self.item())

    def _real(self) -> float | int:
        number = self.item()
        if isinstance(number, complex):
            raise TypeError(f"{number} is complex; write complex(snapshot) or snapshot.item()")
        return number

    def __repr__(self) -> str:
        return snapshot_text(self)

    def _repr_html_(self) -> str | None:
        summary = self.summary
        if summary is None:
            return None  # the text says it all
        numbers = ("norm", "minimum", "maximum", "mean", "std")
        counts = {"NaN": summary.nan_count, "infinite": summary.inf_count}
        texts = {name: getattr(summary, name) for name in numbers}
        facts = {name: number_text(float(text)) if text else "" for name, text in texts.items()}
        facts |= {name: f"{count:,}" if count else "" for name, count in counts.items()}
        title = ", ".join([f"{self.dtype}{list(self.shape)}", *place_facts(self)])
        return facts_html(title, {**facts, "zero": f"{summary.zero_count:,}"})


def _nest(numbers: tuple[Number, ...], shape: tuple[int, ...]) -> Any:
    if not shape:
        return numbers[0]
    if len(shape) == 1:
        return list(numbers)
    size = math.prod(shape[1:])
    return [_nest(numbers[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]
