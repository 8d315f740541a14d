"""What a hook changed around a module is told by the names that its arguments have in the hook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._view.steps.steps import Step, build_steps
from hookviz._view.text.message import render

Hook = Callable[..., Any]


class Pair(torch.nn.Module):
    """A module that is given two and gives two."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x * y, x + y


def told(register: str, hook: Hook) -> tuple[str, str]:
    """Return the row and the caption of a hook on a module with two inputs and two outputs."""
    pair = Pair()
    getattr(pair, register)(hook)
    x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    trace = hookviz.record(lambda: sum(pair(x, y)))
    steps = build_steps(trace.graph, trace.events)
    (step,) = (one for one in steps if "backward" in one.kind)
    return texts(step)


def texts(step: Step) -> tuple[str, str]:
    return render(step.line, "en"), render(step.caption, "en")


@pytest.mark.parametrize(
    ("register", "hook", "words"),
    [
        (
            "register_full_backward_hook",
            lambda module, given, left: tuple(grad * 2 for grad in given),
            "grad_input[0] 4 → 8; grad_input[1] 3 → 6",
        ),
        (
            "register_full_backward_hook",
            lambda module, given, left: (given[0], given[1] * 2),
            "grad_input[1] 3 → 6",
        ),
        (
            "register_full_backward_hook",
            lambda module, given, left: None,
            "grad_input[0] = 4; grad_input[1] = 3 unchanged",
        ),
        (
            "register_full_backward_pre_hook",
            lambda module, grads: (grads[0] * 10, grads[1]),
            "grad_output[0] 1 → 10",
        ),
    ],
)
def test_each_gradient_that_changed_has_the_name_of_the_argument(
    register: str, hook: Hook, words: str
) -> None:
    row, caption = told(register, hook)
    assert row.endswith(f": {words}")
    assert f": {words}." in caption


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_hook_of_the_old_kind_tells_all_that_it_changed() -> None:
    linear, x = torch.nn.Linear(1, 1), torch.ones(1, 1, requires_grad=True)
    torch.nn.init.constant_(linear.weight, 5.0)
    linear.register_backward_hook(lambda module, given, left: tuple(grad * 2 for grad in given))
    trace = hookviz.record(lambda: linear(x).sum())
    steps = build_steps(trace.graph, trace.events)
    (step,) = (one for one in steps if one.kind == "module_backward_hook")
    changes = "grad_input[0] [1] → [2]; grad_input[1] [[5]] → [[10]]; grad_input[2] [[1]] → [[2]]"
    for text in (*texts(step), trace.text()):
        assert changes in text
