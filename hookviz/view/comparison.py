"""Compare two passes over one graph: what a hook changed, and what it did not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hookviz.records import Event, GraphRecord, TensorSnapshot, TraceRecord
from hookviz.view.arrivals import value_at
from hookviz.view.message import Message, Text
from hookviz.view.names import GraphIndex
from hookviz.view.numbers import is_same_value, pair_text, short_text
from hookviz.view.slot_values import SlotValue, slot_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One pass beside another, by the ids of tensors and edges.

    Attributes:
        against: What the other pass was, such as `without hooks`.
        ghosts: What the other pass used or sent there, as text; only where both reached.
        grads: What `.grad` was after the other pass, of tensors that keep one.
        changed: Where the two differ, also where only one of them reached.
        same: Where both have the same value.
    """

    against: Message
    ghosts: Mapping[str, Text]
    grads: Mapping[str, Text]
    changed: frozenset[str]
    same: frozenset[str]


class DifferentGraphError(ValueError):
    """The two passes do not run over graphs of the same structure."""


def compare(trace: TraceRecord, other: TraceRecord, against: Message) -> Comparison:
    """Return what is different in `trace`, seen from `other`.

    Args:
        trace: The pass on screen.
        other: Another real pass over the same graph.
        against: What to call the other pass.

    Raises:
        DifferentGraphError: If the graphs have other nodes, edges or tensors.
    """
    if _structure(trace.graph) != _structure(other.graph):
        raise DifferentGraphError("the two passes run over different graphs")
    pairs = {**_tensor_pairs(trace, other), **_edge_pairs(trace, other)}
    ghosts: dict[str, Text] = {}
    changed: set[str] = set()
    same: set[str] = set()
    for key, (mine, theirs) in pairs.items():
        is_same = mine is not None and theirs is not None and is_same_value(mine[0], theirs[0])
        (same if is_same else changed).add(key)
        if mine is not None and theirs is not None:
            ghosts[key] = pair_text(mine[0], theirs[0])[1]
    grads: dict[str, Text] = {}
    for tensor in trace.graph.tensors:
        if tensor.is_leaf or tensor.retains_grad:
            kept = other.grads.get(tensor.label)
            grads[tensor.id] = short_text(kept)
            if not is_same_value(trace.grads.get(tensor.label), kept):
                changed.add(tensor.id)
                same.discard(tensor.id)
    return Comparison(
        against=against,
        ghosts=ghosts,
        grads=grads,
        changed=frozenset(changed),
        same=frozenset(same),
    )


Seen = tuple[TensorSnapshot | None] | None
"""A recorded value in brackets, since `None` can be one; `None` where nothing was recorded."""


def _tensor_pairs(trace: TraceRecord, other: TraceRecord) -> dict[str, tuple[Seen, Seen]]:
    mine = slot_values(trace.graph, trace.events)
    theirs = slot_values(other.graph, other.events)

    def seen(value: SlotValue | None) -> Seen:
        return None if value is None else (value.used,)

    pairs = {}
    for tensor in trace.graph.tensors:
        slot = tensor.node, tensor.output_nr
        if slot in mine or slot in theirs:
            pairs[tensor.id] = seen(mine.get(slot)), seen(theirs.get(slot))
    return pairs


def _edge_pairs(trace: TraceRecord, other: TraceRecord) -> dict[str, tuple[Seen, Seen]]:
    mine, theirs = _sent(trace.graph, trace.events), _sent(other.graph, other.events)
    return {edge: (mine.get(edge), theirs.get(edge)) for edge in {**mine, **theirs}}


def _sent(graph: GraphRecord, events: tuple[Event, ...]) -> dict[str, Seen]:
    index = GraphIndex(graph)
    return {
        edge.id: (value_at(event.outgoing, place),)
        for event in events
        if event.kind == "node" and not event.timeline
        for place, edge in index.sent_along(event.node)
    }


def _structure(graph: GraphRecord) -> object:
    nodes = tuple((node.id, node.name) for node in graph.nodes)
    tensors = tuple((tensor.id, tensor.node, tensor.output_nr) for tensor in graph.tensors)
    return nodes, graph.edges, tensors
