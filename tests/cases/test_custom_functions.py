"""Custom `autograd.Function`s: what their backward is given, and what it may return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz._records import Event
from tests.cases.forms import filled, of_any_kind, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors


class TwoOutputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, materialize: bool) -> Any:
        ctx.set_materialize_grads(materialize)
        return x * 1, x * 2

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor | None) -> Any:
        say("backward got", *grads)
        return sum(grad for grad in grads if grad is not None), None


def node_event(trace: hookviz.Trace, name: str) -> Event:
    node = trace.graph.find(name).node
    (event,) = [event for event in trace.events if event.kind == "node" and event.node == node]
    return event


@of_any_kind
@pytest.mark.parametrize("materialize", [True, False])
@pytest.mark.parametrize("used", ["p", "q"])
def test_an_unused_output_is_none_for_its_hook_whatever_backward_is_given(
    shape, form, materialize, used
) -> None:
    def build() -> Tensors:
        a = filled(shape)
        p, q = TwoOutputs.apply(a, materialize)
        tensors = {"p": p, "q": q}
        for name, tensor in tensors.items():
            tensor.register_hook(form(lambda grad, name=name: say(name, grad is None)))
        return {"loss": tensors[used].sum(), "a": a, **tensors}

    trace = compare(build)
    unused = "q" if used == "p" else "p"
    (hook,) = [event for event in trace.of(unused) if event.kind == "tensor_hook"]
    assert (hook.incoming, hook.outgoing) == (None, None)
    node = node_event(trace, "p")
    assert [gradient is None for gradient in node.incoming] == [used == "q", used == "p"]
    got_none = " None" in node.printed
    assert node.printed.startswith("backward got")
    assert got_none is not materialize


def function(result: Callable[..., Any], inputs: int = 1) -> Any:
    """Return a custom Function that multiplies its inputs, with this backward."""

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: torch.Tensor) -> torch.Tensor:
            total = tensors[0] * 1
            for tensor in tensors[1:]:
                total = total * tensor
            return total

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return result(grad)

    return Custom


def applied(result: Callable[..., Any], inputs: int, shape: tuple[int, ...]) -> Tensors:
    leaves = {name: filled(shape) for name in "abc"[:inputs]}
    middles = [leaf * 2 for leaf in leaves.values()]
    middles[0].register_hook(lambda grad: say("reached"))
    c = function(result).apply(*middles)
    c.register_hook(lambda grad: grad * 3)
    return {"loss": c.sum(), "out": c, **leaves}


WRONG: dict[str, tuple[Callable[..., Any], int, str]] = {
    "too few": (lambda grad: grad, 2, "error.function_count"),
    "too many": (lambda grad: (grad, grad), 1, "error.function_count"),
    "none at all": (lambda grad: (), 2, "error.function_count"),
    "shape": (lambda grad: torch.ones(4), 1, "error.function_shape"),
    "second shape": (lambda grad: (grad, torch.ones(7, 7)), 2, "error.function_shape"),
    "raises": (lambda grad: 1 / 0, 1, "error.node_failed"),
    "number": (lambda grad: 2.0, 1, "error.node_failed"),
    "text": (lambda grad: (grad, "grad"), 2, "error.node_failed"),
}


@pytest.mark.parametrize("shape", [(3,), (2, 3), (10, 10)], ids=str)
@pytest.mark.parametrize(("result", "inputs", "key"), WRONG.values(), ids=WRONG)
def test_a_wrong_result_of_backward_is_laid_at_the_node_of_the_function(
    result, inputs, key, shape
) -> None:
    trace = compare(lambda: applied(result, inputs, shape))
    assert trace.error.explanation == key
    assert (trace.error.node, trace.error.hook) == (trace.graph.find("out").node, None)
    event = trace.events[-1]
    assert (event.kind, event.node) == ("error", trace.error.node)
    assert trace.grad("a") is None


RIGHT: dict[str, tuple[Callable[..., Any], int]] = {
    "scaled": (lambda grad: grad * 10, 1),
    "none for all": (lambda grad: (None, None), 2),
    "none for one": (lambda grad: (grad * 10, None), 2),
    "none in front": (lambda grad: (None, grad), 2),
    "none beyond the inputs": (lambda grad: (grad, grad, None, None), 2),
    "the same for all": (lambda grad: (grad, grad, grad), 3),
    "cast to the dtype of the input": (lambda grad: grad.double() / 3, 1),
    "summed to the shape of the input": (lambda grad: grad.expand(4, 2, *grad.shape), 1),
    "in place": (lambda grad: grad.mul_(2), 1),
    "reversed": (torch.neg, 1),
}


@of_any_shape
@pytest.mark.parametrize(("result", "inputs"), RIGHT.values(), ids=RIGHT)
def test_a_right_result_travels_as_it_is_with_none_kept_as_none(result, inputs, shape) -> None:
    trace = compare(lambda: applied(result, inputs, shape), passes=2)
    node = node_event(trace, "out")
    assert len(node.outgoing) == inputs
    for name, sent in zip("abc", node.outgoing, strict=False):
        arrived = [event for event in trace.of(name) if event.kind == "accumulate"]
        if sent is None:
            assert all(event.incoming is None for event in arrived)
        else:
            assert (sent.shape, sent.dtype) == (shape, "float32")


class Saved(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        x, y = ctx.saved_tensors
        return grad * y, grad * x


@pytest.mark.skipif(
    not internals.can_see_saved(), reason="this PyTorch does not tell about unpack hooks"
)
@of_any_shape
def test_a_tensor_that_a_custom_function_saved_is_found_with_its_hooks(shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        inner = a * 2
        inner.register_hook(lambda grad: grad * 5)
        return {"loss": Saved.apply(inner, inner).sum(), "a": a}

    trace = compare(build, passes=2)
    assert len([event for event in trace.events if event.kind == "tensor_hook"]) == 1


def test_a_function_that_passes_its_input_on_keeps_two_tensors_apart() -> None:
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return -grad

    def build() -> Tensors:
        a = filled((2,))
        h = a * 1
        r = Reverse.apply(h)
        for tensor in (h, r):
            tensor.register_hook(lambda grad: say(grad))
            tensor.retain_grad()
        return {"loss": (r * 5).sum() + h.sum(), "a": a, "h": h, "r": r}

    trace = compare(build)
    assert (trace.grad("r").tolist(), trace.grad("h").tolist()) == ([5, 5], [-4, -4])
