"""Watched compiled code warns as it does unwatched: the compiler reads nothing of hookviz's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz

Run = Callable[[], torch.Tensor]


def plainly(run: Run) -> None:
    run().backward()


def watched(run: Run) -> None:
    with hookviz.watch():
        run().backward()


WAYS: dict[str, Callable[[Run], Any]] = {
    "record": hookviz.record,
    "explore": hookviz.explore,
    "watch": watched,
}


def said_by(way: Callable[[Run], Any], shape: str) -> list[tuple[type[Warning], str]]:
    torch._dynamo.reset()
    # The compiler says some things once in a process.
    getattr(torch._dynamo.utils, "warn_once_cache", set()).clear()
    model, x = torch.nn.Linear(2, 2), torch.ones(1, 2)

    def broken(value: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return model(value) * 2

    compiled: Any = torch.compile(model if shape == "module" else broken, backend="eager")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        way(lambda: compiled(x).sum())
    return [(warning.category, str(warning.message)) for warning in caught]


@pytest.mark.parametrize("shape", ["module", "function with a break"])
@pytest.mark.parametrize("way", WAYS)
def test_compiled_code_warns_as_in_plain_pytorch(way: str, shape: str) -> None:
    assert said_by(WAYS[way], shape) == said_by(plainly, shape)
