"""Follow gradients from sender to receiver, and find changes that no listed hook explains."""

from __future__ import annotations

import torch

from hookviz._live import internals
from hookviz._live.graph.tensors import Slot
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.memory import equal_bits, is_strided, shares_memory
from hookviz._live.values.reading import MaybeReading, RawValue, Reader, Reading
from hookviz._live.values.summarize import sample

Gradient = torch.Tensor | None


class Held(Seen):
    """One gradient under way: the tensor itself, which the engine holds as well, and its marks.

    Where the tensor itself arrives, its version and its bits tell whether it was changed; of
    another one that lies in the same memory nothing is known.
    """

    __slots__ = ("label", "tensor")

    def __init__(self, tensor: Gradient, reading: MaybeReading, label: str) -> None:
        self.label = label
        self.tensor = tensor
        super().__init__(tensor, reading)

    def _mark_of(self, tensor: torch.Tensor) -> object:
        return internals.version(tensor) if tensor is self.tensor else None


class HeldSum:
    """The sum of the gradients that several senders sent to one slot, in the order of arrival.

    The engine adds a second part to the first as soon as it arrives, so a later change of a part
    does not reach the sum. Of a large sum only a sample is held, so that recording needs no memory
    of its own: a sample of a sum is the sum of the samples, bit for bit.
    """

    __slots__ = ("parts", "total")

    def __init__(self, first: Held, second: Held) -> None:
        self.parts: tuple[MaybeReading, ...] = (first.reading, second.reading)
        self.total = _add(_excerpt(first), _excerpt(second))

    def add(self, part: Held) -> None:
        """Take in one more part."""
        self.parts = (*self.parts, part.reading)
        self.total = _add(self.total, _excerpt(part))


class Arrivals:
    """The gradients that were sent to each slot and not used yet."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._waiting: dict[Slot, Held | HeldSum] = {}

    def send(self, slot: Slot, tensor: Gradient, reading: MaybeReading, label: str) -> None:
        """Note that a node sent this to a slot; several sendings add up."""
        part, before = Held(tensor, reading, label), self._waiting.get(slot)
        if isinstance(before, HeldSum):
            if tensor is not None:
                before.add(part)
        elif before is None or before.tensor is None:
            self._waiting[slot] = part
        elif tensor is not None:
            self._waiting[slot] = HeldSum(before, part)

    def replace(self, slot: Slot, tensor: Gradient, reading: MaybeReading, label: str) -> None:
        """Note that a hook has handed this on in place of all that had arrived."""
        self._waiting[slot] = Held(tensor, reading, label)

    def arrived(self, slot: Slot, tensor: Gradient) -> tuple[MaybeReading, bool, RawValue]:
        """Return the reading of an arriving gradient, whether it differs, and the sent one."""
        held = self._waiting.get(slot)
        if tensor is None:
            reading = None
        elif isinstance(held, Held) and held.is_still(tensor):
            reading = held.reading  # the sender's own memory
        else:
            reading = self._reader.read(tensor)
        return reading, *self._unexplained(held, tensor, reading)

    def place_of(self, slot: Slot, tensor: Gradient) -> Slot:
        """Return the slot at which a hook of the tensor on `slot` was given this gradient.

        Mostly that one. After an in-place change of the shape only (`squeeze_`), a hook stays with
        the tensor and yet runs where the tensor was before: there this very memory waits, or,
        where several have sent, a sum that it is.
        """
        if tensor is None or _is_memory_of(self._waiting.get(slot), tensor):
            return slot
        for place, held in self._waiting.items():
            if _is_memory_of(held, tensor):
                return place
        if slot in self._waiting:
            return slot
        reading = self._reader.read(tensor)
        for place, held in self._waiting.items():
            if isinstance(held, HeldSum) and self._is_sum(held, tensor, reading):
                return place
        return slot

    def _unexplained(
        self, held: Held | HeldSum | None, tensor: Gradient, reading: MaybeReading
    ) -> tuple[bool, RawValue]:
        if held is None:
            return False, None  # sent by an engine run that was not recorded
        if isinstance(held, HeldSum):
            return self._differs_from_sum(held, tensor, reading)
        if held.reading is reading:
            return False, reading
        if held.tensor is None or tensor is None or reading is None:
            return held.tensor is not tensor, held.reading
        return not _is_same(held, tensor, reading), held.reading

    def changed_in_place(self, tensor: torch.Tensor, *, but: Slot) -> tuple[str, ...]:
        """Read the waiting gradients again that share memory with a tensor that a hook has changed.

        Args:
            tensor: The hook's argument.
            but: The slot at which the hook runs; what waits there is that argument itself.

        Returns:
            The labels of the other waiting gradients whose values are other ones now.
        """
        reached: list[str] = []
        for slot, held in list(self._waiting.items()):
            if not isinstance(held, Held) or held.tensor is None:
                continue
            if not shares_memory(held.tensor, tensor):
                continue
            renewed = self._reader.read(held.tensor)
            is_changed = not held.has_value_of(held.tensor, renewed)
            if is_changed and slot != but:
                reached.append(held.label)
            self._waiting[slot] = Held(held.tensor, renewed, held.label)
        return tuple(reached)

    def use(self, slot: Slot) -> Held | HeldSum | None:
        """Forget a slot whose node has taken its gradient; return the one that waited there."""
        return self._waiting.pop(slot, None)

    def _is_sum(self, held: HeldSum, tensor: torch.Tensor, reading: Reading) -> bool:
        first = held.parts[0]
        if held.total is None or first is None or first.shape != reading.shape:
            return False
        return not self._differs_from_sum(held, tensor, reading)[0]

    def _differs_from_sum(
        self, held: HeldSum, tensor: Gradient, reading: MaybeReading
    ) -> tuple[bool, RawValue]:
        if tensor is None or reading is None:
            return True, held.parts
        if held.total is None or tensor.layout != held.total.layout:
            return False, held.parts  # the sum could not be repeated
        if not reading.is_whole:
            return not equal_bits(held.total, sample(tensor.detach())), held.parts
        summed = self._reader.read(held.total)
        return summed.values != reading.values, summed


def _is_memory_of(held: Held | HeldSum | None, tensor: torch.Tensor) -> bool:
    if not isinstance(held, Held) or held.tensor is None:
        return False
    return held.tensor is tensor or (
        shares_memory(held.tensor, tensor)
        and held.tensor.shape == tensor.shape
        and held.tensor.storage_offset() == tensor.storage_offset()
    )


def _excerpt(held: Held) -> Gradient:
    """Return all of a small gradient, a sample of a large one."""
    if held.tensor is None or held.reading is None or held.reading.is_whole:
        return held.tensor
    return sample(held.tensor.detach()) if is_strided(held.tensor) else None


def _add(one: Gradient, other: Gradient) -> Gradient:
    if one is None or other is None:
        return None
    if one.is_nested or one.shape != other.shape or one.layout != other.layout:
        return None
    with torch.no_grad():
        return one.detach() + other.detach()


def _is_same(held: Held, tensor: torch.Tensor, reading: Reading) -> bool:
    sent = held.reading
    if sent is None or held.tensor is None:
        return True
    if (sent.shape, sent.dtype) != (reading.shape, reading.dtype):
        return False
    if sent.is_whole and reading.is_whole:
        return sent.values == reading.values
    if shares_memory(held.tensor, tensor):
        # Written to since: its bits of now say nothing of what was sent.
        return held.has_value_of(tensor, reading)
    return equal_bits(held.tensor, tensor)
