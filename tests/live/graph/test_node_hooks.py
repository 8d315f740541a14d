"""Hooks on backward functions: real ones, recorded, changed and taken off again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch

from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.session import Session
from hookviz.errors import HookRunError, HookSourceError, HookvizError, UnknownTargetError
from tests.live.scripts import grad_of, leaf

Tensors = dict[str, torch.Tensor]


def build() -> Tensors:
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    c.register_hook(lambda grad: grad + 1)
    c.retain_grad()
    d = c * 4
    return {"e": d + c, "d": d, "c": c, "a": a, "b": b}


def open_session(tensors: Tensors) -> Session:
    root = next(iter(tensors.values()))
    return Session(
        root, BackwardOptions(), names=tensors, namespaces=[{"torch": torch}], echo=False
    )


def node_of(session: Session, name: str) -> str:
    found = session.trace.graph.find(name)
    assert found is not None
    return found.node


def grads(tensors: Tensors) -> dict[str, Any]:
    return {name: grad_of(tensor) for name, tensor in tensors.items()}


def plain(register: Callable[[Tensors], object]) -> dict[str, Any]:
    tensors = build()
    kept = register(tensors)
    tensors["e"].backward()
    del kept
    return grads(tensors)


PRE = "lambda grad_outputs: (grad_outputs[0] * 10,)"
POST = "lambda grad_inputs, grad_outputs: (grad_inputs[0] * 10, grad_inputs[1])"


@pytest.mark.parametrize("name", ["c", "d", "e", "a"])
def test_a_pre_hook_on_a_function_changes_what_it_works_with(name: str) -> None:
    tensors = build()
    session = open_session(tensors)
    node = node_of(session, name)
    hook_id = session.attach(node, PRE, kind="node_prehook")

    def register(tensors: Tensors) -> object:
        edge = torch.autograd.graph.get_gradient_edge(tensors[name])
        return edge.node, edge.node.register_prehook(lambda grads: (grads[0] * 10,))

    assert grads(tensors) == plain(register)
    (event,) = [e for e in session.trace.events if e.kind == "node_prehook"]
    assert (event.node, event.hook_index, event.rewritten) == (node, 0, True)
    assert event.hook is not None
    assert (event.hook.id, event.hook.origin) == (hook_id, "explorer")
    assert isinstance(event.incoming, tuple)
    assert isinstance(event.outgoing, tuple)
    assert event.incoming[0] is not None
    assert event.outgoing[0] is not None
    assert event.outgoing[0].item() == event.incoming[0].item() * 10
    assert not any(e.kind == "hidden_rewrite" for e in session.trace.events)
    kept = [e for e in session.trace.events if e.kind == "retain_grad"]
    assert len(kept) == 1
    if name == "c":
        # PyTorch keeps `.grad` before it runs a pre-hook of the function.
        assert kept[0].index < event.index
    (record,) = [n.hooks for n in session.trace.graph.nodes if n.hooks]
    assert [hook.id for hook in record] == [hook_id]
    session.close()
    for tensor in tensors.values():
        if tensor.is_leaf or tensor.retains_grad:
            tensor.grad = None
    tensors["e"].backward()
    assert grads(tensors) == plain(lambda _: None)


def test_a_hook_after_a_function_changes_what_it_sends() -> None:
    tensors = build()
    session = open_session(tensors)
    node = node_of(session, "c")
    session.attach(node, POST)

    def register(tensors: Tensors) -> object:
        node = tensors["c"].grad_fn
        assert node is not None
        return node.register_hook(lambda inputs, outputs: (inputs[0] * 10, inputs[1]))

    assert grads(tensors) == plain(register)
    (event,) = [e for e in session.trace.events if e.kind == "node_hook"]
    (ran,) = [e for e in session.trace.events if e.kind == "node" and e.node == node]
    assert event.outgoing == ran.outgoing != event.incoming
    assert event.index < ran.index


def test_hooks_on_a_function_are_edited_moved_turned_off_and_removed() -> None:
    tensors = build()
    session = open_session(tensors)
    node = node_of(session, "d")
    first = session.attach(node, "lambda grads: (grads[0] + 1,)", kind="node_prehook")
    second = session.attach(node, "lambda grads: (grads[0] * 2,)", kind="node_prehook")

    def plainly(*hooks: Callable[..., Any]) -> dict[str, Any]:
        def register(tensors: Tensors) -> object:
            node = tensors["d"].grad_fn
            assert node is not None
            return [node.register_prehook(hook) for hook in hooks]

        return plain(register)

    def add(grads: Any) -> Any:
        return (grads[0] + 1,)

    def double(grads: Any) -> Any:
        return (grads[0] * 2,)

    assert grads(tensors) == plainly(add, double)
    session.move(second, 0)
    assert grads(tensors) == plainly(double, add)
    assert [hook.id for n in session.trace.graph.nodes for hook in n.hooks] == [second, first]
    session.disable(second)
    assert grads(tensors) == plainly(add)
    session.edit(first, "lambda grads: (grads[0] + 5,)")
    assert grads(tensors) == plainly(lambda grads: (grads[0] + 5,))
    session.enable(second)
    assert grads(tensors) == plainly(double, lambda grads: (grads[0] + 5,))
    session.remove(first)
    assert grads(tensors) == plainly(double)
    bare = session.without()
    assert not any(e.kind == "node_prehook" for e in bare.events)
    session.remove(second)
    assert grads(tensors) == plain(lambda _: None)


def test_a_hook_that_changes_its_gradient_in_place_is_seen_to() -> None:
    tensors = build()
    session = open_session(tensors)
    session.attach(
        node_of(session, "c"), lambda grads: grads[0].mul_(3) and None, kind="node_prehook"
    )
    (event,) = [e for e in session.trace.events if e.kind == "node_prehook"]
    assert (event.mutated, event.rewritten, event.returned_none) == (True, True, True)


@pytest.mark.parametrize(
    ("kind", "hook"),
    [
        ("node_prehook", lambda grads: grads[0]),
        ("node_prehook", lambda grads: ()),
        ("node_prehook", lambda grads: 1 / 0),
        ("node_hook", lambda inputs, outputs: inputs[0]),
        ("node_hook", lambda inputs, outputs: (None, None, None)),
    ],
)
def test_a_hook_that_pytorch_refuses_is_blamed_and_taken_off(kind: Any, hook: Any) -> None:
    tensors = build()
    session = open_session(tensors)
    before, node = grads(tensors), node_of(session, "d")
    with pytest.raises(HookRunError) as caught:
        session.attach(node, hook, kind=kind)
    error = caught.value.trace.error
    assert error is not None
    assert error.hook is not None
    assert (error.node, error.tensor) == (node, None)
    expected = (
        "error.hook_raised" if error.type == "ZeroDivisionError" else "error.node_hook_result"
    )
    assert error.explanation == expected
    assert caught.value.trace.events[-1].kind == "error"
    assert not any(e.kind == kind for e in caught.value.trace.events)
    assert grads(tensors) == before
    assert not any(n.hooks for n in session.trace.graph.nodes)


def test_what_is_no_hook_for_a_function_is_refused() -> None:
    session = open_session(build())
    with pytest.raises(HookSourceError, match="grad_inputs, grad_outputs"):
        session.attach("n0", "lambda grad: grad")
    with pytest.raises(UnknownTargetError, match="n0 to n"):
        session.attach("n99", POST, kind="node_hook")
    with pytest.raises(HookvizError, match="takes no node_hook"):
        session.attach(session.tensor_with_id("a").tensor, POST, kind="node_hook")


def test_a_pass_inside_a_hook_on_a_function_is_kept_apart() -> None:
    tensors = build()
    session = open_session(tensors)
    inner = leaf(1.0)

    def hook(grads: Any) -> None:
        with torch.enable_grad():
            (inner * 2).backward()

    session.attach(node_of(session, "c"), hook, kind="node_prehook")
    assert grads(tensors) == plain(lambda _: None)
    assert inner.grad is not None


def test_the_graph_can_go_without_the_cycle_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        tensors = build()
        session = open_session(tensors)
        session.attach("n1", POST)
        session.attach("n1", PRE, kind="node_prehook")
        gone = [weakref.ref(tensor) for tensor in tensors.values()]
        session.close()
        del tensors
        assert [reference() for reference in gone] == [None] * len(gone)
    finally:
        gc.enable()
