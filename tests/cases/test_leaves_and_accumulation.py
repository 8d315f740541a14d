"""Leaves, what happens to their `.grad`, and hooks on the nodes themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_kind, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors


def kinds(trace: hookviz.Trace, name: str) -> list[str]:
    return [event.kind for event in trace.of(name)]


@of_any_kind
def test_a_post_accumulate_hook_is_given_the_leaf_with_the_accumulated_gradient(
    shape, form
) -> None:
    def build() -> Tensors:
        a = filled(shape)
        a.grad = torch.full(shape, 100.0)
        a.register_post_accumulate_grad_hook(form(lambda leaf: say(leaf is a, leaf.grad)))
        a.register_hook(lambda grad: grad * 2)
        return {"loss": (a * 3).sum(), "a": a}

    trace = compare(build, passes=2)
    assert kinds(trace, "a") == ["tensor_hook", "accumulate", "post_accumulate_hook"]
    _, added, hook = trace.of("a")
    assert hook.incoming == hook.outgoing == added.after
    assert hook.before == hook.after == trace.graph.find("a").value
    assert (hook.rewritten, hook.mutated, hook.returned_none) == (False, False, True)
    assert hook.printed.startswith("True tensor(")
    assert hook.hook.kind == "post_accumulate_hook"


@of_any_shape
def test_several_post_accumulate_hooks_run_in_order_and_see_each_others_changes(shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        for factor in (2, 5):
            a.register_post_accumulate_grad_hook(
                lambda leaf, by=factor: leaf.grad.mul_(by) and None
            )
        return {"loss": (a * 3).sum(), "a": a}

    if shape == ():
        trace = compare(build)
        hooks = [event for event in trace.of("a") if event.kind == "post_accumulate_hook"]
        assert [numbers((h.incoming, h.outgoing)) for h in hooks] == [(3, 6), (6, 30)]
        assert [hook.hook_index for hook in hooks] == [0, 1]
    else:
        assert compare(build).error is not None  # `and` asks a tensor for one truth value


REFUSED: dict[str, Callable[[torch.Tensor], Any]] = {
    "its gradient": lambda leaf: leaf.grad,
    "another shape": lambda leaf: leaf.grad[None],
    "another dtype": lambda leaf: leaf.grad.double(),
    "number": lambda leaf: 1,
    "tuple": lambda leaf: (leaf,),
}


@of_any_shape
@pytest.mark.parametrize("hook", REFUSED.values(), ids=REFUSED)
def test_a_post_accumulate_hook_must_return_none(shape, hook) -> None:
    def build() -> Tensors:
        a = filled(shape)
        a.register_post_accumulate_grad_hook(hook)
        return {"loss": (a * 3).sum(), "a": a}

    trace = compare(build)
    assert trace.error.explanation == "error.post_hook_returned"
    assert trace.error.tensor == "a"
    assert trace.error.hook == trace.graph.find("a").hooks[0]
    assert trace.grad("a") is not None


@of_any_kind
def test_a_post_accumulate_hook_may_return_the_leaf_itself(shape, form) -> None:
    def build() -> Tensors:
        a = filled(shape)
        a.register_post_accumulate_grad_hook(form(lambda leaf: leaf))
        return {"loss": (a * 3).sum(), "a": a}

    trace = compare(build)
    assert trace.error is None
    assert trace.of("a")[-1].returned_none is False


@of_any_shape
def test_a_non_leaf_refuses_a_post_accumulate_hook_and_is_recorded_as_before(shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        c = a * 2
        with pytest.raises(RuntimeError, match="cannot be registered on non-leaf tensors"):
            c.register_post_accumulate_grad_hook(print)
        return {"loss": c.sum(), "a": a, "c": c}

    assert compare(build).graph.find("c").hooks == ()


def on_the_node(shape: tuple[int, ...], *, rewriting: bool) -> Tensors:
    a = filled(shape)
    b = a * 3
    b.retain_grad()
    node = b.grad_fn

    def before(grad_outputs: tuple[torch.Tensor, ...]) -> Any:
        say("pre", grad_outputs)
        return (grad_outputs[0] * 10,) if rewriting else None

    def after(grad_inputs: tuple[torch.Tensor, ...], grad_outputs: Any) -> Any:
        say("post", grad_inputs, grad_outputs)
        return (grad_inputs[0] + 1, *grad_inputs[1:]) if rewriting else None

    node.register_prehook(before)
    node.register_hook(after)
    b.register_hook(lambda grad: grad * 2)
    return {"loss": (b * 5).sum(), "a": a, "b": b}


@of_any_shape
def test_a_hook_on_the_node_works_behind_the_retained_gradient(shape) -> None:
    trace = compare(lambda: on_the_node(shape, rewriting=True), hidden=1)
    hooked = next(event for event in trace.of("b") if event.kind == "tensor_hook")
    kept = next(event for event in trace.of("b") if event.kind == "retain_grad")
    (node,) = [e for e in trace.events if e.kind == "node" and e.node == hooked.node]
    assert kept.incoming == kept.after == hooked.outgoing
    assert node.incoming != (kept.after,)
    arrived = next(event for event in trace.of("a") if event.kind == "accumulate")
    assert arrived.incoming == node.outgoing[0]
    if shape == ():
        three = (hooked.incoming, kept.after, node.incoming[0], node.outgoing[0])
        assert numbers(three) == (5, 10, 100, 301)


@of_any_shape
def test_a_hook_on_the_node_that_only_looks_is_no_rewrite(shape) -> None:
    compare(lambda: on_the_node(shape, rewriting=False), passes=2)


def accumulate_node(leaf: torch.Tensor) -> Any:
    return leaf.view_as(leaf).grad_fn.next_functions[0][0]


KEPT: list[Any] = []


@of_any_shape
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("rewriting", [True, False])
def test_a_hook_on_the_accumulating_node_acts_only_while_somebody_keeps_the_node(
    shape, kept, rewriting
) -> None:
    def build() -> Tensors:
        a = filled(shape)
        node = accumulate_node(a)
        node.register_prehook(lambda grads: (grads[0] * 7,) if rewriting else say("looked"))
        KEPT[:] = [node] if kept else []
        del node
        return {"loss": (a * 2).sum(), "a": a}

    trace = compare(build, hidden=int(kept and rewriting))
    assert kinds(trace, "a")[-1] == "accumulate"
    expected = 14 if kept and rewriting else 2
    if shape == (3,):
        assert numbers(trace.grad("a")) == [expected] * 3
        assert numbers(trace.of("a")[-1].incoming) == [expected] * 3


def test_recording_keeps_no_accumulating_node_alive() -> None:
    a = filled((2,))
    loss = (a * 2).sum()
    hookviz.record(loss)
    printed: list[str] = []
    accumulate_node(a).register_hook(lambda *_: printed.append("kept by loss"))
    loss.backward(retain_graph=True)
    assert printed == ["kept by loss"]
    del loss
    accumulate_node(a).register_hook(lambda *_: printed.append("kept by nobody"))
    (a * 2).sum().backward()
    assert printed == ["kept by loss"]


def by_hand(leaf: torch.Tensor) -> None:
    with torch.no_grad():
        leaf.sub_(0.1 * leaf.grad)
    leaf.grad = None


def by_sgd(leaf: torch.Tensor) -> None:
    optimizer = torch.optim.SGD([leaf], lr=0.1, weight_decay=0.5)
    optimizer.step()
    optimizer.zero_grad()


def by_sgd_to_zero(leaf: torch.Tensor) -> None:
    optimizer = torch.optim.Adam([leaf], lr=0.1)
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)


def through_data(leaf: torch.Tensor) -> None:
    leaf.data -= leaf.grad
    leaf.grad.zero_()


STEPS: dict[str, Callable[[torch.Tensor], None]] = {
    "by hand": by_hand,
    "SGD": by_sgd,
    "Adam, zeroed": by_sgd_to_zero,
    "data": through_data,
}


@of_any_shape
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_an_optimizer_that_steps_inside_backward_changes_the_leaf_and_clears_its_grad(
    shape, step
) -> None:
    def build() -> Tensors:
        w, v = filled(shape), filled(shape)
        for leaf in (w, v):
            leaf.register_post_accumulate_grad_hook(step)
        return {"loss": (w.clone() * v.clone()).sum(), "w": w, "v": v}

    trace = compare(build)
    for name in "wv":
        assert kinds(trace, name) == ["accumulate", "post_accumulate_hook"]
        added, stepped = trace.of(name)
        assert stepped.incoming == added.after
        assert stepped.outgoing == trace.grad(name)
        assert (stepped.mutated, stepped.rewritten) == (True, True)
        assert stepped.before == trace.graph.find(name).value
        assert stepped.after != stepped.before
        if step in (by_hand, by_sgd):
            assert trace.grad(name) is None
