"""The tensor scripts of the tutorials, and a plain-PyTorch run of any of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensors = dict[str, torch.Tensor]


def c_hook(grad: torch.Tensor) -> torch.Tensor:
    print("c_hook", grad)
    return grad + 2


def leaf(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    data: Any = values[0] if len(values) == 1 else list(values)
    return torch.tensor(data, dtype=dtype, requires_grad=True)


def first_example() -> Tensors:
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    c.register_hook(c_hook)
    c.register_hook(lambda grad: print("hello my grad is", grad))
    c.retain_grad()
    return {"c": c, "a": a, "b": b}


def second_example() -> Tensors:
    tensors = first_example()
    a, b, c = tensors["a"], tensors["b"], tensors["c"]
    d = leaf(4.0)
    d.register_hook(lambda grad: grad + 100)
    e = c * d
    e.register_hook(lambda grad: grad * 2)
    e.retain_grad()
    return {"e": e, "a": a, "b": b, "c": c, "d": d}


def without_hooks() -> Tensors:
    a, b, d = leaf(2.0), leaf(3.0), leaf(4.0)
    c = a * b
    c.retain_grad()
    e = c * d
    e.retain_grad()
    return {"e": e, "a": a, "b": b, "c": c, "d": d}


def plain_grads(build: Callable[[], Tensors], *, passes: int = 1) -> dict[str, Any]:
    """Run backward with plain PyTorch on a fresh graph; the first tensor is the root."""
    tensors = build()
    root = next(iter(tensors.values()))
    for _ in range(passes):
        root.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    return {name: grad_of(tensor) for name, tensor in tensors.items()}


def grad_of(tensor: torch.Tensor) -> Any:
    if not (tensor.is_leaf or tensor.retains_grad) or tensor.grad is None:
        return None
    return tensor.grad.tolist()
