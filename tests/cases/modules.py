"""Modules that the tests of modules call, and ways to read what was recorded of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

import hookviz
from hookviz._live.values.arguments import of_output

KINDS = (
    "register_forward_pre_hook",
    "register_forward_hook",
    "register_full_backward_pre_hook",
    "register_full_backward_hook",
)


class Double(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.part = Double()

    def forward(self, x: Any) -> Any:
        return self.part(self.part(x) * 5)


class SumNet(nn.Module):
    def forward(self, a: Any, b: Any, c: Any) -> Any:
        d = a + b + c
        return d


def of(trace: hookviz.Trace, kind: str) -> list[Any]:
    """Return the events of a kind."""
    return [event for event in trace.events if event.kind == kind]


def values(arguments: Any) -> dict[str, Any]:
    """Return arguments or outputs as plain values by their paths."""
    return {a.path: a.snapshot.tolist() if a.snapshot else a.text for a in arguments}


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Return the tensors in nested containers."""
    return [item for _, item in of_output(value) if isinstance(item, torch.Tensor)]
