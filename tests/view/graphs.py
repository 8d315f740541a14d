"""Small graphs, written by hand, for what the worked example does not show."""

from __future__ import annotations

from hookviz._records import (
    AccumulateEvent,
    EdgeRecord,
    Event,
    GraphRecord,
    HiddenRewriteEvent,
    NodeEvent,
    NodeRecord,
    StartEvent,
    TensorRecord,
)
from tests.view.example import scalar

Example = tuple[GraphRecord, tuple[Event, ...]]


def edge(place: int, source: str, source_index: int, target: str) -> EdgeRecord:
    """Return an edge to the only slot of a node."""
    return EdgeRecord(
        id=f"e{place}", source=source, source_index=source_index, target=target, input_nr=0
    )


def leaf(tensor_id: str, name: str, node: str) -> TensorRecord:
    """Return a leaf without hooks."""
    return TensorRecord(id=tensor_id, names=(name,), node=node, is_leaf=True, value=scalar(1))


def shared_leaf() -> Example:
    """Return y = x * x + 3 * x at x = 2, where three gradients meet at x."""
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="AddBackward0", edges=("e0", "e1")),
            NodeRecord(id="n1", name="MulBackward0", edges=("e2", "e3")),
            NodeRecord(id="n2", name="MulBackward0", edges=("e4", None)),
            NodeRecord(id="n3", name="AccumulateGrad", leaf="t1"),
        ),
        edges=(
            edge(0, "n0", 0, "n1"),
            edge(1, "n0", 1, "n2"),
            edge(2, "n1", 0, "n3"),
            edge(3, "n1", 1, "n3"),
            edge(4, "n2", 0, "n3"),
        ),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(10)),
            leaf("t1", "x", "n3"),
        ),
    )
    one, two, three = scalar(1), scalar(2), scalar(3)
    events = (
        StartEvent(index=0, tensor="y", outgoing=one),
        NodeEvent(index=1, node="n0", incoming=(one,), outgoing=(one, one)),
        NodeEvent(index=2, node="n2", incoming=(one,), outgoing=(three, None)),
        NodeEvent(index=3, node="n1", incoming=(one,), outgoing=(two, two)),
        AccumulateEvent(index=4, tensor="x", node="n3", incoming=scalar(7), grad_after=scalar(7)),
    )
    return graph, events


def hidden() -> Example:
    """Return y = u * 4 with u = x * 3, where a hook that nobody can list makes 4 into 28."""
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="MulBackward0", edges=("e0",)),
            NodeRecord(id="n1", name="MulBackward0", edges=("e1",)),
            NodeRecord(id="n2", name="AccumulateGrad", leaf="t2"),
        ),
        edges=(edge(0, "n0", 0, "n1"), edge(1, "n1", 0, "n2")),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(12)),
            TensorRecord(id="t1", names=("u",), node="n1", value=scalar(3)),
            leaf("t2", "x", "n2"),
        ),
    )
    used = scalar(28)
    events = (
        StartEvent(index=0, tensor="y", outgoing=scalar(1)),
        NodeEvent(index=1, node="n0", incoming=(scalar(1),), outgoing=(scalar(4),)),
        HiddenRewriteEvent(
            index=2,
            tensor="u",
            node="n1",
            slot=0,
            incoming=scalar(4),
            outgoing=used,
        ),
        NodeEvent(index=3, node="n1", incoming=(used,), outgoing=(scalar(84),)),
        AccumulateEvent(
            index=4,
            tensor="x",
            node="n2",
            incoming=scalar(84),
            grad_after=scalar(84),
        ),
    )
    return graph, events


def stray_leaf() -> Example:
    """Return a pass that never came to one of its two leaves."""
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="MulBackward0", edges=("e0",)),
            NodeRecord(id="n1", name="AccumulateGrad", leaf="t1"),
            NodeRecord(id="n2", name="AccumulateGrad", leaf="t2"),
            NodeRecord(id="n3", name="NeverBackward0", edges=("e1",)),
        ),
        edges=(edge(0, "n0", 0, "n1"), edge(1, "n3", 0, "n2")),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(12)),
            leaf("t1", "x", "n1"),
            leaf("t2", "w", "n2"),
        ),
    )
    three = scalar(3)
    events = (
        StartEvent(index=0, tensor="y", outgoing=scalar(1)),
        NodeEvent(index=1, node="n0", incoming=(scalar(1),), outgoing=(three,)),
        AccumulateEvent(index=2, tensor="x", node="n1", incoming=three, grad_after=three),
    )
    return graph, events


def chain(length: int) -> Example:
    """Return a chain of unnamed nodes, each of which sends on what it gets."""
    one = scalar(1)
    nodes = [NodeRecord(id=f"n{i}", name="MulBackward0", edges=(f"e{i}",)) for i in range(length)]
    nodes.append(NodeRecord(id=f"n{length}", name="AccumulateGrad", leaf="t1"))
    graph = GraphRecord(
        nodes=tuple(nodes),
        edges=tuple(edge(i, f"n{i}", 0, f"n{i + 1}") for i in range(length)),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=one),
            leaf("t1", "x", f"n{length}"),
        ),
    )
    events = [StartEvent(index=0, tensor="y", outgoing=one)]
    events += [
        NodeEvent(index=i + 1, node=f"n{i}", incoming=(one,), outgoing=(one,))
        for i in range(length)
    ]
    events.append(AccumulateEvent(index=length + 1, tensor="x", incoming=one, grad_after=one))
    return graph, tuple(events)
