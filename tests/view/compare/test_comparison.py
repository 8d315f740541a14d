from __future__ import annotations

import pytest
import torch

import hookviz
from hookviz._records import GraphRecord, TraceRecord
from hookviz._view.compare.compare import DifferentGraphError, compare
from hookviz._view.text.message import Message

AGAINST = Message("compare.baseline")


def example(*, with_hooks: bool) -> hookviz.Trace:
    """Return the recorded second example of the article, with or without its hooks."""
    a, b, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 4.0))
    c = a * b
    c.retain_grad()
    e = c * d
    e.retain_grad()
    if with_hooks:
        c.register_hook(lambda grad: grad + 2)
        d.register_hook(lambda grad: grad + 100)
        e.register_hook(lambda grad: grad * 2)
    return hookviz.record(e, names={"a": a, "b": b, "c": c, "d": d, "e": e})


def labels(trace: hookviz.Trace, keys: frozenset[str]) -> set[str]:
    return {tensor.label for tensor in trace.graph.tensors if tensor.id in keys}


def test_ghosts_are_the_numbers_without_hooks() -> None:
    trace, plain = example(with_hooks=True), example(with_hooks=False)
    found = compare(trace, plain, AGAINST)
    ids = {tensor.label: tensor.id for tensor in trace.graph.tensors}
    assert {name: found.ghosts[ids[name]] for name in "abcde"} == {
        "a": "12",
        "b": "8",
        "c": "4",
        "d": "6",
        "e": "1",
    }
    assert {name: found.grads[ids[name]] for name in "abcde"} == {
        name: str(int(plain.grads[name].item()))  # type: ignore[union-attr, arg-type]
        for name in "abcde"
    }
    assert labels(trace, found.changed) == set("abcde")
    assert not found.same


def test_what_a_hook_does_not_reach_is_said_to_be_the_same() -> None:
    def run(factor: float) -> hookviz.Trace:
        a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))
        left, right = a * 2, b * 5
        left.register_hook(lambda grad: grad * factor)
        root = left + right
        return hookviz.record(root, names={"a": a, "b": b, "l": left, "r": right, "z": root})

    trace, other = run(3.0), run(1.0)
    found = compare(trace, other, AGAINST)
    assert labels(trace, found.changed) == {"l", "a"}
    assert labels(trace, found.same) == {"r", "b", "z"}
    edges = {edge.id for edge in trace.graph.edges}
    # The root's node sends the same to both sides; only what the left side sends on differs.
    assert len(found.changed & edges) == 1
    assert len(found.same & edges) == len(edges) - 1


def test_a_difference_in_the_eighth_digit_shows() -> None:
    def run(add: float) -> hookviz.Trace:
        a = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
        a.register_hook(lambda grad: grad / 3 + add)
        return hookviz.record(a * 1, names={"a": a})

    trace, other = run(0.0), run(1e-9)
    found = compare(trace, other, AGAINST)
    (ghost,) = [found.ghosts[t.id] for t in trace.graph.tensors if t.label == "a"]
    assert isinstance(ghost, str)
    assert ghost.startswith("0.33333333")


def test_what_only_one_of_them_reached_has_changed_and_no_ghost() -> None:
    def run(*, fails: bool) -> hookviz.Trace:
        a = torch.tensor(2.0, requires_grad=True)
        b = a * 3
        b.register_hook(lambda grad: 1 / 0 if fails else grad)
        return hookviz.record(b * 2, names={"a": a, "b": b})

    trace, other = run(fails=False), run(fails=True)
    found = compare(trace, other, AGAINST)
    (a,) = [tensor.id for tensor in trace.graph.tensors if tensor.label == "a"]
    assert a in found.changed
    assert a not in found.ghosts


def test_what_only_one_graph_has_is_changed_and_the_rest_is_compared() -> None:
    a, b = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0))

    def run(*, extra: bool) -> hookviz.Trace:
        a.grad = b.grad = None
        left = a * 2
        inner = left * 10 if extra else left
        right = b * 5
        root = inner + right
        return hookviz.record(root, names={"a": a, "b": b, "left": left, "right": right})

    trace, other = run(extra=True), run(extra=False)
    found = compare(trace, other, AGAINST)
    assert labels(trace, found.same) >= {"right", "b"}
    assert labels(trace, found.changed) == {"left", "a", "inner"}
    ids = {tensor.label: tensor.id for tensor in trace.graph.tensors}
    assert (found.ghosts[ids["a"]], found.ghosts[ids["left"]]) == ("2", "1")


def test_modules_keep_their_places_when_a_hook_adds_operations_in_one_of_them() -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    x = torch.rand(2, 3)
    explorer = hookviz.explore(lambda: net(x).sum())
    explorer.attach(net[1], "lambda module, args, output: output * 2")
    explorer.compare("hooks")
    plain = [parameter.grad.clone() for parameter in net.parameters()]  # type: ignore[union-attr]
    changed = labels(explorer.trace, frozenset(explorer.comparison["changed"]))
    assert {"net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias"} <= changed
    explorer.compare(None)
    for parameter, grad in zip(net.parameters(), plain, strict=True):
        assert torch.equal(parameter.grad, grad)  # type: ignore[arg-type]
    explorer.close()


def test_graphs_with_nothing_in_common_are_refused() -> None:
    trace = example(with_hooks=True)
    empty = TraceRecord(graph=GraphRecord(), events=(), grads={})
    with pytest.raises(DifferentGraphError):
        compare(trace, empty, AGAINST)
