"""Keep the last reading of each `.grad`, and know which of them lie in one memory."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.grads import read_grad
from hookviz._live.values.memory import storage_of
from hookviz._live.values.reading import MaybeReading, Reader


class KnownGrads:
    """The last reading of each `.grad`; it is read again only where it may have changed."""

    def __init__(
        self, tensors: Iterable[LiveTensor], grads: Iterable[MaybeReading], reader: Reader
    ) -> None:
        self._reader = reader
        self._seen: dict[str, Seen] = {}
        self._in_storage: dict[int, dict[str, LiveTensor]] = {}
        self._storages: dict[str, int] = {}
        for grad, owner in zip(grads, tensors, strict=True):
            now = read_grad(owner.tensor)
            self.note(owner, now, Seen(now, grad))

    def last(self, owner: LiveTensor) -> MaybeReading:
        """Return the last reading of a tensor's `.grad`."""
        return self._seen[owner.id].reading

    def now(self, owner: LiveTensor) -> MaybeReading:
        """Return a reading of a tensor's `.grad` as it is now."""
        grad = read_grad(owner.tensor)
        seen = self._seen[owner.id]
        if not seen.is_still(grad):
            seen = Seen(grad, None if grad is None else self._reader.read(grad))
            self.note(owner, grad, seen)
        return seen.reading

    def note(self, owner: LiveTensor, grad: torch.Tensor | None, seen: Seen) -> None:
        """Remember a reading of a tensor's `.grad`."""
        self._seen[owner.id] = seen
        storage = 0 if grad is None else storage_of(grad)
        if storage:
            self._in_storage.setdefault(storage, {})[owner.id] = owner
        self._storages[owner.id] = storage

    def reached(self, changed: LiveTensor) -> tuple[str, ...]:
        """Look again at each `.grad` that shares memory with one that was changed in place.

        Returns:
            The labels of the tensors whose `.grad` is another one now.
        """
        storage = self._storages[changed.id]
        reached = []
        for owner in self._in_storage.get(storage, {}).values():
            if owner is changed or self._storages[owner.id] != storage:
                continue
            before = self.last(owner)
            if self.now(owner) != before:
                reached.append(owner.label)
        return tuple(reached)
