"""In-place operations, views, and broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._records import NodeRecord
from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

IN_PLACE: dict[str, Callable[[torch.Tensor], Any]] = {
    "mul_": lambda a: a.mul_(2),
    "add_": lambda a: a.add_(1),
    "zero_": lambda a: a.zero_(),
    "fill_": lambda a: a.fill_(5),
    "assignment": lambda a: a.__setitem__(..., 3.0),
    "data": lambda a: a.data.mul_(2),
}

any_in_place = pytest.mark.parametrize("change", IN_PLACE.values(), ids=IN_PLACE)


@of_any_shape
@any_in_place
def test_a_leaf_refuses_an_in_place_operation_and_is_recorded_as_before(change, shape) -> None:
    a = filled(shape)
    if change is not IN_PLACE["data"]:
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            change(a)
    trace = hookviz.record((a * a).sum())
    assert trace.error is None
    assert trace.graph.find("a").value is not None


@of_any_shape
@any_in_place
def test_a_leaf_changed_under_no_grad_has_the_gradient_of_its_new_value(change, shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        a.register_hook(lambda grad: grad * 3)
        with torch.no_grad():
            change(a)
        return {"loss": (a * a).sum(), "a": a}

    trace = compare(build)
    value = trace.graph.find("a").value
    if value.values is not None:
        assert trace.grad("a").numbers() == tuple(6 * number for number in value.numbers())


@of_any_shape
@pytest.mark.parametrize("middle", [False, True], ids=["leaf", "non-leaf"])
def test_what_was_saved_and_then_changed_fails_at_its_node_in_plain_words(middle, shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        b = a * 1 if middle else a
        c = b * b
        with torch.no_grad():
            b.mul_(2)
        c.register_hook(lambda grad: say("c is reached"))
        return {"loss": c.sum(), "a": a, "b": b, "c": c}

    trace = compare(build)
    assert trace.error.explanation == "error.in_place"
    assert trace.error.node == trace.graph.find("c").node
    assert trace.events[-1].node == trace.error.node
    assert trace.error.hook is None
    assert trace.grad("a") is None


PARTS: dict[str, tuple[Callable[[torch.Tensor], Any], list[int]]] = {
    "first row": (lambda x: x.__setitem__(0, 0.0), [0, 1, 2]),
    "column": (lambda x: x.__setitem__((slice(None), 1), 5.0), [1, 4]),
    "element": (lambda x: x.__setitem__((1, 2), torch.tensor(2.0)), [5]),
    "slice": (lambda x: x.__setitem__((slice(None), slice(1, 3)), torch.ones(2, 2)), [1, 2, 4, 5]),
    "fill_ on a view": (lambda x: x[1].fill_(3), [3, 4, 5]),
    "view of a view": (lambda x: x.t()[2].zero_(), [2, 5]),
    "select": (lambda x: x.select(1, 0).copy_(torch.zeros(2)), [0, 3]),
}


def node_of(trace: hookviz.Trace, name: str) -> NodeRecord:
    return next(node for node in trace.graph.nodes if node.id == trace.graph.find(name).node)


@pytest.mark.parametrize(("write", "written"), PARTS.values(), ids=PARTS)
def test_assigning_into_a_part_makes_a_node_behind_which_the_part_has_gradient_0(
    write, written
) -> None:
    def build() -> Tensors:
        a = filled((2, 3))
        x = a * 1
        x.register_hook(lambda grad: say("before", grad))
        write(x)
        x.register_hook(lambda grad: say("after", grad))
        x.retain_grad()
        return {"loss": (x * 2).sum(), "a": a, "x": x}

    trace = compare(build)
    node = node_of(trace, "x")
    assert node.name == "CopySlices"
    (event,) = [e for e in trace.events if e.kind == "node" and e.node == node.id]
    expected = [0 if place in written else 2 for place in range(6)]
    assert list(event.outgoing[0].numbers()) == expected
    assert list(trace.grad("a").numbers()) == expected
    assert trace.grad("x").numbers() == (2,) * 6


def test_the_node_of_such_an_assignment_is_explained() -> None:
    a = filled((3,))
    x = a * 1
    x[0] = 0.0
    trace = hookviz.record((x * 2).sum())
    assert node_of(trace, "x").annotation


def test_what_is_assigned_gets_the_gradient_of_the_part() -> None:
    def build() -> Tensors:
        a, value = filled((3,)), filled(())
        x = a * 1
        x[1] = value
        value.register_hook(lambda grad: grad * 10)
        return {"loss": (x * x).sum(), "a": a, "x": x, "value": value}

    trace = compare(build)
    assert numbers(trace.grad("value")) == 20
    assert numbers(trace.grad("a")) == [2, 0, 6]


VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "view": lambda x: x.view(-1),
    "reshape": lambda x: x.reshape(3, 2),
    "transpose": lambda x: x.t(),
    "row": lambda x: x[0],
    "slice": lambda x: x[:, 1:],
    "diagonal": lambda x: x.diagonal(),
    "expand": lambda x: x.expand(4, 2, 3),
    "unsqueeze": lambda x: x.unsqueeze(0),
    "narrow": lambda x: x.narrow(1, 0, 2),
    "detached shape": lambda x: x.view_as(torch.ones(2, 3)),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("base", ["leaf", "non-leaf"])
def test_a_view_is_a_tensor_of_its_own_with_hooks_of_its_own(view, base) -> None:
    def build() -> Tensors:
        a = filled((2, 3))
        x = a if base == "leaf" else a * 1
        v = view(x)
        x.register_hook(lambda grad: grad + 1)
        v.register_hook(lambda grad: grad * 10)
        v.retain_grad()
        return {"loss": (v * 2).sum() + x.sum(), "a": a, "x": x, "v": v}

    trace = compare(build, passes=2)
    (event,) = [e for e in trace.of("v") if e.kind == "tensor_hook"]
    assert event.incoming.shape == trace.graph.find("v").value.shape
    assert set(event.outgoing.numbers()) == {20}


MULTI: dict[str, Callable[[torch.Tensor], tuple[torch.Tensor, ...]]] = {
    "unbind": lambda x: x.unbind(),
    "chunk": lambda x: x.chunk(2),
    "split": lambda x: x.split(2),
}


@pytest.mark.parametrize("split", MULTI.values(), ids=MULTI)
def test_an_output_of_several_refuses_an_in_place_operation_and_backward_is_unharmed(split) -> None:
    def build() -> Tensors:
        a = filled((4,))
        x = a * 1
        parts = split(x)
        parts[1].register_hook(lambda grad: grad * 10)
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
            parts[0].mul_(2)
        return {"loss": parts[0].sum() + (parts[1] * 2).sum(), "a": a, "x": x, "part": parts[1]}

    trace = compare(build)
    assert set(trace.of("part")[0].outgoing.numbers()) == {20}


BROADCASTS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "number and matrix": ((), (2, 3)),
    "number and large": ((), (10, 10)),
    "row and matrix": ((3,), (2, 3)),
    "column and row": ((2, 1), (1, 3)),
    "three dimensions": ((2, 1, 3), (4, 1)),
    "one element": ((1,), (2, 3)),
}


@pytest.mark.parametrize("operation", [torch.mul, torch.add, torch.maximum, torch.div])
@pytest.mark.parametrize(("one", "other"), BROADCASTS.values(), ids=BROADCASTS)
def test_a_broadcast_gradient_is_summed_back_and_every_edge_has_its_receivers_shape(
    operation, one, other
) -> None:
    def build() -> Tensors:
        x, y = filled(one), filled(other)
        e = operation(x * 1, y)
        e.register_hook(lambda grad: grad * 2)
        return {"loss": e.sum(), "x": x, "y": y, "e": e}

    check_shapes(compare(build), {"x": one, "y": other, "e": torch.broadcast_shapes(one, other)})


@pytest.mark.parametrize("shape", [(), (3,), (10, 10)], ids=str)
def test_an_expanded_number_gets_the_sum_of_all_its_copies(shape) -> None:
    def build() -> Tensors:
        x = filled(shape)
        s = x.sum()
        e = s.expand(2, 3)
        e.register_hook(lambda grad: grad * 1)
        s.retain_grad()
        return {"loss": (e * 2).sum(), "x": x, "s": s, "e": e}

    trace = compare(build)
    check_shapes(trace, {"x": shape, "s": (), "e": (2, 3)})
    assert numbers(trace.grad("s")) == 12


def check_shapes(trace: hookviz.Trace, shapes: dict[str, tuple[int, ...]]) -> None:
    edges = {edge.id: edge for edge in trace.graph.edges}
    nodes = {node.id: node for node in trace.graph.nodes}
    slots = {(trace.graph.find(name).node, 0): shape for name, shape in shapes.items()}
    for event in trace.events:
        if event.tensor in shapes:
            assert event.incoming.shape == shapes[event.tensor]
        if event.kind != "node":
            continue
        for edge_id, sent in zip(nodes[event.node].edges, event.outgoing, strict=True):
            edge = edges.get(edge_id)
            if edge is not None and (edge.target, edge.input_nr) in slots:
                assert sent.shape == slots[edge.target, edge.input_nr]
