"""Turn tensors and snapshots of tensors into plain data that can be compared exactly."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from typing import Any

import torch
from torch.autograd.graph import Node, get_gradient_edge

from hookviz._records import TensorSnapshot

WHOLE = 64
CORNER = 4


def bits(tensor: torch.Tensor | None) -> Any:
    """Return what is equal for two tensors exactly when every bit of them is."""
    if tensor is None:
        return None
    plain = tensor.detach()
    kind = (str(plain.dtype), tuple(plain.shape), str(plain.layout), str(plain.device))
    if plain.layout == torch.sparse_coo:
        return (*kind, bits(plain._indices()), bits(plain._values()), plain.is_coalesced())
    if plain.layout != torch.strided:
        return (*kind, bits(plain.to_dense()))
    if plain.device.type == "meta":
        return kind
    flat = torch.empty(plain.numel(), dtype=plain.dtype).copy_(plain.flatten())
    return (*kind, flat.view(torch.uint8).numpy().tobytes())


def shown(tensor: torch.Tensor | None) -> Any:
    """Return what a snapshot of this tensor has to say of it."""
    if tensor is None:
        return None
    plain = tensor.detach()
    layout = str(plain.layout).removeprefix("torch.")
    kind = (tuple(plain.shape), str(plain.dtype).removeprefix("torch."), layout)
    stored = plain._nnz() if layout.startswith("sparse") else None
    if plain.device.type == "meta":
        return (*kind, stored, "unreadable")
    dense = plain.to_dense() if layout != "strided" else plain
    numbers = dense.resolve_conj().resolve_neg().flatten().tolist()
    if len(numbers) <= WHOLE:
        return (*kind, stored, tuple(map(repr, numbers)))
    nan = sum(number != number for number in numbers)
    zero = sum(number == 0 for number in numbers)
    if dense.is_complex():
        return (*kind, stored, nan, zero)
    finite = [float(number) for number in numbers if math.isfinite(number)]
    infinite = len(numbers) - len(finite) - nan
    ends = (_end(min(finite)), _end(max(finite))) if finite else ("", "")
    corner = dense[(0,) * (dense.dim() - 2) + (slice(CORNER),) * min(dense.dim(), 2)]
    texts = tuple(map(repr, corner.flatten().tolist()))
    return (*kind, stored, nan, infinite, zero, ends, texts)


def told(snapshot: TensorSnapshot | None) -> Any:
    """Return what a snapshot says, in the words of `shown`."""
    if snapshot is None:
        return None
    kind = (snapshot.shape, snapshot.dtype, snapshot.layout, snapshot.nnz)
    if snapshot.values is not None:
        return (*kind, snapshot.values)
    summary = snapshot.summary
    if summary is None:
        assert snapshot.note
        return (*kind, "unreadable")
    if snapshot.dtype.startswith("complex"):
        return (*kind, summary.nan_count, summary.zero_count)
    counts = (summary.nan_count, summary.inf_count, summary.zero_count)
    ends = [_end(float(text)) if text else "" for text in (summary.minimum, summary.maximum)]
    return (*kind, *counts, tuple(ends), summary.corner)


def _end(number: float) -> str:
    return repr(number + 0.0)  # which of two equal zeros is the smallest has no answer


def numbers(value: Any) -> Any:
    """Return a gradient of an event, or a tuple of them, as plain Python numbers."""
    if isinstance(value, tuple):
        return tuple(numbers(item) for item in value)
    return value.tolist() if isinstance(value, TensorSnapshot) else value


def walk(root: torch.Tensor) -> list[Node]:
    """Return the nodes behind a tensor, breadth first."""
    start = get_gradient_edge(root).node
    found = {start: None}
    queue = deque([start])
    while queue:
        for node, _ in queue.popleft().next_functions:
            if node is not None and node not in found:
                found[node] = None
                queue.append(node)
    return list(found)


def leaves_behind(root: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the leaves of a graph in the order of the walk."""
    for node in walk(root):
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            yield leaf


def kept_grad(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return `.grad`; where PyTorch keeps none, reading it would only warn."""
    return tensor.grad if tensor.is_leaf or tensor.retains_grad else None


def grad_facts(tensor: torch.Tensor) -> Any:
    """Return everything about a final `.grad`, its own graph included."""
    grad = kept_grad(tensor)
    if grad is None:
        return (tensor.retains_grad, None)
    graph = [node.name() for node in walk(grad)] if grad.requires_grad else []
    return (tensor.retains_grad, bits(grad), graph)
