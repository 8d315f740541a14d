"""The arguments of backward, and what runs inside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from tests.cases.facts import numbers, shown, told
from tests.cases.forms import filled, of_any_kind, of_any_shape, say
from tests.cases.oracle import compare, compare_passes
from tests.cases.plain import Tensors


def chain(shape: tuple[int, ...] = ()) -> Tensors:
    """A leaf a, a hooked non-leaf c, and a root."""
    a, b = filled(shape), filled(shape)
    c = a * 3
    c.register_hook(lambda grad: grad * 2)
    return {"loss": (c * 5 + b).sum(), "a": a, "b": b, "c": c}


@of_any_shape
@pytest.mark.parametrize("passes", [1, 2])
def test_inputs_can_name_a_non_leaf_and_then_nothing_is_delivered_behind_it(shape, passes) -> None:
    outcome = compare_passes(lambda: chain(shape), passes, inputs=["c"])
    trace = outcome.traces[-1]
    assert outcome.tensors["c"].retains_grad
    kept = next(event for event in trace.of("c") if event.kind == "retain_grad")
    assert kept.after == trace.grad("c")
    assert trace.of("a") == trace.of("b") == ()
    assert trace.grad("a") is None
    (line,) = [line for line in trace.text().splitlines() if line.split()[:1] == ["a"]]
    assert "arrived" not in line
    if shape == ():
        assert numbers((kept.incoming, kept.after)) == (10, 10 * passes)


INPUTS = [["a"], ["a", "c"], ["c", "a"], ["b"], ["a", "b", "c"], ["loss"], ["loss", "a"]]


@of_any_shape
@pytest.mark.parametrize("inputs", INPUTS, ids="-".join)
def test_only_the_inputs_get_a_grad_whichever_they_are(shape, inputs) -> None:
    trace = compare(lambda: chain(shape), inputs=inputs)
    for name in ("a", "b", "c"):
        assert (trace.grad(name) is not None) == (name in inputs)


def test_the_numbers_are_those_of_backward_where_autograd_grad_gives_others() -> None:
    def from_grad(names: str) -> list[float]:
        tensors = chain()
        wanted = [tensors[name] for name in names]
        return [gradient.item() for gradient in torch.autograd.grad(tensors["loss"], wanted)]

    assert (from_grad("c"), from_grad("ca")) == ([10], [5, 30])
    for inputs in (["c"], ["c", "a"]):
        trace = compare(chain, inputs=inputs)
        (hook,) = [event for event in trace.of("c") if event.kind == "tensor_hook"]
        assert numbers((hook.incoming, hook.outgoing)) == (5, 10)
        assert numbers(trace.grad("c")) == 10


SEEDS: dict[str, Callable[[tuple[int, ...]], torch.Tensor]] = {
    "ones": torch.ones,
    "numbers": lambda shape: filled(shape).detach(),
    "negative": lambda shape: torch.full(shape, -2.5),
    "zero": torch.zeros,
    "infinite": lambda shape: torch.full(shape, float("inf")),
    "transposed": lambda shape: (
        filled(shape[::-1]).detach().permute(tuple(range(len(shape)))[::-1])
    ),
}

SEED_HOOKS = {"rewrites": torch.neg, "writes": torch.Tensor.neg_, "looks": lambda grad: None}


@of_any_shape
@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
@pytest.mark.parametrize("hook", SEED_HOOKS.values(), ids=SEED_HOOKS)
def test_the_gradient_argument_is_the_first_step_and_what_the_roots_hook_is_given(
    shape, seed, hook
) -> None:
    def build() -> Tensors:
        a = filled(shape)
        c = a * 2
        c.register_hook(hook)
        return {"c": c, "a": a}

    trace = compare(build, passes=2, gradient=seed(shape))
    start, hooked = trace.events[:2]
    assert (start.kind, start.tensor, start.outgoing) == ("start", "c", hooked.incoming)


@of_any_kind
def test_the_root_can_be_a_leaf(shape, form) -> None:
    def build() -> Tensors:
        a = filled(shape)
        a.register_hook(form(lambda grad: grad * 7))
        a.register_post_accumulate_grad_hook(form(lambda leaf: say("added")))
        return {"a": a}

    trace = compare(build, passes=2, gradient=torch.ones(shape))
    seen = [event.kind for event in trace.events]
    assert seen == ["start", "tensor_hook", "accumulate", "post_accumulate_hook"]
    assert [node.name for node in trace.graph.nodes] == ["AccumulateGrad"]


def second_order(shape: tuple[int, ...]) -> Tensors:
    x = filled(shape)
    y = x * x
    y.register_hook(lambda grad: say("y", grad, torch.is_grad_enabled()) or grad * 2)
    x.register_hook(lambda grad: say("x", grad, torch.is_grad_enabled()) or grad * x)
    return {"loss": y.sum(), "x": x, "y": y}


@of_any_shape
def test_create_graph_puts_the_hooks_into_the_graph_of_the_gradient(shape) -> None:
    outcome = compare_passes(lambda: second_order(shape), create_graph=True)
    assert outcome.tensors["x"].grad.requires_grad
    assert [words for kind, words in outcome.warned if "create_graph=True" in words]


@of_any_shape
def test_a_second_pass_goes_through_the_graph_that_the_first_one_made(shape) -> None:
    def build() -> Tensors:
        tensors = second_order(shape)
        x = tensors["x"]
        (first,) = torch.autograd.grad(tensors["loss"], x, create_graph=True)
        return {"second": first.sum(), "first": first, **tensors}

    trace = compare(build)
    assert [event.tensor for event in trace.events if event.kind == "tensor_hook"] == ["x"]
    if shape == ():
        assert trace.grad("x").item() == 8  # d(4 x * x)/dx at x = 1, times x by the hook


@pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph")
def test_recording_a_second_pass_of_a_recorded_first_one_is_as_plain() -> None:
    def run(first_pass: Any, second_pass: Any) -> list[float]:
        tensors = second_order(())
        x = tensors["x"]
        first_pass(tensors["loss"], tensors)
        first = x.grad
        x.grad = None
        second_pass(first, tensors)
        return [first.item(), x.grad.item()]

    def plain(root: torch.Tensor, _: Tensors) -> None:
        root.backward(create_graph=True)

    def recorded(root: torch.Tensor, tensors: Tensors) -> None:
        traces.append(hookviz.record(root, names=tensors, create_graph=True))

    traces: list[hookviz.Trace] = []
    assert run(recorded, recorded) == run(plain, plain) == run(recorded, plain)
    first, second = traces[:2]
    assert [e.tensor for e in first.events if e.kind == "tensor_hook"] == ["y", "x"]
    assert len(second.graph.nodes) > len(first.graph.nodes)


@of_any_shape
@pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph")
def test_a_second_pass_shows_the_first_one_before_it_and_marks_what_that_one_made(shape) -> None:
    tensors = second_order(shape)
    x = tensors["x"]
    first = hookviz.record(tensors["loss"], names=tensors, create_graph=True)
    root, x.grad = x.grad.sum(), None
    expected = torch.autograd.grad(root, x, retain_graph=True)[0]  # the hook of x runs in it too
    second = hookviz.record(root, names={**tensors, "second": root})
    assert second.passes() == (first, second)
    assert shown(x.grad) == shown(expected) == told(second.grad("x"))
    hooks = [[e.tensor for e in trace.events if e.hook is not None] for trace in second.passes()]
    assert hooks == [["y", "x"], ["x"]]
    by_user = [node.name for node in second.graph.nodes if not node.made_by_pass]
    assert by_user.count("SumBackward0") == int(root.grad_fn.name() == "SumBackward0")
    assert "First pass" in second.text("en")
    assert "第一遍" in second.text("zh")


@of_any_shape
@pytest.mark.parametrize("passes", [2, 3])
def test_a_retained_gradient_accumulates_over_passes_and_each_pass_brings_its_own(
    shape, passes
) -> None:
    def build() -> Tensors:
        x = filled(shape)
        y = x * 2
        y.retain_grad()
        y.register_hook(lambda grad: None)
        return {"loss": (y * 5).sum(), "x": x, "y": y}

    traces = compare_passes(build, passes).traces
    kept = [next(e for e in t.of("y") if e.kind == "retain_grad") for t in traces]
    assert len({event.incoming for event in kept}) == 1
    assert [one.after for one in kept[:-1]] == [following.before for following in kept[1:]]
    if shape == ():
        assert [event.after.item() for event in kept] == [5 * (n + 1) for n in range(passes)]


COMPLEX: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "square": lambda z: z * z,
    "conj": torch.conj,
    "conj_physical": torch.conj_physical,
    "abs": torch.abs,
    "angle": torch.angle,
    "real": lambda z: torch.view_as_real(z).sum(-1),
    "imag": lambda z: z.imag * 2,
    "exp": torch.exp,
}


@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (10, 10)], ids=str)
@pytest.mark.parametrize("operation", COMPLEX.values(), ids=COMPLEX)
def test_complex_gradients_are_conjugated_and_written_as_complex_numbers(
    operation, shape, dtype
) -> None:
    def build() -> Tensors:
        z = (filled(shape).detach() + 2j).to(dtype).requires_grad_()
        w = operation(z * 1)
        w.register_hook(lambda grad: grad * 2)
        return {"w": w, "z": z}

    dtype_of_w = operation(torch.ones(shape, dtype=dtype)).dtype
    trace = compare(build, gradient=torch.ones(shape, dtype=dtype_of_w))
    assert trace.grad("z").dtype == str(dtype).removeprefix("torch.")
    if (operation, shape) == (COMPLEX["square"], ()):
        assert trace.grad("z").values == ("(4-8j)",)


def test_a_complex_root_needs_a_gradient_with_hookviz_as_without() -> None:
    z = torch.tensor([1 + 2j], requires_grad=True)
    with pytest.raises(RuntimeError, match="implicitly created only for real scalar"):
        (z * z).sum().backward()
    with pytest.raises(hookviz.GradientError, match="is complex"):
        hookviz.record((z * z).sum())


@pytest.mark.parametrize("given", [torch.float64, torch.float16, torch.int64])
@pytest.mark.parametrize("hooked", [False, True])
def test_a_starting_gradient_of_another_dtype_is_taken_over_as_the_engine_does(
    given, hooked
) -> None:
    def build() -> Tensors:
        w = filled((3,))
        y = w * 2
        if hooked:
            y.register_hook(lambda grad: grad * 3)
        return {"y": y, "w": w}

    trace = compare(build, gradient=(torch.arange(1, 4) / 3).to(given))
    start = trace.events[0]
    assert start.kind == "start"
    assert start.outgoing.dtype == "float32"
