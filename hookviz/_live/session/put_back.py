"""Put `.grad`s, buffers and random generators back to their state of before a pass."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from typing import Any

import torch
from msgspec import Struct

from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.values.grads import read_grad


class _Grad(Struct, frozen=True):
    tensor: torch.Tensor
    grad: torch.Tensor | None
    copy: torch.Tensor | None


class KeptNumbers:
    """The numbers in a tensor at one moment, to be written back into the very same memory.

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
    """The `.grad` of some tensors at one moment: the object, and its numbers."""

    def __init__(self, owners: Iterable[LiveTensor]) -> None:
        self._kept = [_kept(owner.tensor) for owner in owners]

    def renewed(self, owners: Iterable[LiveTensor]) -> KeptGrads:
        """Return the same for the tensors of another graph; a tensor of both keeps its state."""
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


def _kept(tensor: torch.Tensor) -> _Grad:
    grad = read_grad(tensor)
    # The engine adds in place, so the object alone would not do.
    return _Grad(tensor, grad, None if grad is None else grad.detach().clone())


def _put_grad(tensor: torch.Tensor, grad: torch.Tensor | None) -> None:
    """Set `tensor.grad`, also to a gradient that Python may not set.

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


_Buffer = tuple[torch.Tensor, KeptNumbers]


class KeptBuffers:
    """The buffers of some modules at one moment (running statistics, say): objects and numbers."""

    def __init__(self) -> None:
        """Start with no module."""
        self._kept: dict[int, tuple[torch.nn.Module, dict[str, _Buffer]]] = {}

    def note(self, module: torch.nn.Module) -> None:
        """Take in the buffers of a module and of all modules in it, if they are not known yet."""
        for inner in module.modules():
            if id(inner) not in self._kept:
                self._kept[id(inner)] = (inner, _buffers(inner))

    def of_now(self) -> KeptBuffers:
        """Return the present state of the buffers of the same modules."""
        others = KeptBuffers()
        others._kept = {key: (module, _buffers(module)) for key, (module, _) in self._kept.items()}
        return others

    def restore(self) -> None:
        """Give every module the same buffers with the same numbers."""
        for module, buffers in self._kept.values():
            now = dict(module.named_buffers(recurse=False))
            for name, (tensor, numbers) in buffers.items():
                if now.get(name) is not tensor:
                    setattr(module, name, tensor)
                numbers.restore()


def _buffers(module: torch.nn.Module) -> dict[str, _Buffer]:
    return {
        name: (buffer, KeptNumbers(buffer))
        for name, buffer in module.named_buffers(recurse=False)
        # One that has no shape yet is given one by the first call, and stays as that leaves it.
        if not torch.nn.parameter.is_lazy(buffer)
    }


class RandomState:
    """The state of PyTorch's, Python's and NumPy's generators at one moment."""

    def __init__(self) -> None:
        """Take the present state."""
        self._torch = torch.get_rng_state()
        # Asking for the state of a device that nobody has used would start it.
        has_cuda = torch.cuda.is_available() and torch.cuda.is_initialized()
        self._cuda = torch.cuda.get_rng_state_all() if has_cuda else None
        self._python = random.getstate()
        numpy: Any = sys.modules.get("numpy")
        self._numpy = None if numpy is None else numpy.random.get_state()

    def restore(self) -> None:
        """Put it back."""
        torch.set_rng_state(self._torch)
        if self._cuda is not None:
            torch.cuda.set_rng_state_all(self._cuda)
        random.setstate(self._python)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)
