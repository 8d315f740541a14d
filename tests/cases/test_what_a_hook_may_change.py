"""Hooks that write to their argument: what is allowed, and what else it reaches."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.cases.forms import filled, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

IN_PLACE: dict[str, Callable[[torch.Tensor], Any]] = {
    "mul_": lambda grad: grad.mul_(10),
    "add_, no return": lambda grad: say(grad.add_(1) is grad),
    "zero_": lambda grad: grad.zero_(),
    "assignment": lambda grad: grad.__setitem__(..., 7.0),
    "out=": lambda grad: torch.mul(grad, 3, out=grad),
    "data": lambda grad: say(grad.data.mul_(10).shape),
    "numpy": lambda grad: grad.numpy().__imul__(10).sum() and None,
}
"""All of them change every element; the last two are not counted by PyTorch."""

any_in_place = pytest.mark.parametrize("change", IN_PLACE.values(), ids=IN_PLACE)


@any_in_place
@of_any_shape
def test_an_expanded_gradient_takes_some_in_place_changes_and_refuses_others(change, shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        c = a * 1
        c.register_hook(change)
        return {"loss": c.sum(), "a": a, "c": c}

    trace = compare(build)
    if trace.error is not None and "single memory location" in trace.error.message:
        assert trace.error.explanation == "error.expanded_gradient"
    elif trace.error is None:
        assert trace.of("c")[0].mutated


def exchange(grad: torch.Tensor) -> None:
    flat = grad.data.view(-1)
    flat[[33, 77]] = flat[[77, 33]].clone()


UNCOUNTED: dict[str, Callable[[torch.Tensor], Any]] = {
    "negated": lambda grad: say(grad.data.neg_().shape),
    "flipped": lambda grad: say(grad.data.copy_(grad.data.flip(0)).shape),
    "one element": lambda grad: grad.data.view(-1).__setitem__(77, 0.5),
    "last element": lambda grad: grad.numpy().reshape(-1).__setitem__(-1, 0.5),
    "a little": lambda grad: say(grad.data.mul_(1 + 2**-22).shape),
    "two exchanged": exchange,
}


@pytest.mark.parametrize("shape", [(100,), (10, 10), (9000,), (100, 90), (2, 60, 50)], ids=str)
@pytest.mark.parametrize("change", UNCOUNTED.values(), ids=UNCOUNTED)
@pytest.mark.parametrize("on", ["a", "c"])
def test_a_write_that_pytorch_does_not_count_is_seen_in_a_large_gradient(change, shape, on) -> None:
    def build() -> Tensors:
        a = filled(shape)
        c = a * 1
        tensors = {"loss": (c * c).sum(), "a": a, "c": c}
        tensors[on].register_hook(change)
        return tensors

    trace = compare(build)
    (event,) = [event for event in trace.of(on) if event.kind == "tensor_hook"]
    assert (event.mutated, event.rewritten, event.returned_none) == (True, True, True)


def test_whether_the_gradient_is_expanded_depends_on_the_operation_before() -> None:
    def build(reduce: Callable[[torch.Tensor], torch.Tensor]) -> Tensors:
        a = filled((2, 3))
        c = a * 1
        c.register_hook(lambda grad: grad.mul_(10))
        return {"loss": reduce(c), "a": a, "c": c}

    ends = {
        name: compare(functools.partial(build, getattr(torch, name))).error
        for name in ("sum", "mean", "prod", "norm")
    }
    assert {name: error and error.explanation for name, error in ends.items()} == {
        "sum": "error.expanded_gradient",
        "mean": None,
        "prod": None,
        "norm": None,
    }


def two_sides(shape: tuple[int, ...], hook: Any, on: str) -> Tensors:
    a, b = filled(shape), filled(shape)
    x, y = a * 1, b * 1
    s = x + y
    tensors = {"loss": (s * 3).sum(), "a": a, "b": b, "x": x, "y": y, "s": s}
    for name in "xys":
        tensors[name].retain_grad()
    tensors[on].register_hook(hook)
    return tensors


@any_in_place
@of_any_shape
def test_an_in_place_change_reaches_the_other_side_of_a_sum(change, shape) -> None:
    trace = compare(lambda: two_sides(shape, change, "y"))
    (event,) = [event for event in trace.of("y") if event.kind == "tensor_hook"]
    assert event.mutated
    assert event.rewritten
    (edge,) = [e.id for e in trace.graph.edges if e.target == trace.graph.find("x").node]
    assert event.reached == (edge,)
    assert trace.grad("a") == trace.grad("b") == trace.grad("x") == event.outgoing
    assert trace.grad("s") == event.incoming


@any_in_place
@of_any_shape
def test_an_in_place_change_on_the_side_that_runs_last_reaches_nothing(change, shape) -> None:
    trace = compare(lambda: two_sides(shape, change, "x"))
    (event,) = [event for event in trace.of("x") if event.kind == "tensor_hook"]
    assert event.mutated
    assert event.reached == ()
    assert trace.grad("b") == event.incoming
