"""Read `.grad` without warnings, and put it back to what it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.values.grads import read_grad


@dataclass(frozen=True, slots=True)
class _Kept:
    tensor: torch.Tensor
    grad: torch.Tensor | None
    copy: torch.Tensor | None


class KeptNumbers:
    """What is in a tensor at one moment, to be written back into the very same memory.

    Its memory as a whole is kept and not its elements: an expanded tensor stays expanded, and one
    that shares memory with another tensor goes on doing so, as in plain PyTorch.
    """

    def __init__(self, tensor: torch.Tensor | None) -> None:
        """Keep the numbers of a tensor, or of nothing."""
        self._tensor = tensor
        self._memory: torch.UntypedStorage | None = None
        self._copy: torch.Tensor | None = None
        if tensor is not None and tensor.layout == torch.strided:
            self._memory = tensor.detach().untyped_storage().clone()
        elif tensor is not None:
            self._copy = tensor.detach().clone()

    def restore(self) -> None:
        """Write the numbers back."""
        if self._tensor is None:
            return
        if self._memory is not None:
            self._tensor.detach().untyped_storage().copy_(self._memory)
        elif self._copy is not None:
            with torch.no_grad():
                self._tensor.detach().copy_(self._copy)


class KeptGrads:
    """The `.grad` of some tensors at one moment: which object it was, and what was in it."""

    def __init__(self, owners: Iterable[LiveTensor]) -> None:
        self._kept = [_kept(owner.tensor) for owner in owners]

    def renewed(self, owners: Iterable[LiveTensor]) -> KeptGrads:
        """Return the same for the tensors of another graph: what is known of a tensor stays."""
        known = {id(kept.tensor): kept for kept in self._kept}
        others = KeptGrads(())
        others._kept = [known.get(id(owner.tensor)) or _kept(owner.tensor) for owner in owners]
        return others

    def restore(self) -> None:
        """Give every tensor its `.grad` of that moment, the same object with the same numbers."""
        with torch.no_grad():
            for kept in self._kept:
                if kept.grad is not None and kept.copy is not None:
                    kept.grad.copy_(kept.copy)
                if read_grad(kept.tensor) is not kept.grad:
                    _put_grad(kept.tensor, kept.grad)


def _kept(tensor: torch.Tensor) -> _Kept:
    grad = read_grad(tensor)
    # The engine adds in place, so the object alone would not do.
    return _Kept(tensor, grad, None if grad is None else grad.detach().clone())


def _put_grad(tensor: torch.Tensor, grad: torch.Tensor | None) -> None:
    """Set `tensor.grad`, also to what only the engine may set otherwise.

    A tensor that was squeezed in place after `retain_grad()` gets a `.grad` of the shape that it
    had. From Python, PyTorch refuses that one; so the tensor has that shape for a moment, without
    its graph, its version or its memory being touched.
    """
    if grad is None or grad.shape == tensor.shape:
        tensor.grad = grad
        return
    plain = tensor.detach()
    tensor.data = plain.new_empty(grad.shape)
    try:
        tensor.grad = grad
    finally:
        tensor.data = plain
