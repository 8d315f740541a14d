"""Follow gradients from sender to receiver, to see what no hook on the list explains."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from hookviz.live import internals
from hookviz.live.graph import Slot
from hookviz.live.take import Keep, take
from hookviz.records import TensorSnapshot


@dataclass(slots=True)
class Held:
    """A gradient under way: the tensor itself (no copy), and what it was when it was sent."""

    tensor: torch.Tensor | None
    snapshot: TensorSnapshot | None
    label: str
    version: int = field(init=False)

    def __post_init__(self) -> None:
        self.version = -1 if self.tensor is None else internals.version(self.tensor)

    def is_unchanged(self, tensor: torch.Tensor | None) -> bool:
        """Return whether this very memory is meant, and nobody wrote to it since."""
        if self.tensor is None or tensor is None:
            return self.tensor is tensor
        return same_memory(self.tensor, tensor) and internals.version(tensor) == self.version


class Arrivals:
    """What has been sent to each slot and has not been used yet."""

    def __init__(self, *, keep: Keep) -> None:
        self._keep = keep
        self._waiting: dict[Slot, list[Held]] = {}

    def send(
        self, slot: Slot, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None, label: str
    ) -> None:
        """Note that a node sent this to a slot; several sendings add up."""
        self._waiting.setdefault(slot, []).append(Held(tensor, snapshot, label))

    def replace(
        self, slot: Slot, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None, label: str
    ) -> None:
        """Note that a hook has handed this on in place of all that had arrived."""
        self._waiting[slot] = [Held(tensor, snapshot, label)]

    def snapshot_of(self, slot: Slot, tensor: torch.Tensor | None) -> TensorSnapshot | None:
        """Return the snapshot of what arrives, the sender's own where it is the same memory."""
        if tensor is None:
            return None
        held = self._waiting.get(slot, ())
        if len(held) == 1 and held[0].is_unchanged(tensor):
            return held[0].snapshot
        return take(tensor, keep=self._keep)

    def unexplained(
        self, slot: Slot, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None
    ) -> tuple[bool, TensorSnapshot | None]:
        """Return whether what arrives differs from what was sent, and what was sent."""
        waiting = self._waiting.get(slot)
        if waiting is None:
            return False, None  # sent by an engine run that was not recorded
        held = [one for one in waiting if one.tensor is not None]
        if not held:
            return tensor is not None, None
        if tensor is None:
            return True, held[0].snapshot
        if len(held) == 1:
            one = held[0]
            if one.is_unchanged(tensor):
                return False, one.snapshot
            return not _same_value(one.tensor, one.snapshot, tensor, snapshot), one.snapshot
        total = _sum([one.tensor for one in held if one.tensor is not None])
        if total is None:
            return False, None
        summed = take(total, keep=self._keep)
        return not _same_value(total, summed, tensor, snapshot), summed

    def changed_in_place(self, tensor: torch.Tensor) -> tuple[str, ...]:
        """Renew what shares memory with a tensor that a hook has written to.

        Returns:
            The labels of the waiting gradients whose values are other ones now.
        """
        reached: list[str] = []
        for waiting in self._waiting.values():
            for held in waiting:
                if held.tensor is None or not shares_memory(held.tensor, tensor):
                    continue
                renewed = Held(held.tensor, take(held.tensor, keep=self._keep), held.label)
                if renewed.snapshot != held.snapshot:
                    reached.append(held.label)
                held.snapshot, held.version = renewed.snapshot, renewed.version
        return tuple(reached)

    def use(self, slot: Slot) -> None:
        """Forget a slot whose node has now taken what arrived."""
        self._waiting.pop(slot, None)


def same_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors are the same elements of the same storage."""
    if one is other:
        return True
    if one.layout != torch.strided or other.layout != torch.strided:
        return False
    return (
        one.data_ptr() == other.data_ptr()
        and one.shape == other.shape
        and one.stride() == other.stride()
        and one.dtype == other.dtype
    )


def shares_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors live in one storage."""
    if one is other:
        return True
    if one.layout != torch.strided or other.layout != torch.strided:
        return False
    return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() != 0


def _same_value(
    one: torch.Tensor | None,
    one_snapshot: TensorSnapshot | None,
    other: torch.Tensor,
    other_snapshot: TensorSnapshot | None,
) -> bool:
    if one_snapshot is not None and other_snapshot is not None:
        if (one_snapshot.shape, one_snapshot.dtype) != (other_snapshot.shape, other_snapshot.dtype):
            return False
        if one_snapshot.values is not None and other_snapshot.values is not None:
            return one_snapshot.values == other_snapshot.values
    return one is not None and equal_bits(one, other)


def equal_bits(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors hold the same numbers; NaN counts as equal to NaN."""
    if one.shape != other.shape or one.dtype != other.dtype or one.device != other.device:
        return False
    with torch.no_grad():
        one, other = (t.to_dense() if t.layout != torch.strided else t for t in (one, other))
        if torch.equal(one, other):
            return True
        return bool(((one == other) | (one.isnan() & other.isnan())).all())


def _sum(tensors: list[torch.Tensor]) -> torch.Tensor | None:
    """Add in the order of arrival, as the engine does; `None` where that cannot be repeated."""
    total = tensors[0]
    with torch.no_grad():
        for tensor in tensors[1:]:
            if tensor.layout != torch.strided or tensor.shape != total.shape:
                return None
            total = total + tensor
    return total
