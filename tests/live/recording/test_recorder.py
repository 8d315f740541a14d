"""What the recorder writes down is what plain PyTorch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz._records import Event, TensorSnapshot
from tests.live.scripts import (
    Tensors,
    first_example,
    grad_of,
    leaf,
    plain_grads,
    second_example,
    without_hooks,
)


def number(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(number(item) for item in value)
    return value.tolist() if isinstance(value, TensorSnapshot) else value


def facts(trace: hookviz.Trace) -> list[tuple[Any, ...]]:
    """Kind, tensor or node name, and the numbers of each event."""
    names = {node.id: node.name for node in trace.graph.nodes}

    def one(event: Event) -> tuple[Any, ...]:
        who = event.tensor or names[event.node or ""]
        if event.kind in ("retain_grad", "accumulate"):
            return (event.kind, who, number(event.before), number(event.after))
        return (event.kind, who, number(event.incoming), number(event.outgoing))

    return [one(event) for event in trace.events]


def test_the_second_example_is_recorded_in_the_order_of_the_engine() -> None:
    trace = hookviz.record((t := second_example())["e"], names=t)
    assert facts(trace) == [
        ("start", "e", None, 1),
        ("tensor_hook", "e", 1, 2),
        ("retain_grad", "e", None, 2),
        ("node", "MulBackward0", (2,), (8, 12)),
        ("tensor_hook", "d", 12, 112),
        ("accumulate", "d", None, 112),
        ("tensor_hook", "c", 8, 10),
        ("tensor_hook", "c", 10, 10),
        ("retain_grad", "c", None, 10),
        ("node", "MulBackward0", (10,), (30, 20)),
        ("accumulate", "a", None, 30),
        ("accumulate", "b", None, 20),
    ]


@pytest.mark.skipif(
    not internals.can_see_saved(), reason="this PyTorch does not tell about unpack hooks"
)
def test_hooks_of_tensors_without_a_name_are_found_through_what_nodes_saved() -> None:
    trace = hookviz.record(second_example()["e"])
    assert [event.kind for event in trace.events].count("tensor_hook") == 4


def test_hooks_are_told_apart_with_place_label_print_and_what_they_returned() -> None:
    trace = hookviz.record((t := second_example())["e"], names=t)
    on_c = [event for event in trace.of("c") if event.kind == "tensor_hook"]
    assert [event.hook_index for event in on_c] == [0, 1]
    assert [event.printed for event in on_c] == [
        "c_hook tensor(8.)\n",
        "hello my grad is tensor(10.)\n",
    ]
    assert [event.rewritten for event in on_c] == [True, False]
    assert [event.returned_none for event in on_c] == [False, True]
    labels = [event.hook.label for event in on_c if event.hook]
    assert labels == ["c_hook", 'lambda grad: print("hello my grad is", grad)']
    assert on_c[0].hook is not None
    assert "return grad + 2" in on_c[0].hook.source


def test_the_first_example_gives_9_6_and_3() -> None:
    trace = hookviz.record((t := first_example())["c"], names=t)
    assert {name: number(trace.grad(name)) for name in "abc"} == {"a": 9, "b": 6, "c": 3}


def test_without_hooks_the_gradients_are_12_8_4_6_1() -> None:
    trace = hookviz.record((t := without_hooks())["e"], names=t)
    assert [number(trace.grad(name)) for name in "abcde"] == [12, 8, 4, 6, 1]
    assert not any(event.kind == "tensor_hook" for event in trace.events)


@pytest.mark.parametrize("build", [first_example, second_example, without_hooks])
@pytest.mark.parametrize("passes", [1, 2])
def test_every_grad_is_bit_for_bit_that_of_plain_pytorch(
    build: Callable[[], Tensors], passes: int
) -> None:
    tensors = build()
    root = next(iter(tensors.values()))
    for _ in range(passes):
        trace = hookviz.record(root, names=tensors)
    assert {name: grad_of(tensor) for name, tensor in tensors.items()} == plain_grads(
        build, passes=passes
    )
    assert {name: number(trace.grad(name)) for name in tensors} == plain_grads(build, passes=passes)


def test_print_goes_to_standard_output_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    hookviz.record(second_example()["e"])
    assert capsys.readouterr().out == "c_hook tensor(8.)\nhello my grad is tensor(10.)\n"


def test_names_come_from_the_callers_variables() -> None:
    a = leaf(2.0)
    weights = [leaf(3.0), {"bias": leaf(4.0)}]
    out = a * weights[0] + weights[1]["bias"]  # type: ignore[call-overload,index]
    trace = hookviz.record(out)
    labels = {tensor.label for tensor in trace.graph.tensors}
    assert labels == {"out", "a", "weights[0]", "weights[1]['bias']"}


def test_a_second_name_is_kept_and_a_shell_name_gives_way() -> None:
    first = leaf(2.0)
    second = first
    _ = first
    out = first * second
    trace = hookviz.record(out)
    assert trace.graph.find("first") is not None
    found = trace.graph.find("first")
    assert found is not None
    assert found.names == ("first", "second")


def test_a_leaf_that_is_its_own_root_is_a_graph_of_one_node() -> None:
    root = leaf(5.0)
    root.register_hook(lambda grad: grad * 7)
    trace = hookviz.record(root)
    assert facts(trace) == [
        ("start", "root", None, 1),
        ("tensor_hook", "root", 1, 7),
        ("accumulate", "root", None, 7),
    ]
    assert [node.name for node in trace.graph.nodes] == ["AccumulateGrad"]


def test_a_vector_root_starts_with_the_given_gradient() -> None:
    x = leaf(1.0, 2.0)
    root = x * 3
    trace = hookviz.record(root, gradient=torch.tensor([1.0, 5.0]))
    assert number(trace.events[0].outgoing) == [1, 5]
    assert number(trace.grad("x")) == [3, 15]


def test_contributions_from_two_sides_are_sent_apart_and_arrive_as_their_sum() -> None:
    x = leaf(3.0)
    out = x * 2 + x * 5
    trace = hookviz.record(out)
    sent = [number(event.outgoing) for event in trace.events if event.kind == "node"]
    assert sent == [(1, 1), (5, None), (2, None)]
    arrived = [event for event in trace.events if event.kind == "accumulate"]
    assert [number(event.incoming) for event in arrived] == [7]


def test_a_post_accumulate_hook_comes_after_the_accumulation() -> None:
    x = leaf(2.0)
    x.register_post_accumulate_grad_hook(lambda param: print("grad is", param.grad))
    trace = hookviz.record(x * 3)
    kinds = [event.kind for event in trace.events]
    assert kinds == ["start", "node", "accumulate", "post_accumulate_hook"]
    assert trace.events[-1].printed == "grad is tensor(3.)\n"
    assert number(trace.events[-1].before) == 2


def test_a_post_accumulate_hook_that_steps_and_clears_shows_both_changes() -> None:
    x = leaf(2.0)

    def step(param: torch.Tensor) -> None:
        assert param.grad is not None
        with torch.no_grad():
            param.sub_(param.grad * 0.1)
        param.grad = None

    x.register_post_accumulate_grad_hook(step)
    trace = hookviz.record(x * 4)
    last = trace.events[-1]
    assert (number(last.incoming), number(last.outgoing)) == (4, None)
    assert number(last.before) == 2
    assert number(last.after) == pytest.approx(1.6)
    assert last.mutated


def test_a_hidden_hook_shows_as_a_rewrite_that_no_listed_hook_explains() -> None:
    a = leaf(2.0)
    middle = a * 3
    middle.register_hook(lambda grad: grad * 100)
    middle.mul_(2)  # the hook stays with the value of before, out of sight
    out = middle * 5
    trace = hookviz.record(out)
    assert ("hidden_rewrite", 10, 1000) in [
        (e.kind, number(e.incoming), number(e.outgoing)) for e in trace.events
    ]
    assert number(trace.grad("a")) == 3000


def test_a_sum_of_two_is_no_hidden_rewrite() -> None:
    x = leaf(0.1, 0.2, 0.3)
    out = (x.exp() * x + x.sin() * x + x).sum()
    trace = hookviz.record(out)
    assert "hidden_rewrite" not in {event.kind for event in trace.events}


def test_a_hook_that_writes_to_its_argument_is_seen_on_the_other_side_too() -> None:
    x, y = leaf(1.0), leaf(1.0)
    out = (x + y) * 3
    y.register_hook(lambda grad: grad.mul_(10))
    x.register_hook(lambda grad: None)
    trace = hookviz.record(out)
    plain_x, plain_y = leaf(1.0), leaf(1.0)
    plain_out = (plain_x + plain_y) * 3
    plain_y.register_hook(lambda grad: grad.mul_(10))
    plain_x.register_hook(lambda grad: None)
    plain_out.backward()  # type: ignore[no-untyped-call]
    assert (number(trace.grad("x")), number(trace.grad("y"))) == (
        grad_of(plain_x),
        grad_of(plain_y),
    )
    mutating = next(event for event in trace.of("y") if event.kind == "tensor_hook")
    assert mutating.mutated
    assert (number(mutating.incoming), number(mutating.outgoing)) == (3, 30)
    assert "hidden_rewrite" not in {event.kind for event in trace.events}


def test_none_that_travels_is_neither_zero_nor_missing() -> None:
    x = leaf(1.0, 2.0)
    first, second = x.unbind(0)
    seen: list[object] = []
    second.register_hook(lambda grad: seen.append(grad))
    trace = hookviz.record(first * 2)
    event = next(event for event in trace.of("second") if event.kind == "tensor_hook")
    assert seen == [None]
    assert event.incoming is None
    assert event.outgoing is None
    node = next(
        e for e in trace.events if e.kind == "node" and e.incoming and e.incoming[-1] is None
    )  # type: ignore[index]
    assert number(node.outgoing) == ([2, 0],)


@pytest.mark.parametrize(
    ("hook", "words", "explanation"),
    [
        (lambda g: torch.ones(3), "has changed the size of value", "error.hook_shape"),
        (lambda g: g.double(), "has changed the type of value", "error.hook_dtype"),
        (lambda g: (g,), "returned", "error.hook_type"),
        (lambda g: 1 / 0, "division by zero", "error.hook_raised"),
        (5, "not callable", "error.hook_not_callable"),
    ],
)
def test_a_bad_hook_ends_the_trace_with_pytorchs_own_words(
    hook: Any, words: str, explanation: str
) -> None:
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    c.register_hook(hook)
    out = c * 2
    trace = hookviz.record(out)
    assert trace.error is not None
    assert words in trace.error.message
    assert trace.error.explanation == explanation
    assert trace.error.tensor == "c"
    assert [event.kind for event in trace.events] == ["start", "node", "error"]
    assert trace.grad("a") is None
    plain_a = leaf(2.0)
    plain_c = plain_a * leaf(3.0)
    plain_c.register_hook(hook)
    with pytest.raises(Exception, match=words) as plain:
        (plain_c * 2).backward()
    assert (type(plain.value).__name__, str(plain.value)) == (
        trace.error.type,
        trace.error.message,
    )


def test_an_error_in_a_custom_function_is_laid_at_its_node() -> None:
    class Broken(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            return grad, grad

    x = leaf(1.0)
    out = Broken.apply(x) * 2
    trace = hookviz.record(out)
    assert trace.error is not None
    assert trace.error.explanation == "error.function_count"
    node = next(node for node in trace.graph.nodes if node.id == trace.error.node)
    assert node.name == "BrokenBackward"


def test_a_summary_stands_for_a_large_gradient_unless_all_is_kept() -> None:
    x = torch.ones(10, 10, requires_grad=True)
    trace = hookviz.record((x * 2).sum())
    kept = trace.grad("x")
    assert kept is not None
    assert kept.values is None
    assert kept.summary is not None
    assert (float(kept.summary.norm), float(kept.summary.minimum)) == (20, 2)
    x.grad = None
    whole = hookviz.record((x * 2).sum(), keep="all").grad("x")
    assert whole is not None
    assert whole.tolist() == [[2.0] * 10] * 10


def test_adding_to_one_grad_that_lies_in_anothers_memory_reaches_it() -> None:
    a, b = leaf(1.0), leaf(2.0)
    out = a.sum() + b.sum()
    first = hookviz.record(out)
    second = hookviz.record(out)
    plain_a, plain_b = leaf(1.0), leaf(2.0)
    plain = plain_a.sum() + plain_b.sum()
    plain.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    plain.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    assert (grad_of(a), grad_of(b)) == (grad_of(plain_a), grad_of(plain_b))
    assert first.error is None
    assert "hidden_rewrite" not in {event.kind for event in second.events}
    if grad_of(a) != 2 or grad_of(b) != 2:
        assert any(event.reached for event in second.events if event.kind == "accumulate")


def test_a_post_accumulate_hook_that_writes_to_grad_explains_what_else_changes() -> None:
    a, b = leaf(0.5), leaf(0.5)
    b.register_post_accumulate_grad_hook(lambda param: param.grad.add_(1) and None)
    trace = hookviz.record(a.sum() + b.sum())
    assert "hidden_rewrite" not in {event.kind for event in trace.events}


def test_a_hook_that_raises_is_blamed_though_one_before_it_returned_something() -> None:
    x = leaf(0.5)
    x.register_post_accumulate_grad_hook(lambda param: param.grad)
    x.register_post_accumulate_grad_hook(lambda param: 1 / 0)
    trace = hookviz.record(x * 2)
    assert trace.error is not None
    assert trace.error.hook is not None
    assert trace.error.hook.label == "lambda param: 1 / 0"
    assert [event.kind for event in trace.events][-2:] == ["post_accumulate_hook", "error"]


@pytest.mark.parametrize("in_place", [True, False])
@pytest.mark.parametrize("senders", [1, 2])
def test_a_hook_of_a_tensor_that_was_squeezed_in_place_is_told_once(
    senders: int, in_place: bool
) -> None:
    a = leaf(0.5).reshape(1).detach().requires_grad_()
    v = a * 2
    v.register_hook((lambda grad: grad.mul_(3) and None) if in_place else (lambda grad: grad * 3))
    out = v * 1 if senders == 1 else v + v
    v.squeeze_()
    trace = hookviz.record(out)
    assert [event.kind for event in trace.events].count("tensor_hook") == 1
    assert "hidden_rewrite" not in {event.kind for event in trace.events}
