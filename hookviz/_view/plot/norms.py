"""Find how large gradients were on the way from the root to a leaf, before and after hooks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from hookviz._records import AccumulateEvent, Event, GraphRecord, TensorRecord, TensorSnapshot
from hookviz._view.lookup.index import GraphIndex, Slot
from hookviz._view.lookup.slot_values import SlotValue, slot_values


class Station(Struct, frozen=True, kw_only=True):
    """One place on the way of a gradient.

    Attributes:
        label: The tensor there, else the node that takes the gradient in.
        arrived: Euclidean (L2) norm of the gradient that arrived; `None` where none did.
        used: Its norm after all hooks.
    """

    label: str
    arrived: float | None
    used: float | None

    @property
    def is_rewritten(self) -> bool:
        """Whether the two differ."""
        return self.arrived != self.used


def norm_of(snapshot: TensorSnapshot | None) -> float | None:
    """Return the Euclidean norm of a recorded gradient, `None` where there is no number."""
    if snapshot is None:
        return None
    if snapshot.summary is not None:
        return float(snapshot.summary.norm) if snapshot.summary.norm else None
    if snapshot.values is None:
        return None
    return math.sqrt(math.fsum(abs(number) ** 2 for number in snapshot.numbers()))


def leaf_stations(graph: GraphRecord, events: Sequence[Event]) -> tuple[Station, ...]:
    """Return every leaf that a gradient reached, in the order in which backward reached them."""
    values = slot_values(graph, events)
    order = [event.tensor for event in events if isinstance(event, AccumulateEvent)]
    leaves = {tensor.label: tensor for tensor in graph.tensors if tensor.is_leaf}
    reached = [leaves[label] for label in dict.fromkeys(order) if label in leaves]
    return tuple(_station(tensor.label, (tensor.node, 0), values) for tensor in reached)


def stations_to(
    graph: GraphRecord, events: Sequence[Event], tensor: TensorRecord
) -> tuple[Station, ...]:
    """Return the stations from the root to a tensor, along the longest way.

    Args:
        graph: The graph.
        events: Of one pass over it.
        tensor: Where the way ends.
    """
    index, values = GraphIndex(graph), slot_values(graph, events)
    return tuple(
        _station(index.name_of_slot(slot), slot, values)
        for slot in _longest_way(index, (tensor.node, tensor.output_nr))
    )


def _station(label: str, slot: Slot, values: Mapping[Slot, SlotValue]) -> Station:
    value = values.get(slot, SlotValue(arrived=None, used=None))
    return Station(label=label, arrived=norm_of(value.arrived), used=norm_of(value.used))


def _longest_way(index: GraphIndex, end: Slot) -> list[Slot]:
    """Return slots from the root to `end`; each node has run before those behind it."""
    root = index.graph.root
    start = (root.node, root.output_nr)
    best: dict[Slot, tuple[int, Slot | None]] = {start: (0, None)}
    waits = dict.fromkeys(index.nodes, 0)
    for edge in index.graph.edges:
        waits[edge.target] += 1
    ready = [node for node, count in waits.items() if not count]
    reached: dict[str, Slot] = {root.node: start}
    for node in ready:
        for _, edge in index.sent_along(node):
            slot = edge.target, edge.input_nr
            if node in reached:
                length = best[reached[node]][0] + 1
                if length > best.get(slot, (-1, None))[0]:
                    best[slot] = length, reached[node]
                farthest = reached.get(edge.target)
                if farthest is None or length > best[farthest][0]:
                    reached[edge.target] = slot
            waits[edge.target] -= 1
            if not waits[edge.target]:
                ready.append(edge.target)
    way: list[Slot] = []
    step: Slot | None = end if end in best else None
    while step is not None:
        way.append(step)
        step = best[step][1]
    return way[::-1]
