"""Read `.grad` without a warning."""

from __future__ import annotations

import torch


def read_grad(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return `tensor.grad` where PyTorch keeps one.

    Reading it on a non-leaf that retains nothing is `None` and warns, so it is not read there.
    """
    try:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else None
    except RuntimeError:
        return None  # a view whose base was changed in place meanwhile: it has no gradient
