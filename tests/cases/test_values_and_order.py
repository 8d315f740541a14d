"""What a tensor hook is given, what becomes of its result, and in which order hooks run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch

import hookviz
from hookviz._records import Event
from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_kind, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

OPERATIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "mul": lambda a, b: a * b,
    "sub": lambda a, b: a - b,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "maximum": torch.maximum,
    "atan2": torch.atan2,
    "where": lambda a, b: torch.where(a > 2, a, b),
    "linear": lambda a, b: torch.sin(a) + b.exp(),
}

any_operation = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)


def hook_events(trace: hookviz.Trace, name: str) -> list[Event]:
    return [event for event in trace.of(name) if event.kind == "tensor_hook"]


def middle(shape: tuple[int, ...], operation: Any, *hooks: Any, on: str = "c") -> Tensors:
    """Two leaves, a tensor c between, and a scalar root; the hooks stand on one of them."""
    a, b = filled(shape), filled(shape)
    c = operation(a, b)
    c.retain_grad()
    tensors = {"loss": (c * 4).sum(), "a": a, "b": b, "c": c}
    for hook in hooks:
        tensors[on].register_hook(hook)
    return tensors


def multiply(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b


@of_any_kind
def test_a_hook_on_a_non_leaf_rewrites_its_gradient_and_all_that_is_behind_it(shape, form) -> None:
    trace = compare(lambda: middle(shape, multiply, form(lambda grad: grad * 10)))
    plain = compare(lambda: middle(shape, multiply))
    (event,) = hook_events(trace, "c")
    assert (event.rewritten, event.mutated, event.returned_none) == (True, False, False)
    node = next(e for e in trace.events if e.node == event.node and e.kind == "node")
    assert node.incoming == (event.outgoing,)
    assert trace.graph.find("c").hooks == (event.hook,)
    if event.incoming.values is not None:
        assert set(event.incoming.numbers()) == {4}
        assert set(event.outgoing.numbers()) == {40}
        for name in "abc":
            before, after = plain.grad(name).numbers(), trace.grad(name).numbers()
            assert after == tuple(10 * number for number in before)


@any_operation
@pytest.mark.parametrize("on", ["loss", "a", "b", "c"])
def test_a_hook_behind_any_operation_on_a_leaf_a_non_leaf_or_the_root(operation, on) -> None:
    hook = functools.partial(torch.mul, torch.tensor(-2.5))
    trace = compare(lambda: middle((4,), operation, hook, on=on), passes=2)
    (event,) = hook_events(trace, on)
    assert event.rewritten
    others = [name for name in ("loss", "a", "b", "c") if name != on]
    assert not any(hook_events(trace, name) for name in others)


@of_any_shape
@pytest.mark.parametrize("on", ["a", "c"])
def test_several_hooks_form_a_chain_in_the_order_of_registration(shape, on) -> None:
    hooks = [lambda grad: grad * 2, lambda grad: grad + 1, lambda grad: None, torch.neg]
    trace = compare(lambda: middle(shape, multiply, *hooks, on=on))
    events = hook_events(trace, on)
    assert [event.hook_index for event in events] == [0, 1, 2, 3]
    assert [event.rewritten for event in events] == [True, True, False, True]
    assert [event.hook for event in events] == list(trace.graph.find(on).hooks)
    assert len({event.hook.id for event in events}) == 4
    for one, following in pairwise(events):
        assert one.outgoing == following.incoming


@of_any_shape
def test_a_removed_hook_is_gone_at_once_and_the_others_keep_their_order(shape) -> None:
    def build() -> Tensors:
        tensors = middle(shape, multiply)
        handles = [
            tensors["c"].register_hook(functools.partial(torch.add, other=number))
            for number in (100, 20, 3)
        ]
        for _ in range(2):  # the second time does nothing
            handles[1].remove()
        return tensors

    trace = compare(build)
    assert [event.hook_index for event in hook_events(trace, "c")] == [0, 1]
    assert len(trace.graph.find("c").hooks) == 2


def test_a_hook_removed_between_two_recordings_needs_no_new_forward_pass() -> None:
    a = filled(())
    c = a * 3
    handle = c.register_hook(lambda grad: grad * 100)
    c.register_hook(lambda grad: grad * 2)
    loss = c * 5
    assert [e.hook_index for e in hook_events(hookviz.record(loss), "c")] == [0, 1]
    handle.remove()
    second = hookviz.record(loss)
    (left,) = hook_events(second, "c")
    assert (numbers(left.incoming), numbers(left.outgoing)) == (5, 10)
    assert numbers(second.grad("a")) == 3000 + 30
    handle.remove()
    assert hookviz.record(loss).error is None


@of_any_kind
def test_a_leaf_hook_sees_the_new_gradient_and_not_what_grad_already_holds(shape, form) -> None:
    def build() -> Tensors:
        a = filled(shape)
        a.grad = torch.full(shape, 100.0)
        a.register_hook(form(lambda grad: grad * 10))
        return {"loss": (a * 3).sum(), "a": a}

    trace = compare(build)
    hook, added = trace.of("a")
    assert (hook.kind, added.kind) == ("tensor_hook", "accumulate")
    assert added.incoming == hook.outgoing
    assert trace.graph.find("a").grad == added.before
    assert trace.grad("a") == added.after
    if shape == ():
        values = (hook.incoming, added.before, added.incoming, added.after)
        assert numbers(values) == (3, 100, 30, 130)


SUMS: dict[str, tuple[Callable[..., torch.Tensor], tuple[int, int]]] = {
    "add": (lambda left, right: left + right, (1, 1)),
    "torch.add": (torch.add, (1, 1)),
    "sub": (lambda left, right: left - right, (1, -1)),
    "alpha": (lambda left, right: torch.add(left, right, alpha=3), (1, 3)),
}


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
@pytest.mark.parametrize(("join", "factors"), SUMS.values(), ids=SUMS)
def test_each_side_of_a_sum_is_sent_a_gradient_of_its_own_on_its_own_edge(
    shape, join, factors
) -> None:
    def build() -> Tensors:
        x = filled(shape)
        left, right = x * 1, x * 1
        out = join(left, right)
        tensors = {"loss": out.sum(), "out": out, "left": left, "right": right, "x": x}
        for name, tensor in tensors.items():
            tensor.register_hook(functools.partial(print, name))
        return tensors

    trace = compare(build)
    joined = next(node for node in trace.graph.nodes if node.id == trace.graph.find("out").node)
    (sent,) = [event for event in trace.events if event.node == joined.id and event.kind == "node"]
    receivers = {edge.id: edge.target for edge in trace.graph.edges}
    for name, factor, edge, gradient in zip(
        ("left", "right"), factors, joined.edges, sent.outgoing, strict=True
    ):
        assert receivers[edge] == trace.graph.find(name).node
        assert set(gradient.numbers()) == {factor}
        (arrived,) = hook_events(trace, name)
        assert arrived.incoming == gradient
    (at_x,) = hook_events(trace, "x")
    assert set(at_x.incoming.numbers()) == {sum(factors)}


def two_branches(*, longer_first: bool, shape: tuple[int, ...] = ()) -> Tensors:
    a = filled(shape)

    def longer() -> tuple[torch.Tensor, ...]:
        p = a * 2
        q = p * 2
        return p, q, q * 2

    if longer_first:
        p, q, r = longer()
        s = a * 3
    else:
        s = a * 3
        p, q, r = longer()
    tensors = {"out": (s + r).sum(), "a": a, "p": p, "q": q, "r": r, "s": s}
    for tensor in tensors.values():
        tensor.register_hook(lambda grad: None)
    return tensors


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
def test_the_order_of_creation_decides_the_order_of_the_steps_of_one_and_the_same_drawing(
    shape,
) -> None:
    first = compare(functools.partial(two_branches, longer_first=True, shape=shape))
    second = compare(functools.partial(two_branches, longer_first=False, shape=shape))
    drawings = [[(n.name, n.edges) for n in trace.graph.nodes] for trace in (first, second)]
    assert drawings[0] == drawings[1]
    orders = [
        "".join(e.tensor for e in trace.events if e.kind == "tensor_hook" and e.tensor != "out")
        for trace in (first, second)
    ]
    assert orders == ["srqpa", "rqpsa"]


@of_any_kind
@pytest.mark.parametrize("on", ["a", "c"])
def test_one_function_registered_twice_runs_twice(shape, form, on) -> None:
    hook = form(lambda grad: grad * 2)
    trace = compare(lambda: middle(shape, multiply, hook, hook, on=on))
    first, second = hook_events(trace, on)
    assert first.hook.id != second.hook.id
    assert first.hook.label == second.hook.label
    assert first.outgoing == second.incoming


@pytest.mark.parametrize("form", ["late", "early"])
def test_each_step_names_its_true_tensor_whatever_the_loop_variable_prints(form) -> None:
    def build() -> Tensors:
        leaves = {name: filled((2,)) for name in "abc"}
        for name, tensor in leaves.items():
            if form == "late":
                tensor.register_hook(lambda grad: say(name))  # noqa: B023 - meant
            else:
                tensor.register_hook(lambda grad, name=name: say(name))
        terms = [tensor * (2 + index) for index, tensor in enumerate(leaves.values())]
        return {"loss": (terms[0] + terms[1] + terms[2]).sum(), **leaves}

    trace = compare(build)
    events = [event for event in trace.events if event.kind == "tensor_hook"]
    assert [event.tensor for event in events] == ["c", "b", "a"]
    said = [event.printed.strip() for event in events]
    assert said == (["c", "c", "c"] if form == "late" else ["c", "b", "a"])
