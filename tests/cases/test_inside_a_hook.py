"""What a hook finds while it runs: grad mode, thread, and whether it can run backward itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from tests.cases.facts import numbers
from tests.cases.forms import filled, in_any_form, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

anywhere = pytest.mark.parametrize("on", ["loss", "a", "c"])


def with_hook(hook: Any, on: str, shape: tuple[int, ...] = (3,)) -> Tensors:
    a = filled(shape)
    c = a * a
    tensors = {"loss": c.sum(), "a": a, "c": c}
    tensors[on].register_hook(hook)
    return tensors


@anywhere
@in_any_form
@pytest.mark.parametrize("create_graph", [False, True])
def test_hooks_run_on_the_callers_thread_with_grad_mode_as_in_plain_pytorch(
    on, form, create_graph
) -> None:
    caller = threading.get_ident()

    def look(grad: torch.Tensor) -> None:
        modes = (torch.is_grad_enabled(), torch.is_inference_mode_enabled(), grad.requires_grad)
        say(*modes, threading.get_ident() == caller, grad.is_leaf)

    trace = compare(lambda: with_hook(form(look), on), create_graph=create_graph)
    (event,) = [event for event in trace.of(on) if event.kind == "tensor_hook"]
    assert event.printed.split()[0] == str(create_graph)


@anywhere
@of_any_shape
def test_a_backward_in_a_hook_fails_without_grad_mode_as_in_plain_pytorch(on, shape) -> None:
    def nested(grad: torch.Tensor) -> None:
        (filled(()) * 3).backward()

    trace = compare(lambda: with_hook(nested, on, shape))
    assert "does not require grad" in trace.error.message
    assert trace.error.tensor == on
    assert "(filled(()) * 3).backward()" in trace.error.traceback


def own_graph(tensors: Tensors) -> None:
    inner = filled(())
    inner.register_hook(lambda grad: say("inner", grad))
    (inner * 3).backward()
    say(inner.grad)


def same_leaf(tensors: Tensors) -> None:
    (tensors["a"] * 7).sum().backward()


def same_node(tensors: Tensors) -> None:
    (tensors["c"] * 7).sum().backward(retain_graph=True)


def grad_only(tensors: Tensors) -> None:
    say(torch.autograd.grad((tensors["a"] * 5).sum(), tensors["a"]))


def grad_through_node(tensors: Tensors) -> None:
    say(torch.autograd.grad((tensors["c"] * 5).sum(), tensors["a"], retain_graph=True))


NESTED: dict[str, Callable[[Tensors], None]] = {
    "a graph of its own": own_graph,
    "the same leaf": same_leaf,
    "the same node": same_node,
    "grad": grad_only,
    "grad through the node": grad_through_node,
}


@pytest.mark.parametrize("on", ["loss", "a", "b", "c"])
@pytest.mark.parametrize("inner", NESTED.values(), ids=NESTED)
def test_a_backward_in_a_hook_with_grad_mode_changes_what_it_changes_in_plain_pytorch(
    inner, on
) -> None:
    def build() -> Tensors:
        a, b = filled((3,)), filled((3,))
        c = a * a
        tensors = {"loss": (c * 2 + b).sum(), "a": a, "b": b, "c": c}
        busy: list[bool] = []

        def hook(grad: torch.Tensor) -> torch.Tensor:
            if not busy:
                busy.append(True)
                with torch.enable_grad():
                    inner(tensors)
                busy.clear()
            return grad * 2

        tensors[on].register_hook(hook)
        return tensors

    compare(build)


def test_an_error_in_a_nested_backward_is_laid_at_the_hook_that_ran_it() -> None:
    def outer(grad: torch.Tensor) -> None:
        with torch.enable_grad():
            inner = filled(())
            inner.register_hook(lambda grad: 1 / 0)
            (inner * 3).backward()

    trace = compare(lambda: with_hook(outer, "c"))
    assert (trace.error.type, trace.error.tensor) == ("ZeroDivisionError", "c")
    assert trace.error.hook == trace.graph.find("c").hooks[0]


def test_a_recording_inside_a_recorded_hook_keeps_to_itself() -> None:
    inner_traces: list[hookviz.Trace] = []

    def outer(grad: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            inner = filled(())
            inner.register_hook(lambda grad: say("inner", grad))
            inner_traces.append(hookviz.record(inner * 3))
        return grad * 10

    tensors = with_hook(outer, "c", ())
    trace = hookviz.record(tensors["loss"], names=tensors)
    (event,) = [event for event in trace.events if event.kind == "tensor_hook"]
    assert numbers((event.incoming, event.outgoing)) == (1, 10)
    assert event.printed == "inner tensor(3.)\n"
    assert [e.kind for e in inner_traces[0].events].count("tensor_hook") == 1
    assert numbers(trace.grad("a")) == 20


CHANGES: dict[str, Callable[[torch.Tensor, Any], Any]] = {
    "removes itself": lambda tensor, handles: handles[1].remove(),
    "removes the next": lambda tensor, handles: handles[2].remove(),
    "removes the one before": lambda tensor, handles: handles[0].remove(),
    "removes all": lambda tensor, handles: [handle.remove() for handle in handles] and None,
}


@pytest.mark.parametrize("on", ["a", "c"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_hook_that_removes_hooks_while_it_runs_leaves_what_it_leaves_in_plain_pytorch(
    change, on
) -> None:
    def build() -> Tensors:
        tensors = with_hook(lambda grad: say("first", grad), on)
        tensor = tensors[on]
        handles: list[Any] = [None]

        def middle(grad: torch.Tensor) -> torch.Tensor:
            change(tensor, [handle for handle in handles if handle] * 3)
            return grad * 2

        handles.append(tensor.register_hook(middle))
        handles.append(tensor.register_hook(lambda grad: grad + 1))
        return tensors

    compare(build)
