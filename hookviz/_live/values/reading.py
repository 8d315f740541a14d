"""Read a tensor while backward waits, and make its snapshot at the first look at the trace."""

from __future__ import annotations

import functools
from typing import Any, overload

import torch
from msgspec.structs import replace

from hookviz._live.values.memory import equal_bits, is_strided, place_of
from hookviz._live.values.moments import Moments
from hookviz._live.values.summarize import Excerpt, exact_numbers, excerpt, summarize
from hookviz._parameters import Keep
from hookviz._records import AnyEvent, Argument, TensorSnapshot, Value

WHOLE_LIMIT = 64
"""Tensors with at most this many elements are kept whole."""

COPIED_LIMIT = 64 * 1024
"""Tensors with at most this many elements are copied, and summarized when somebody looks."""

ROOM = 14 * 1024**2
"""Bytes that what is held of one pass may take; from there on a summary is made at once."""

ROOM_FOR_SUMS = 8 * 1024**2
"""How much of that is left to tensors too large to be copied; they take the longest to write."""

_WIDEST = 8
"""Bytes of the widest real number."""

_OVERHEAD = 1024
"""About what the objects around a copy take."""

_UNREADABLE = (RuntimeError, NotImplementedError, TypeError)
"""What PyTorch raises where a tensor has no numbers: a meta tensor, an exotic layout."""


class Reading:
    """The value of a tensor at one moment, in the form that was fastest to get.

    It holds plain numbers and copies, never the tensor itself, so later changes cannot reach it.
    Two readings are equal if their snapshots are.

    Attributes:
        shape, dtype: Those of the tensor.
    """

    __slots__ = ("_layout", "_raw", "_snapshot", "_where", "dtype", "shape")

    def __init__(self, tensor: torch.Tensor, raw: Any) -> None:
        """Take over what was read.

        Args:
            tensor: What it was read from; only asked for its kind.
            raw: A list of all elements, a copy, an excerpt, or the last fields of a snapshot.
        """
        # A nested tensor of the old kind has no shape, only how many there are in it.
        self.shape = tensor.shape if is_strided(tensor) else _shape(tensor)
        self.dtype = tensor.dtype
        self._where = tensor.device
        self._layout = tensor.layout
        self._raw = raw
        self._snapshot: TensorSnapshot | None = None

    @property
    def is_whole(self) -> bool:
        """Whether every element is known, so that the snapshot has `values`."""
        return type(self._raw) is list or self._has("values")

    @property
    def is_large(self) -> bool:
        """Whether the snapshot has a `summary`."""
        return type(self._raw) is not list and (
            isinstance(self._raw, torch.Tensor | Excerpt) or self._has("summary")
        )

    def _has(self, field: str) -> bool:
        if self._snapshot is not None:
            return getattr(self._snapshot, field) is not None
        return type(self._raw) is dict and field in self._raw

    @property
    def weight(self) -> int:
        """Bytes that it holds until the snapshot is made, beside its numbers."""
        raw = self._raw
        if type(raw) is torch.Tensor:
            # Of one that is expanded, less lies in memory: it counts for more than it takes.
            return raw.numel() * raw.element_size() + _OVERHEAD
        return raw.weight + 3 * _OVERHEAD if type(raw) is Excerpt else 0

    @property
    def found(self) -> Moments | None:
        """What was added up over the elements that lie in memory, while that is at hand."""
        return self._raw.found if type(self._raw) is Excerpt else None

    @property
    def copy(self) -> torch.Tensor | None:
        """A copy of the tensor, while that is at hand."""
        return self._raw if type(self._raw) is torch.Tensor else None

    @property
    def numbers(self) -> list[Any] | None:
        """All elements as Python numbers, where they were read as such."""
        return self._raw if type(self._raw) is list else None

    @property
    def snapshot(self) -> TensorSnapshot:
        """The plain record of it; copies that it was made of are let go."""
        if self._snapshot is None:
            raw = self._raw
            self._snapshot = TensorSnapshot(
                shape=tuple(self.shape),
                dtype=_name(self.dtype),
                device=_name(self._where),
                layout=_name(self._layout),
                **_fields(raw),
            )
            if type(raw) is not list:
                self._raw = None
        return self._snapshot

    @property
    def values(self) -> tuple[str, ...] | None:
        """Every element as text; `None` where not every one is known."""
        return self.snapshot.values if self.is_whole else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Reading) and self.snapshot == other.snapshot

    __hash__ = None  # type: ignore[assignment]  # it is compared by what it says


MaybeReading = Reading | None
"""What a gradient held; `None` for no gradient."""

RawValue = MaybeReading | tuple[MaybeReading, ...]
"""A gradient, or one for each slot or edge, before the snapshots are made (see `Value`)."""


@overload
def pending(value: MaybeReading) -> TensorSnapshot | None: ...
@overload
def pending(value: tuple[MaybeReading, ...]) -> tuple[TensorSnapshot | None, ...]: ...
@overload
def pending(value: RawValue) -> Value: ...
def pending(value: Any) -> Any:
    """Return a reading as it is, to stand in an event where `finished_event` puts its snapshot.

    This is the one place in which the type checker is told otherwise: an event that is made while
    backward waits holds readings, and all who see events get finished ones.
    """
    return value


