"""Custom `autograd.Function`s of random graphs, well and badly behaved."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function
from torch.utils.checkpoint import checkpoint

say = print
"""What a backward function prints is compared, so it is how these speak."""


class Double(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        say("doubling")
        return grad * 2


class Product(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, y = ctx.saved_tensors
        left = (grad * y).sum_to_size(x.shape) if ctx.needs_input_grad[0] else None
        return left, (grad * x).sum_to_size(y.shape) if ctx.needs_input_grad[1] else None


class FirstOnly(Product):
    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad.sum_to_size(ctx.saved_tensors[0].shape), None


class Nothing(Double):
    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> None:
        return None


class Parts(Function):
    """Two outputs; an unused one arrives as `None`."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2, x + 1

    @staticmethod
    def backward(ctx: Any, first: torch.Tensor | None, second: torch.Tensor | None) -> Any:
        if first is None or second is None:
            return second if first is None else first * 2
        return first * 2 + second


class Changing(Double):
    """Writes to the gradient that it is given, which the documentation forbids."""

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.mul_(3)


class InPlace(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad


class TooMany(Double):
    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad, grad


class OtherShape(Double):
    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad.new_ones(5, 4)


class Raising(Double):
    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        say("about to fail")
        raise ArithmeticError("this function has no gradient")


def checkpointed(x: torch.Tensor, y: torch.Tensor) -> Any:
    return checkpoint(lambda a, b: (a * b).tanh(), x, y, use_reentrant=False)
