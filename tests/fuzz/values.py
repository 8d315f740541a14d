"""Turn tensors and snapshots of tensors into plain data that can be compared."""

from __future__ import annotations

import math
from collections import deque
from itertools import zip_longest
from typing import Any

import torch
from torch.autograd.graph import Node, get_gradient_edge

from hookviz._records import TensorSnapshot
from tests.identity import entries

WHOLE = 64


def copy(tensor: torch.Tensor | None) -> torch.Tensor | None:
    """Return a copy that no later change reaches."""
    return None if tensor is None else tensor.detach().clone()


def bits(tensor: torch.Tensor | None) -> Any:
    """Return what is equal for two tensors exactly when every bit of them is."""
    if tensor is None:
        return None
    numbers = tensor.detach().numpy()
    return (numbers.dtype.name, numbers.shape, numbers.tobytes())


def numbers(tensor: torch.Tensor | None) -> Any:
    """Return every number of a tensor; NaN is NaN, whatever its bits."""
    if tensor is None:
        return None
    return (tensor.dtype, tensor.shape, list(map(repr, tensor.detach().flatten().tolist())))


def shown(tensor: torch.Tensor | None) -> Any:
    """Return what a snapshot of this tensor has to say of it."""
    if tensor is None:
        return None
    kind = (tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
    numbers = tensor.detach().flatten().tolist()
    if len(numbers) <= WHOLE:
        return (*kind, tuple(map(repr, numbers)))
    nan = sum(number != number for number in numbers)
    finite = [number for number in numbers if math.isfinite(number)]
    infinite = len(numbers) - len(finite) - nan
    ends = (min(finite), max(finite)) if finite else ("", "")
    return (*kind, nan, infinite, finite.count(0), ends)


def told(snapshot: TensorSnapshot | tuple[Any, ...] | None) -> Any:
    """Return what a snapshot, or a tuple of them, says, in the words of `shown`."""
    if snapshot is None:
        return None
    if isinstance(snapshot, tuple):
        return tuple(map(told, snapshot))
    kind = (snapshot.shape, snapshot.dtype)
    if snapshot.values is not None:
        return (*kind, snapshot.values)
    summary = snapshot.summary
    ends = (summary.minimum, summary.maximum)
    counts = (summary.nan_count, summary.inf_count, summary.zero_count)
    return (*kind, *counts, tuple(map(float, ends)) if summary.minimum else ends)


def strides(tensor: torch.Tensor | None) -> Any:
    """Return how a tensor lies in memory; the stride of a single element means nothing."""
    if tensor is None:
        return None
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return [step for size, step in steps if size != 1] if tensor.numel() > 1 else []


def edge(tensor: torch.Tensor) -> tuple[Node, int] | None:
    """Return where the gradient of a tensor arrives, if it has one."""
    try:
        if not tensor.requires_grad or not (tensor.is_leaf or tensor.grad_fn):
            return None
    except RuntimeError:  # one of several views of a tensor that was changed in place
        return None
    found = get_gradient_edge(tensor)
    return (found.node, found.output_nr)


def kept_grad(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return `.grad`; where PyTorch keeps none, reading it would only warn."""
    return tensor.grad if edge(tensor) and (tensor.is_leaf or tensor.retains_grad) else None


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


def leaves_behind(root: torch.Tensor) -> list[torch.Tensor]:
    """Return the leaves of a graph in the order of the walk."""
    return [node.variable for node in walk(root) if hasattr(node, "variable")]


def same(what: str, found: Any, expected: Any) -> None:
    """Assert that two things are equal, and say where lists of them begin to differ."""
    if found == expected:
        return
    if isinstance(found, list) and isinstance(expected, list):
        pairs = enumerate(zip_longest(found, expected, fillvalue="nothing"))
        place, (found, expected) = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
        what += f"[{place}]"
    raise AssertionError(f"{what}\n    is        {found!r}\n    should be {expected!r}")


def hooks_of(tensor: torch.Tensor) -> list[Any]:
    """Return each dictionary of hooks of a tensor: which one it is, and what stands in it."""
    kinds = (tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None))
    return [(id(hooks), entries(hooks)) for hooks in kinds]
