"""Hooks that act although no tensor shows them, and tensors whose hooks never act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz._records import Event
from hookviz._view.steps.steps import build_steps
from hookviz._view.text.message import render
from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_kind, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

Hook = Callable[[torch.Tensor], Any]


def times_100(grad: torch.Tensor) -> torch.Tensor:
    return grad * 100


def deleted(hook: Hook, shape: tuple[int, ...]) -> Tensors:
    a = filled(shape)
    y = a * 1
    y.register_hook(hook)
    loss = (y * 10).sum()
    del y
    return {"loss": loss, "a": a}


def overwritten(hook: Hook, shape: tuple[int, ...]) -> Tensors:
    a = filled(shape)
    b = a * 1
    b.register_hook(hook)
    b.mul_(5)
    return {"loss": (b * 2).sum(), "a": a, "b": b}


def saved_as_a_result(hook: Hook, shape: tuple[int, ...]) -> Tensors:
    a = filled(shape)
    y = torch.sigmoid(a)
    y.register_hook(hook)
    loss = (y * 10).sum()
    del y
    return {"loss": loss, "a": a}


WAYS = {"deleted": deleted, "overwritten": overwritten, "saved": saved_as_a_result}

in_any_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def hidden_events(trace: hookviz.Trace) -> list[Event]:
    return [event for event in trace.events if event.kind == "hidden_rewrite"]


@in_any_way
@of_any_kind
def test_a_hidden_hook_shows_at_its_node_as_what_was_sent_and_what_was_received(
    way, shape, form
) -> None:
    trace = compare(lambda: way(form(times_100), shape), hidden=2, passes=2)
    (hidden,) = hidden_events(trace)
    assert (hidden.tensor, hidden.slot, hidden.rewritten) == (None, 0, True)
    (edge,) = [edge for edge in trace.graph.edges if edge.target == hidden.node]
    nodes = {event.node: event for event in trace.events if event.kind == "node"}
    assert nodes[edge.source].outgoing[edge.source_index] == hidden.incoming
    assert nodes[hidden.node].incoming == (hidden.outgoing,)
    assert nodes[edge.source].index < hidden.index < nodes[hidden.node].index
    if hidden.incoming.values is not None:
        assert set(hidden.incoming.numbers()) == {10}
        assert set(hidden.outgoing.numbers()) == {1000}


LOOKING = {"copies": torch.clone, "none": lambda grad: None, "prints": lambda grad: say("seen")}


@in_any_way
@of_any_shape
@pytest.mark.parametrize("hook", LOOKING.values(), ids=LOOKING)
def test_a_hidden_hook_that_changes_nothing_gives_no_false_alarm(way, shape, hook) -> None:
    compare(lambda: way(hook, shape), passes=2)


@in_any_way
@of_any_shape
def test_a_hidden_hook_that_writes_to_its_argument_shows_too(way, shape) -> None:
    trace = compare(lambda: way(lambda grad: grad.mul_(100), shape), hidden=1)
    (hidden,) = hidden_events(trace)
    assert hidden.incoming != hidden.outgoing


def test_a_large_sum_that_a_hidden_hook_replaced_is_told_by_its_parts() -> None:
    def build() -> Tensors:
        a = filled((10, 10))
        y = a * 1
        y.register_hook(lambda grad: grad * 100)
        loss = (y * 2).sum() + (y * 5).sum()
        del y
        return {"loss": loss, "a": a}

    trace = compare(build, hidden=1)
    (line,) = [line for line in trace.text().splitlines() if "cannot be listed" in line]
    # 100 elements of 5, of 2, and of 700: the norm is ten times as large.
    parts = "float32 [10, 10] norm 50 and float32 [10, 10] norm 20"
    assert line.endswith(f"{parts} → float32 [10, 10] norm 7000 by a hook that cannot be listed")
    step = build_steps(trace.graph, trace.events)[hidden_events(trace)[0].index + 1]
    # The sum itself was not recorded: its kind is all that can be said of it.
    assert "the sum is [10, 10]." in render(step.caption, "en")


def test_what_a_hidden_hook_prints_stands_at_its_step() -> None:
    trace = compare(lambda: deleted(lambda grad: say("hidden") or grad + 1, (2,)), hidden=1)
    assert hidden_events(trace)[0].printed == "hidden\n"


@in_any_way
def test_a_hidden_hook_that_raises_is_not_laid_at_the_backward_function(way) -> None:
    trace = compare(lambda: way(boom, (2,)))
    assert trace.error is not None
    assert "from nowhere" in trace.error.traceback
    assert trace.error.explanation != "error.node_failed"


def boom(*_: Any) -> None:
    raise ValueError("from nowhere")


def hidden_on_another_output(first: torch.Tensor, second: torch.Tensor) -> None:
    second.register_hook(boom)


def on_the_node(first: torch.Tensor, second: torch.Tensor) -> None:
    first.grad_fn.register_prehook(boom)


@pytest.mark.parametrize("later", [hidden_on_another_output, on_the_node])
@pytest.mark.parametrize("hook", [torch.neg, torch.clone, lambda grad: None])
def test_an_error_just_after_a_hook_that_came_through_is_not_laid_at_that_hook(later, hook) -> None:
    def build() -> Tensors:
        x = filled((2,))
        first, second = x.unbind()
        first.register_hook(hook)
        later(first, second)
        loss = first * 2 + second
        del second
        return {"loss": loss, "x": x, "first": first}

    trace = compare(build)
    assert (trace.error.hook, trace.error.tensor) == (None, None)
    (event,) = [event for event in trace.of("first") if event.kind == "tensor_hook"]
    assert numbers(event.incoming) == 2
    assert trace.events[-1].kind == "error"


def test_a_hidden_hook_that_writes_shows_on_both_sides_of_a_sum() -> None:
    def build() -> Tensors:
        a, b = filled((3,)), filled((3,))
        x, y = a * 1, b * 1
        y.register_hook(lambda grad: grad.mul_(10))
        loss = ((x + y) * 3).sum()
        del y
        return {"loss": loss, "a": a, "b": b, "x": x}

    changes = [numbers((e.incoming, e.outgoing)) for e in hidden_events(compare(build, hidden=2))]
    assert changes == [([3] * 3, [30] * 3)] * 2


def test_several_hidden_hooks_show_as_one_difference() -> None:
    def build() -> Tensors:
        a = filled((3,))
        y = a * 1
        for factor in (2, 3, 5):
            y.register_hook(lambda grad, factor=factor: grad * factor)
        return {"loss": (y * 10).sum(), "a": a}

    (hidden,) = hidden_events(compare(build, hidden=1))
    assert numbers((hidden.incoming, hidden.outgoing)) == ([10] * 3, [300] * 3)


@of_any_shape
def test_a_hidden_hook_behind_several_consumers_receives_their_sum(shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        y = a * 1
        y.register_hook(times_100)
        return {"loss": (y * 2 + -y + y.view_as(y) * 5).sum(), "a": a}

    trace = compare(build, hidden=1)
    (hidden,) = hidden_events(trace)
    sent = [edge for edge in trace.graph.edges if edge.target == hidden.node]
    assert len(sent) == 3


def test_one_version_of_a_name_has_its_hooks_listed_and_the_others_do_not() -> None:
    def build() -> Tensors:
        a = filled((2,))
        b = a * 1
        b.register_hook(times_100)
        b.add_(1)
        b.register_hook(lambda grad: grad + 7)
        b.mul_(2)
        b.register_hook(torch.neg)
        b.retain_grad()
        return {"loss": (b * 3).sum(), "a": a, "b": b}

    trace = compare(build, hidden=2)
    assert [e.hook_index for e in trace.of("b") if e.kind == "tensor_hook"] == [0]
    changes = [numbers((e.incoming, e.outgoing)) for e in hidden_events(trace)]
    assert changes == [([-6, -6], [1, 1]), ([1, 1], [100, 100])]
    assert numbers(trace.grad("b")) == [-3, -3]


IN_PLACE: dict[str, Callable[[torch.Tensor], Any]] = {
    "add_": lambda b: b.add_(1),
    "relu_": torch.relu_,
    "sin_": lambda b: b.sin_(),
    "clamp_": lambda b: b.clamp_(max=3),
    "copy_": lambda b: b.copy_(b * 2),
    "assignment": lambda b: b.__setitem__(0, 4.0),
    "one column": lambda b: b[:, 1].mul_(3),
    "index_add_": lambda b: b.index_add_(0, torch.tensor([1]), torch.ones(1, 3)),
    "masked_fill_": lambda b: b.masked_fill_(b > 2, 0.0),
    "through a view": lambda b: b.view(-1).mul_(2),
}


@pytest.mark.parametrize("change", IN_PLACE.values(), ids=IN_PLACE)
def test_a_hook_of_before_any_in_place_operation_is_hidden_and_acts(change) -> None:
    def build() -> Tensors:
        a = filled((2, 3))
        b = a * 1
        b.register_hook(times_100)
        change(b)
        assert not b._backward_hooks
        return {"loss": (b * 2).sum(), "a": a, "b": b}

    trace = compare(build, hidden=1)
    assert trace.grad("a") is not None


def test_one_output_of_several_can_have_a_hidden_hook() -> None:
    def build() -> Tensors:
        x = filled((3,))
        first, second, third = x.unbind()
        second.register_hook(times_100)
        return {"loss": first * 2 + second * 3 + third, "x": x}

    (hidden,) = hidden_events(compare(build, hidden=1))
    assert hidden.slot == 1
    assert numbers((hidden.incoming, hidden.outgoing)) == (3, 300)


@pytest.mark.skipif(
    not internals.can_see_saved(), reason="this PyTorch does not tell about unpack hooks"
)
@pytest.mark.parametrize("kind", ["leaf", "saved input"])
def test_a_deleted_tensor_that_the_graph_holds_is_found_and_its_hook_listed(kind) -> None:
    def build() -> Tensors:
        a = filled((2,))
        y = a if kind == "leaf" else a * 1
        y.register_hook(times_100)
        return {"loss": (y * y).sum()}

    trace = compare(build)
    (event,) = [event for event in trace.events if event.kind == "tensor_hook"]
    assert event.tensor == trace.graph.find(event.tensor).id
    assert numbers((event.incoming, event.outgoing)) == ([2, 4], [200, 400])
