"""Follow gradients from sender to receiver, to see what no hook on the list explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import torch

from hookviz.live.graph import Slot
from hookviz.live.memory import equal_bits, shares_memory, storage_of
from hookviz.live.seen import Seen
from hookviz.live.summarize import sample
from hookviz.live.take import Keep, take
from hookviz.records import EdgeRecord, TensorSnapshot, Value


class Held:
    """A gradient under way, and what it was when it was sent.

    Where one sender serves a slot, the tensor itself is held: the engine holds it as well until
    the receiver runs. Where several do, the engine adds them up and lets them go; of a large
    gradient only a sample is held then, so that recording needs no memory of its own.
    """

    __slots__ = ("label", "sampled", "seen", "storage", "tensor")

    def __init__(
        self,
        tensor: torch.Tensor | None,
        snapshot: TensorSnapshot | None,
        label: str,
        *,
        is_one_of_several: bool,
    ) -> None:
        self.label = label
        self.tensor = tensor
        self.sampled: torch.Tensor | None = None
        self.storage = 0 if tensor is None else storage_of(tensor)
        self.seen = Seen(tensor, snapshot)
        if tensor is not None and is_one_of_several and _is_large(snapshot):
            self.tensor = None
            if tensor.layout == torch.strided:
                self.sampled = sample(tensor.detach()).clone()

    @property
    def snapshot(self) -> TensorSnapshot | None:
        """What was sent; `None` where nothing was."""
        return self.seen.snapshot


class Arrivals:
    """What has been sent to each slot and has not been used yet."""

    def __init__(self, senders: Mapping[Slot, int], *, keep: Keep) -> None:
        """Begin with nothing under way.

        Args:
            senders: How many edges lead to each slot; see `count_senders`.
            keep: See `take`.
        """
        self._keep = keep
        self._senders = senders
        self._waiting: dict[Slot, list[Held]] = {}

    def send(
        self, slot: Slot, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None, label: str
    ) -> None:
        """Note that a node sent this to a slot; several sendings add up."""
        several = self._senders.get(slot, 0) > 1
        held = Held(tensor, snapshot, label, is_one_of_several=several)
        self._waiting.setdefault(slot, []).append(held)

    def replace(
        self, slot: Slot, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None, label: str
    ) -> None:
        """Note that a hook has handed this on in place of all that had arrived."""
        self._waiting[slot] = [Held(tensor, snapshot, label, is_one_of_several=False)]

    def snapshot_of(self, slot: Slot, tensor: torch.Tensor | None) -> TensorSnapshot | None:
        """Return the snapshot of what arrives, the sender's own where it is the same memory."""
        if tensor is None:
            return None
        for held in self._waiting.get(slot, ()):
            if held.tensor is not None and held.seen.is_still(tensor):
                return held.snapshot
        return take(tensor, keep=self._keep)

    def unexplained(
        self, slot: Slot, tensor: torch.Tensor | None, snapshot: TensorSnapshot | None
    ) -> tuple[bool, Value]:
        """Return whether what arrives differs from what was sent, and what was sent."""
        waiting = self._waiting.get(slot)
        if waiting is None:
            return False, None  # sent by an engine run that was not recorded
        held = [one for one in waiting if one.snapshot is not None]
        if not held or tensor is None or snapshot is None:
            return bool(held) or tensor is not None, held[0].snapshot if held else None
        if len(held) == 1:
            return not _is_same(held[0], tensor, snapshot), held[0].snapshot
        return self._differs_from_sum(held, tensor, snapshot)

    def changed_in_place(self, tensor: torch.Tensor, *, but: Slot) -> tuple[str, ...]:
        """Renew what shares memory with a tensor that a hook has written to.

        Args:
            tensor: The hook's argument.
            but: The slot at which the hook runs; what waits there is that argument itself.

        Returns:
            The labels of the other waiting gradients whose values are other ones now.
        """
        reached: list[str] = []
        storage = storage_of(tensor)
        for slot, waiting in self._waiting.items():
            for held in waiting:
                if held.tensor is None:
                    if held.sampled is not None and held.storage == storage:
                        held.sampled = None  # what it is now cannot be told
                    continue
                if not shares_memory(held.tensor, tensor):
                    continue
                renewed = take(held.tensor, keep=self._keep)
                if renewed != held.snapshot and slot != but:
                    reached.append(held.label)
                held.seen = Seen(held.tensor, renewed)
        return tuple(reached)

    def use(self, slot: Slot) -> None:
        """Forget a slot whose node has now taken what arrived."""
        self._waiting.pop(slot, None)

    def _differs_from_sum(
        self, held: list[Held], tensor: torch.Tensor, snapshot: TensorSnapshot
    ) -> tuple[bool, Value]:
        parts = tuple(one.snapshot for one in held)
        tensors = [one.sampled if one.tensor is None else one.tensor for one in held]
        if any(part is None for part in tensors):
            return False, parts
        if _is_large(snapshot):
            # The sum of samples is the sample of the sum, bit for bit.
            if tensor.layout != torch.strided:
                return False, parts
            tensors = [
                one.sampled if one.tensor is None else sample(one.tensor.detach()) for one in held
            ]
            tensor = sample(tensor.detach())
        total = _sum([part for part in tensors if part is not None])
        if total is None:
            return False, parts
        if _is_large(snapshot):
            return not equal_bits(total, tensor), parts
        summed = take(total, keep=self._keep)
        return summed.values != snapshot.values, summed


def count_senders(edges: Iterable[EdgeRecord]) -> Mapping[Slot, int]:
    """Return how many edges lead to each slot."""
    return Counter((edge.target, edge.input_nr) for edge in edges)


def _is_large(snapshot: TensorSnapshot | None) -> bool:
    return snapshot is not None and snapshot.values is None


def _is_same(held: Held, tensor: torch.Tensor, snapshot: TensorSnapshot) -> bool:
    sent = held.snapshot
    if sent is snapshot or sent is None:
        return True
    if (sent.shape, sent.dtype) != (snapshot.shape, snapshot.dtype):
        return False
    if sent.values is not None and snapshot.values is not None:
        return sent.values == snapshot.values
    if held.tensor is None:
        return True
    if shares_memory(held.tensor, tensor):
        # Written to since: its bits of now say nothing of what was sent.
        return sent == snapshot
    return equal_bits(held.tensor, tensor)


def _sum(tensors: list[torch.Tensor]) -> torch.Tensor | None:
    """Add in the order of arrival, as the engine does; `None` where that cannot be repeated."""
    total = tensors[0]
    with torch.no_grad():
        for tensor in tensors[1:]:
            if tensor.shape != total.shape or tensor.layout != total.layout:
                return None
            total = total + tensor
    return total