class Reader:
    """Read the tensors of one pass, and keep the memory of their readings small.

    Attributes:
        keep: See `Keep`.
        reads_large: Whether to read tensors of more than `WHOLE_LIMIT` elements; else only what
            they are is known, their shape and dtype.
    """

    def __init__(self, keep: Keep, *, reads_large: bool = True) -> None:
        self.keep: Keep = keep
        self.reads_large = reads_large
        self._room = ROOM

    def read(self, tensor: torch.Tensor, *, found: Moments | None = None) -> Reading:
        """Read the value that a tensor has now; see `read`."""
        if not self.reads_large and tensor.numel() > WHOLE_LIMIT:
            return Reading(tensor.detach(), {})
        room = (self._room - ROOM_FOR_SUMS) // _WIDEST
        most = COPIED_LIMIT if room > COPIED_LIMIT else room
        reading = read(tensor, keep=self.keep, found=found, most_copied=most)
        if reading.numbers is not None:
            return reading
        weight = reading.weight
        if weight > self._room:
            _ = reading.snapshot
        else:
            self._room -= weight
        return reading


def read(
    tensor: torch.Tensor,
    *,
    keep: Keep = "summary",
    found: Moments | None = None,
    most_copied: int = COPIED_LIMIT,
) -> Reading:
    """Read the value that a tensor has now.

    Args:
        tensor: Any shape, dtype, device and layout. It is read, never changed or kept.
        keep: See `Keep`.
        found: What was found in the very same elements, if that is known already.
        most_copied: A tensor with more elements is not copied.
    """
    is_plain = type(tensor) is torch.Tensor and not tensor.requires_grad
    plain = tensor if is_plain else tensor.detach()
    if not is_strided(plain) or type(plain) is not torch.Tensor:
        return Reading(tensor, _at_once(plain, keep=keep))
    count = plain.numel()
    try:
        if count <= WHOLE_LIMIT or keep == "all":
            return Reading(plain, exact_numbers(plain))
        if plain.dtype.is_complex or not place_of(plain):
            return Reading(plain, _at_once(plain, keep=keep))
        copy = _copied(plain) if count <= most_copied else None
        return Reading(plain, excerpt(plain, known=found) if copy is None else copy)
    except _UNREADABLE as error:
        return Reading(plain, _note(error))


def differ(
    one: torch.Tensor | None,
    one_reading: Reading | None,
    other: torch.Tensor | None,
    other_reading: Reading | None,
) -> bool:
    """Return whether two gradients differ in value; two large ones may have one summary."""
    if one is other:
        return False
    if one is None or other is None or one_reading is None or other_reading is None:
        return one is not other
    if one_reading.is_whole or other_reading.is_whole:
        return one_reading != other_reading
    return not equal_bits(one, other)


def finished_event(event: AnyEvent) -> AnyEvent:
    """Return an event with snapshots in the place of its readings."""
    fields = event.__struct_fields__
    return type(event)(**{name: _finished(getattr(event, name)) for name in fields})


def _finished(value: Any) -> Any:
    if type(value) is Reading:
        return value.snapshot
    if type(value) is Argument:
        return replace(value, snapshot=_finished(value.snapshot))
    return tuple(map(_finished, value)) if type(value) is tuple else value


def _copied(plain: torch.Tensor) -> torch.Tensor | None:
    """Return a copy that lies in memory as the tensor does, so that sums of it come out the same.

    `None` where PyTorch lays it out otherwise, which it does where there are gaps.
    """
    once = plain
    strides = plain.stride()
    if 0 in strides:
        for dimension, stride in enumerate(strides):
            if stride == 0:
                once = once.narrow(dimension, 0, 1)
    copy = once.clone()
    if copy.stride() != once.stride():
        return None
    return copy if once is plain else copy.expand(plain.shape)


def _shape(tensor: torch.Tensor) -> torch.Size:
    try:
        return tensor.shape
    except RuntimeError:
        return torch.Size((tensor.size(0),))


def _fields(raw: Any) -> dict[str, Any]:
    """Return the fields of a snapshot that tell the numbers."""
    if type(raw) is list:
        return {"values": tuple(map(repr, raw))}
    if type(raw) is dict:
        return raw
    try:
        return {"summary": raw.summary() if type(raw) is Excerpt else summarize(raw)}
    except _UNREADABLE as error:
        return _note(error)


def _at_once(plain: torch.Tensor, *, keep: Keep) -> dict[str, Any]:
    """Return the same for a tensor whose copy could not be read later as it can be now."""
    found: dict[str, Any] = {}
    try:
        if plain.layout != torch.strided:
            found["nnz"] = int(plain._nnz()) if plain.layout == torch.sparse_coo else None
            plain = plain.to_dense()
        if plain.numel() <= WHOLE_LIMIT or keep == "all":
            found["values"] = tuple(map(repr, exact_numbers(plain)))
        else:
            found["summary"] = summarize(plain)
    except _UNREADABLE as error:
        found |= _note(error)
    return found


def _note(error: Exception) -> dict[str, Any]:
    return {"note": (str(error).splitlines() or [type(error).__name__])[0]}


@functools.lru_cache(maxsize=256)
def _name(kind: object) -> str:
    return str(kind).removeprefix("torch.")
