"""Find when each gradient has arrived in full, and what was sent to make it.

Every value is one that was recorded. A sum is never formed here: it is read where the engine used
it, and shown at the step of the last contribution, because from then on it is what it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hookviz._records import (
    ErrorEvent,
    Event,
    GradEvent,
    HiddenRewriteEvent,
    NodeEvent,
    StartEvent,
    TensorHookEvent,
)
from hookviz._records.graph import EdgeRecord
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Value
from hookviz._view.lookup.index import GraphIndex, Slot
from hookviz._view.text.numbers import is_same_value


class Contribution(Struct, frozen=True, kw_only=True):
    """What one edge carried.

    Attributes:
        position: Place of the sender's event in the trace.
        edge: The edge.
        value: What was sent, `None` if no gradient was.
    """

    position: int
    edge: EdgeRecord
    value: TensorSnapshot | None


class Arrival(Struct, frozen=True, kw_only=True):
    """The gradient at one slot, before any listed hook.

    Attributes:
        position: Place of the event from which on it is known.
        slot: Where it arrived.
        value: The recorded gradient.
        contributions: What was sent to that slot, in order; empty for the root.
    """

    position: int
    slot: Slot
    value: TensorSnapshot | None
    contributions: tuple[Contribution, ...] = ()


class News(Struct, frozen=True):
    """What becomes known with one event.

    Attributes:
        arrivals: The gradients that are known in full from this event on.
        waiting: The slots to which the event sent a part while more was still to come.
    """

    arrivals: list[Arrival] = msgspec.field(default_factory=list)
    waiting: list[Slot] = msgspec.field(default_factory=list)


def find_news(index: GraphIndex, events: Sequence[Event]) -> list[News]:
    """Return for each event what becomes known with it."""
    news = [News() for _ in events]
    seen: dict[Slot, tuple[int, TensorSnapshot | None]] = {}
    sent: dict[Slot, list[Contribution]] = defaultdict(list)
    disturbed: set[Slot] = set()
    for position, event in enumerate(events):
        if event.timeline:
            continue
        for slot, value in _values_seen(index, event):
            seen.setdefault(slot, (position, value))
        for place, edge in index.sent_along(event.node) if isinstance(event, NodeEvent) else ():
            contribution = Contribution(
                position=position, edge=edge, value=value_at(event.outgoing, place)
            )
            sent[edge.target, edge.input_nr].append(contribution)
        disturbed.update(_slots_disturbed(index, event))
    for slot in {**seen, **sent}:
        contributions = tuple(sent.get(slot, ()))
        is_complete = len(contributions) == len(index.edges_into[slot])
        arrival = _arrival_at(
            slot,
            seen.get(slot),
            contributions,
            is_explained=is_complete and slot not in disturbed,
        )
        if arrival is not None:
            news[arrival.position].arrivals.append(arrival)
        last = contributions[-1].position if contributions else 0
        for position in {item.position for item in contributions if item.position < last}:
            news[position].waiting.append(slot)
    return news


def value_at(value: Value, place: int) -> TensorSnapshot | None:
    """Return one entry of what arrived at or left a node; `None` where there is none."""
    if not isinstance(value, tuple):
        return value if place == 0 else None
    return value[place] if place < len(value) else None


def single(value: Value) -> TensorSnapshot | None:
    """Return the one gradient of an event on a tensor."""
    return value_at(value, 0)


def _values_seen(index: GraphIndex, event: Event) -> Iterator[tuple[Slot, TensorSnapshot | None]]:
    """Yield each slot whose arrived gradient this event shows."""
    match event:
        case StartEvent():
            root = index.graph.root
            yield (root.node, root.output_nr), single(event.outgoing)
        case NodeEvent() if event.node in index.nodes:
            for place in range(len(event.incoming) if isinstance(event.incoming, tuple) else 1):
                yield (event.node or "", place), value_at(event.incoming, place)
        case ErrorEvent() if event.tensor is None or event.incoming is None:
            # No hook of a tensor raised.
            return
        case TensorHookEvent() | HiddenRewriteEvent() | GradEvent() | ErrorEvent():
            slot, several = index.slot_of(event), isinstance(event.incoming, tuple)
            if slot is not None:
                value = single(event.incoming)
                yield slot, _kind_of(value) if several else value


def _kind_of(part: TensorSnapshot | None) -> TensorSnapshot | None:
    """Return what is known of a sum that was not recorded: it is of the kind of its parts."""
    return None if part is None else replace(part, values=None, summary=None, nnz=None)


def _slots_disturbed(index: GraphIndex, event: Event) -> Iterator[Slot]:
    """Yield the slots at which what was sent and what arrived may differ."""
    if isinstance(event, HiddenRewriteEvent) and (slot := index.slot_of(event)) is not None:
        yield slot
    for name in event.reached:
        edge = index.edges.get(name)
        tensor = index.tensor_of(name)
        if edge is not None:
            yield edge.target, edge.input_nr
        elif tensor is not None:
            yield tensor.node, tensor.output_nr


def _arrival_at(
    slot: Slot,
    seen: tuple[int, TensorSnapshot | None] | None,
    contributions: tuple[Contribution, ...],
    *,
    is_explained: bool,
) -> Arrival | None:
    """Return the gradient at a slot, or `None` where it is not known.

    Args:
        slot: The slot.
        seen: The first event that used what arrived, and what that was.
        contributions: What was sent there.
        is_explained: Whether everything was sent, and nothing came in between.
    """
    if not contributions:
        return None if seen is None else Arrival(position=seen[0], slot=slot, value=seen[1])
    last = contributions[-1].position
    only = contributions[0] if len(contributions) == 1 and is_explained else None
    if seen is None:
        # Nothing used it (an error came first, say). A sole contribution is what arrived, and
        # so is None where nothing else was sent; the sum of several is not known.
        is_none = is_explained and all(item.value is None for item in contributions)
        if only is None and not is_none:
            return None
        seen = last, contributions[0].value
    position, value = seen
    is_as_sent = only is None or is_same_value(only.value, value)
    if is_explained and is_as_sent:
        position = min(last, position)
    return Arrival(position=position, slot=slot, value=value, contributions=contributions)
