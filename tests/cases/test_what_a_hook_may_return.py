"""What a tensor hook may return, and what happens when it raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz.errors import FreedGraphError
from tests.cases.facts import numbers
from tests.cases.forms import each_with_a_form, filled, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

on_leaf_or_not = pytest.mark.parametrize("on", ["a", "c"])


def hooked(hook: Any, on: str, shape: tuple[int, ...] = (2, 3)) -> Tensors:
    a = filled(shape)
    c = a * 1
    tensors = {"loss": (c * 3).sum(), "a": a, "c": c}
    tensors[on].register_hook(hook)
    return tensors


def failing(build: Callable[[], Tensors], on: str, key: str) -> Any:
    """Return the error event of a pass that a hook ended."""
    trace = compare(build)
    assert trace.error is not None
    assert (trace.error.tensor, trace.error.explanation) == (on, key)
    event = trace.events[-1]
    assert (event.kind, event.tensor, event.error) == ("error", on, trace.error)
    assert event.hook == trace.error.hook == trace.graph.find(on).hooks[0]
    assert not any(event.kind == "accumulate" for event in trace.events)
    assert trace.grad("a") is None
    return event


WRONG_SHAPES: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], tuple[int, ...]]] = {
    "mean": (lambda grad: grad.mean(), ()),
    "one row": (lambda grad: grad[:1], (1, 3)),
    "one column": (lambda grad: grad.sum(1, keepdim=True), (2, 1)),
    "transposed": (lambda grad: grad.T, (3, 2)),
    "one more dimension": (lambda grad: grad[None], (1, 2, 3)),
    "empty": (lambda grad: grad[:0], (0, 3)),
    "large": (lambda grad: torch.ones(9, 9), (9, 9)),
}


@on_leaf_or_not
@each_with_a_form("wrong, shape, form", WRONG_SHAPES)
def test_another_shape_is_refused_also_one_that_would_broadcast(wrong, shape, form, on) -> None:
    hook = form(wrong)
    event = failing(lambda: hooked(hook, on), on, "error.hook_shape")
    assert (event.incoming.shape, event.outgoing.shape) == ((2, 3), shape)


WRONG_KINDS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], str]] = {
    "device": (lambda grad: grad.to("meta"), "error.hook_device"),
    "double": (torch.Tensor.double, "error.hook_dtype"),
    "half": (torch.Tensor.half, "error.hook_dtype"),
    "long": (torch.Tensor.long, "error.hook_dtype"),
    "bool": (lambda grad: grad > 0, "error.hook_dtype"),
    "complex": (lambda grad: grad * 1j, "error.hook_dtype"),
}


@on_leaf_or_not
@of_any_shape
@pytest.mark.parametrize(("wrong", "key"), WRONG_KINDS.values(), ids=WRONG_KINDS)
def test_another_device_or_dtype_is_refused_and_named_in_plain_words(wrong, key, shape, on) -> None:
    event = failing(lambda: hooked(wrong, on, shape), on, key)
    before, after = event.incoming, event.outgoing
    assert (before.device, before.dtype) == ("cpu", "float32")
    assert (after.device, after.dtype) != ("cpu", "float32")


@on_leaf_or_not
def test_another_layout_is_refused_and_not_called_another_dtype(on) -> None:
    trace = compare(lambda: hooked(torch.Tensor.to_sparse, on))
    assert trace.error is not None
    assert trace.error.explanation != "error.hook_dtype"
    assert (trace.events[-1].outgoing.layout, trace.events[-1].outgoing.nnz) == ("sparse_coo", 6)


NO_TENSORS = {
    "tuple": lambda grad: (grad,),
    "list": lambda grad: [grad],
    "float": lambda grad: 2.0,
    "false": lambda grad: False,
    "text": lambda grad: "grad",
    "array": lambda grad: grad.numpy(),
    "not implemented": lambda grad: NotImplemented,
}


@on_leaf_or_not
@each_with_a_form("wrong, form", NO_TENSORS)
def test_what_is_no_tensor_is_refused(wrong, form, on) -> None:
    hook = form(wrong)
    event = failing(lambda: hooked(hook, on), on, "error.hook_type")
    assert event.incoming is not None


class Plain:
    """Has no `__call__`."""


@on_leaf_or_not
@pytest.mark.parametrize(
    "hook", [5, "hook", Plain(), [print]], ids=lambda hook: type(hook).__name__
)
def test_what_cannot_be_called_is_accepted_and_fails_in_backward(hook, on) -> None:
    event = failing(lambda: hooked(hook, on), on, "error.hook_not_callable")
    assert event.hook.label


def no_argument() -> int:
    return 0


@on_leaf_or_not
@pytest.mark.parametrize("hook", [no_argument, lambda: 0, lambda module, grad: grad])
def test_a_hook_with_the_wrong_number_of_arguments_fails_in_backward(hook, on) -> None:
    failing(lambda: hooked(hook, on), on, "error.hook_arguments")


ACCEPTED: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], bool]] = {
    "requires grad": (lambda grad: grad.clone().requires_grad_() * 2, True),
    "expanded": (lambda grad: grad.sum().expand(grad.shape), True),
    "same number": (lambda grad: grad.clone(), False),
    "same object": (lambda grad: grad, False),
    "view": (lambda grad: grad.view_as(grad), False),
    "other strides": (lambda grad: (grad.t() * 2).t(), True),
    "parameter": (lambda grad: torch.nn.Parameter(grad * 3), True),
    "zero": (torch.zeros_like, True),
    "not a number": (lambda grad: grad * float("nan"), True),
}


@on_leaf_or_not
@each_with_a_form("hook, rewrites, form", ACCEPTED)
def test_a_tensor_of_the_right_kind_is_accepted_and_only_values_tell_a_rewrite(
    hook, rewrites, form, on
) -> None:
    function = form(hook)
    trace = compare(lambda: hooked(function, on), passes=2)
    (event,) = [event for event in trace.of(on) if event.kind == "tensor_hook"]
    assert (event.rewritten, event.mutated, event.returned_none) == (rewrites, False, False)
    assert not event.reached


class Stop(Exception):  # noqa: N818 - a name that does not end in Error
    pass


def raised_in_middle(error: BaseException, *, retain: bool = False) -> Tensors:
    a, b = filled((2,)), filled((2,))
    x, y = a * 2, b * 2

    def boom(grad: torch.Tensor) -> None:
        say("boom", grad)
        raise error

    x.register_hook(boom)
    return {"loss": (x + y).sum(), "a": a, "b": b, "x": x, "y": y}


@pytest.mark.parametrize(
    "error",
    [
        ValueError("stop here"),
        Stop(),
        KeyError("name"),
        RuntimeError("two\nlines"),
        StopIteration(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_hook_that_raises_leaves_what_was_done_before_it(error) -> None:
    trace = compare(lambda: raised_in_middle(error), passes=2)
    assert trace.error.explanation == "error.hook_raised"
    assert trace.error.tensor == "x"
    assert "raise error" in trace.error.traceback
    assert trace.events[-1].printed == "boom tensor([1., 1.])\n"
    assert numbers(trace.grad("b")) == [4, 4]
    assert trace.grad("a") is None
    assert [event.tensor for event in trace.events if event.kind == "accumulate"] == ["b"]


@pytest.mark.skipif(
    not internals.can_see_saved(), reason="this PyTorch does not tell about unpack hooks"
)
def test_after_a_failed_pass_that_freed_the_graph_there_is_no_second_one() -> None:
    tensors = raised_in_middle(ValueError("stop here"))
    loss, b = tensors["loss"], tensors["b"]
    assert hookviz.record(loss, retain_graph=False).error.message == "stop here"
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()
    with pytest.raises(FreedGraphError, match="retain_graph=True"):
        hookviz.record(loss, retain_graph=False)
    assert b.grad.tolist() == [2, 2]
