from __future__ import annotations

import pytest
import torch

import hookviz
from hookviz._view.lookup.marks import marks_of
from hookviz._view.steps.steps import build_steps
from tests.view.example import second_example


def test_hooks_and_rewrites_of_the_example_are_marked() -> None:
    _, events = second_example()
    marked = {event.index: marks_of(event) for event in events if marks_of(event)}
    assert marked == {
        1: ("hook", "rewrite"),
        4: ("hook", "rewrite"),
        6: ("hook", "rewrite"),
        7: ("hook",),
    }


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("size", [1, 3, 5000])
def test_the_first_nan_is_where_plain_pytorch_has_it(bad: float, size: int) -> None:
    a = torch.ones(size, requires_grad=True)
    b = a * 2
    b.register_hook(lambda grad: grad * bad)
    trace = hookviz.record((b * 3).sum())
    first = next(event for event in trace.events if "nonfinite" in marks_of(event))
    assert (first.kind, first.tensor) == ("tensor_hook", "b")
    after = [marks_of(event) for event in trace.events if event.index > first.index]
    assert all("nonfinite" in marks for marks in after)


def test_a_complex_nan_counts() -> None:
    a = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    trace = hookviz.record((a * complex("nan")).abs().sum())
    assert "nonfinite" in marks_of(trace.events[-1])


def test_steps_carry_marks() -> None:
    graph, events = second_example()
    steps = build_steps(graph, events)
    assert [step.marks for step in steps] == [(), *map(marks_of, events)]
