"""Read `.grad` without warnings, and put it back to what it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from hookviz.live.graph import LiveTensor


def read_grad(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return `tensor.grad` where PyTorch keeps one.

    Reading it on a non-leaf that retains nothing is `None` and warns, so it is not read there.
    """
    try:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    except RuntimeError:
        return None  # a view whose base was changed in place meanwhile: it has no gradient


@dataclass(frozen=True, slots=True)
class _Kept:
    tensor: torch.Tensor
    grad: torch.Tensor | None
    copy: torch.Tensor | None


class KeptGrads:
    """The `.grad` of some tensors at one moment: which object it was, and what was in it."""

    def __init__(self, owners: Iterable[LiveTensor]) -> None:
        self._kept = []
        for owner in owners:
            grad = read_grad(owner.tensor)
            # The engine adds in place, so the object alone would not do.
            copy = None if grad is None else grad.detach().clone()
            self._kept.append(_Kept(owner.tensor, grad, copy))

    def restore(self) -> None:
        """Give every tensor its `.grad` of that moment, the same object with the same numbers."""
        with torch.no_grad():
            for kept in self._kept:
                if kept.grad is not None and kept.copy is not None:
                    kept.grad.copy_(kept.copy)
                if read_grad(kept.tensor) is not kept.grad:
                    kept.tensor.grad = kept.grad
