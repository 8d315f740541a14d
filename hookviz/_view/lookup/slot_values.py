"""Find the two values of every slot: the gradient that arrived, and the one that was used."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from hookviz._records import AccumulateEvent, Event, GraphRecord, NodeEvent, TensorSnapshot
from hookviz._view.lookup.arrivals import find_news, single, value_at
from hookviz._view.lookup.index import GraphIndex, Slot


class SlotValue(Struct, frozen=True, kw_only=True):
    """What was recorded at one slot.

    Attributes:
        arrived: The gradient before any hook; `None` where none was.
        used: What the node worked with, or the leaf was given, after all hooks.
    """

    arrived: TensorSnapshot | None
    used: TensorSnapshot | None


def slot_values(graph: GraphRecord, events: Sequence[Event]) -> dict[Slot, SlotValue]:
    """Return the values of every slot that a pass has reached, also where `None` travelled."""
    index = GraphIndex(graph)
    found = {
        arrival.slot: SlotValue(arrived=arrival.value, used=arrival.value)
        for news in find_news(index, events)
        for arrival in news.arrivals
    }

    def use(slot: Slot, value: TensorSnapshot | None) -> None:
        arrived = found[slot].arrived if slot in found else value
        found[slot] = SlotValue(arrived=arrived, used=value)

    for event in events:
        if event.timeline:
            continue
        if isinstance(event, NodeEvent) and event.node in index.nodes:
            for output_nr in range(index.nodes[event.node].num_outputs):
                if (event.node, output_nr) in found:
                    use((event.node, output_nr), value_at(event.incoming, output_nr))
        elif isinstance(event, AccumulateEvent) and (slot := index.slot_of(event)) is not None:
            use(slot, single(event.incoming))
    return found
