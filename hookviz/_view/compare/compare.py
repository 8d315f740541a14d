"""Compare two passes of the same code: the values that a hook changed, and the others."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from hookviz._records import Event, GraphRecord, NodeEvent, TensorSnapshot, TraceRecord
from hookviz._view.compare.alignment import Alignment, align
from hookviz._view.lookup.arrivals import value_at
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.lookup.slot_values import SlotValue, slot_values
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import is_same_value, pair_text, short_text


class Comparison(Struct, frozen=True, kw_only=True):
    """One pass beside another, by the ids of tensors and edges.

    Attributes:
        against: Name of the other pass, such as `without hooks`.
        ghosts: The gradient of the other pass there, as text, also where only that one reached.
        grads: The `.grad` after the other pass, of tensors that keep one.
        changed: Where the two differ, also where only one of them reached.
        same: Where both have the same value.
    """

    against: Message
    ghosts: Mapping[str, Text]
    grads: Mapping[str, Text]
    changed: frozenset[str]
    same: frozenset[str]


class DifferentGraphError(ValueError):
    """The two passes have nothing in common."""


def compare(trace: TraceRecord, other: TraceRecord, against: Message) -> Comparison:
    """Return the differences of `trace` from `other`.

    A hook of a module can make operations of its own, so the graphs may differ: parts with a
    counterpart are compared (see `alignment.py`), and parts without one have changed.

    Args:
        trace: The pass on screen.
        other: Another real pass of the same code.
        against: Name of the other pass.

    Raises:
        DifferentGraphError: If nothing in the one graph has a counterpart in the other.
    """
    there = align(trace.graph, other.graph)
    if not there.tensors:
        raise DifferentGraphError("the two passes have nothing in common")
    pairs = {**_tensor_pairs(trace, other, there), **_edge_pairs(trace, other, there)}
    ghosts: dict[str, Text] = {}
    changed: set[str] = set()
    same: set[str] = set()
    for key, (mine, theirs) in pairs.items():
        is_same = mine is not None and theirs is not None and is_same_value(mine[0], theirs[0])
        (same if is_same else changed).add(key)
        if theirs is not None:
            # Beside another value as exact as it takes to tell them apart.
            own = theirs[0] if mine is None else mine[0]
            ghosts[key] = pair_text(own, theirs[0])[1]
    grads: dict[str, Text] = {}
    for tensor in trace.graph.tensors:
        counterpart = there.tensors.get(tensor.id)
        if counterpart is not None and (tensor.is_leaf or tensor.retains_grad):
            kept = other.grads.get(counterpart.label)
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


def _tensor_pairs(
    trace: TraceRecord, other: TraceRecord, there: Alignment
) -> dict[str, tuple[Seen, Seen]]:
    mine = slot_values(trace.graph, trace.events)
    theirs = slot_values(other.graph, other.events)

    def seen(value: SlotValue | None) -> Seen:
        return None if value is None else (value.used,)

    pairs = {}
    for tensor in trace.graph.tensors:
        counterpart = there.tensors.get(tensor.id)
        here = mine.get((tensor.node, tensor.output_nr))
        beyond = None
        if counterpart is not None:
            beyond = theirs.get((counterpart.node, counterpart.output_nr))
        if here is not None or beyond is not None:
            pairs[tensor.id] = seen(here), seen(beyond)
    return pairs


def _edge_pairs(
    trace: TraceRecord, other: TraceRecord, there: Alignment
) -> dict[str, tuple[Seen, Seen]]:
    mine, theirs = _sent(trace.graph, trace.events), _sent(other.graph, other.events)
    return {
        edge.id: (mine.get(edge.id), theirs.get(there.edges.get(edge.id, "")))
        for edge in trace.graph.edges
        if edge.id in mine or there.edges.get(edge.id) in theirs
    }


def _sent(graph: GraphRecord, events: tuple[Event, ...]) -> dict[str, Seen]:
    index = GraphIndex(graph)
    return {
        edge.id: (value_at(event.outgoing, place),)
        for event in events
        if isinstance(event, NodeEvent) and not event.timeline
        for place, edge in index.sent_along(event.node)
    }
