"""Tensors with hooks that the loss does not depend on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from tests.cases.forms import filled, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

OFF_THE_PATH: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "other branch": lambda a: a * 5,
    "unused view": lambda a: a.view(-1),
    "temporary row": lambda a: a[0],
    "other result": lambda a: (a * 2).sum(),
    "fresh leaf": lambda a: torch.ones(2, requires_grad=True),
}


def with_unused(make: Callable[[torch.Tensor], torch.Tensor], shape: tuple[int, ...]) -> Tensors:
    a = filled(shape)
    unused = make(a)
    unused.register_hook(lambda grad: say("never", grad))
    unused.retain_grad()
    return {"loss": (a * 3).sum(), "a": a, "unused": unused}


def unreached_line(trace: hookviz.Trace, name: str) -> str:
    (line,) = [line for line in trace.text().splitlines() if line.split()[:1] == [name]]
    return line


@pytest.mark.parametrize("shape", [(3,), (2, 3), (10, 10)], ids=str)
@pytest.mark.parametrize("make", OFF_THE_PATH.values(), ids=OFF_THE_PATH)
def test_a_hook_off_the_path_never_fires_and_its_tensor_is_said_to_be_never_reached(
    make, shape
) -> None:
    trace = compare(lambda: with_unused(make, shape), passes=2)
    assert trace.of("unused") == ()
    assert trace.grad("unused") is None
    assert "never reached" in unreached_line(trace, "unused")
    assert "never reached" not in unreached_line(trace, "a")


@of_any_shape
def test_a_retained_gradient_of_before_stays_where_backward_never_comes(shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        a.register_hook(lambda grad: grad * 2)
        unused = a * 5
        unused.retain_grad()
        unused.sum().backward()
        return {"loss": (a * 3).sum(), "a": a, "unused": unused}

    trace = compare(build)
    assert trace.of("unused") == ()
    assert trace.grad("unused") is not None
    assert "never reached" in unreached_line(trace, "unused")


def test_a_hook_on_a_row_without_a_name_never_fires_and_harms_nothing() -> None:
    def build() -> Tensors:
        w = filled((2, 3))
        w[0].register_hook(lambda grad: say("never"))
        return {"loss": (w * 2).sum(), "w": w}

    trace = compare(build)
    assert not any(event.kind == "tensor_hook" for event in trace.events)
    assert trace.graph.find("w").hooks == ()


ROWS: dict[str, Any] = {
    "first": slice(0, 1),
    "last": -1,
    "column": (slice(None), 1),
    "element": (1, 2),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_row_is_hooked_through_the_whole_tensor_and_a_mask(row) -> None:
    def build() -> Tensors:
        w = filled((2, 3))
        mask = torch.zeros(2, 3)
        mask[row] = 1
        w.register_hook(lambda grad: torch.where(mask == 1, grad * 10, grad))
        return {"loss": (w * w).sum(), "w": w}

    trace = compare(build)
    (event,) = [event for event in trace.of("w") if event.kind == "tensor_hook"]
    before, after = (torch.tensor(value.tolist()) for value in (event.incoming, event.outgoing))
    changed = torch.zeros(2, 3, dtype=torch.bool)
    changed[row] = True
    assert torch.equal(before != after, changed)
