"""Hold the arguments of backward, and check them before the pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from msgspec import Struct
from msgspec.structs import replace

from hookviz.errors import GradientError, NoGradError, NotATensorError


class BackwardOptions(Struct, frozen=True, kw_only=True):
    """The arguments of `Tensor.backward`, with PyTorch's names and meanings.

    Attributes:
        gradient: The gradient of the root, of the root's shape; `None` for a real scalar root.
        inputs: Only these tensors get a `.grad`; `None` for all leaves.
        retain_graph: Whether the graph can be run again.
        create_graph: Whether the gradients get a graph of their own.
        gradient_is_default: Whether `gradient` is what PyTorch itself makes for a real scalar root.
    """

    gradient: torch.Tensor | None = None
    inputs: Sequence[torch.Tensor] | None = None
    retain_graph: bool = True
    create_graph: bool = False
    gradient_is_default: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments for `Tensor.backward`."""
        given: dict[str, Any] = {
            # PyTorch loads sympy before it takes a gradient, and not before it makes one itself.
            "gradient": None if self.gradient_is_default else self.gradient,
            "retain_graph": self.retain_graph,
            "create_graph": self.create_graph,
        }
        if self.inputs is not None:
            given["inputs"] = self.inputs
        return given


def check_inputs(inputs: Any) -> tuple[torch.Tensor, ...] | None:
    """Return the `inputs=` of backward as a tuple.

    Raises:
        NotATensorError: If it is neither a tensor nor a collection of tensors.
        NoGradError: If it is empty, or one of them requires no grad.
    """
    if inputs is None:
        return None
    if isinstance(inputs, torch.Tensor):
        inputs = (inputs,)
    if isinstance(inputs, str) or not isinstance(inputs, Iterable):
        raise NotATensorError(
            f"inputs= is of type {type(inputs).__name__}; it has to be a tensor or a list of "
            "tensors."
        )
    chosen = tuple(inputs)
    for place, tensor in enumerate(chosen):
        if not isinstance(tensor, torch.Tensor):
            raise NotATensorError(
                f"inputs[{place}] is of type {type(tensor).__name__}, not a tensor."
            )
        if not tensor.requires_grad:
            raise NoGradError(f"inputs[{place}] does not require grad, so it cannot get one.")
    if not chosen:
        raise NoGradError("inputs= is empty; leave it out to give every leaf its gradient.")
    return chosen


def with_gradient(root: torch.Tensor, options: BackwardOptions) -> BackwardOptions:
    """Fill in the gradient that PyTorch itself would start a scalar root with.

    Raises:
        GradientError: If it is missing for a root that needs one, or does not fit the root.
    """
    gradient = options.gradient
    if gradient is None:
        if root.numel() != 1 or root.is_complex():
            what = "is complex" if root.is_complex() else f"has shape {list(root.shape)}"
            raise GradientError(
                f"the root {what}; backward() can make the starting gradient only for one real "
                "number. Reduce it first, for example with .sum(), or pass gradient=, a tensor of "
                "the root's shape such as torch.ones_like(root)."
            )
        # The recorder compares this one with the one that PyTorch makes and that arrives.
        made = torch.ones_like(root, memory_format=torch.preserve_format).detach()
        return replace(options, gradient=made, gradient_is_default=True)
    if not isinstance(gradient, torch.Tensor):
        raise GradientError(
            f"gradient= is of type {type(gradient).__name__}; it has to be a tensor of the root's "
            f"shape {list(root.shape)}."
        )
    if gradient.is_complex() and not root.is_complex():
        raise GradientError(
            f"gradient= is {gradient.dtype}, the root is {root.dtype}; the gradient of a real "
            "root is real."
        )
    if gradient.shape != root.shape:
        raise GradientError(
            f"gradient= has shape {list(gradient.shape)}, the root has shape {list(root.shape)}; "
            "they have to be the same."
        )
    return options
