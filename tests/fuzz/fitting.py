"""Make tensors fit the operations of random graphs."""

from __future__ import annotations

from typing import Any

import torch


class NoMeaningError(Exception):
    """The operation has no meaning for these tensors; the instruction does nothing."""


def fit(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return `y` where it broadcasts with `x`, else its mean."""
    pairs = zip(reversed(x.shape), reversed(y.shape), strict=False)
    return y if all(m == n or 1 in (m, n) for m, n in pairs) else y.mean()


def like(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return `y` with the dtype of `x`."""
    return y.to(x.dtype)


def line(x: torch.Tensor) -> torch.Tensor:
    """Return `x` with at least one dimension."""
    return x if x.dim() else x.reshape(1)


def matrix(x: torch.Tensor) -> torch.Tensor:
    """Return `x` with two dimensions."""
    return x if x.dim() == 2 else x.reshape(-1, x.shape[-1] if x.dim() else 1)


def dim(x: torch.Tensor, n: int) -> int:
    """Return one of the dimensions of `x`."""
    return n % max(x.dim(), 1)


def places(x: torch.Tensor, n: int) -> torch.Tensor:
    """Return two places along the first dimension of `x`, sometimes the same one twice."""
    return torch.tensor([n, n // 2]) % max(len(line(x)), 1)


def partner(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return `y` as a matrix that `x` can be multiplied with, else `x` itself."""
    y = like(matrix(y), x)
    return y if y.shape[0] == matrix(x).shape[1] else matrix(x).T


def some(x: torch.Tensor) -> torch.Tensor:
    """Return `x` if it has elements; the gradient of an empty `cummax` is its input itself."""
    if x.numel() == 0:
        raise NoMeaningError
    return x


def own(x: torch.Tensor) -> torch.Tensor:
    """Return `x` if it may be changed in place.

    PyTorch 2.13 crashes in backward after a change of a second output that retains its gradient.
    """
    base = x if x._base is None else x._base
    if x.is_leaf or (base.retains_grad and base.output_nr > 0):
        raise NoMeaningError
    return x


def changed(x: torch.Tensor, part: Any, value: Any) -> torch.Tensor:
    """Assign to a part of `x`."""
    own(x)[part] = value
    return x


def mask(x: torch.Tensor, n: int) -> torch.Tensor:
    """Return a mask of the shape of `x`; which elements it takes does not depend on values."""
    return (torch.arange(x.numel()) % (n + 2) == 0).reshape(x.shape)


def image(x: torch.Tensor) -> torch.Tensor:
    """Return `x` as one image with one channel."""
    return matrix(x).reshape(1, 1, *matrix(x).shape)
