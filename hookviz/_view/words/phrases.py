"""Put the parts of sentences together: lists, sums, what was sent where."""

from __future__ import annotations

from collections.abc import Sequence

from hookviz._records import Event
from hookviz._records.graph import TensorRecord
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Value
from hookviz._view.lookup.arrivals import Arrival, value_at
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import CARD_WIDTH, pair_text, short_text

MOST_PARTS = 4
"""A sum of more contributions than this is told by their number instead."""


def listing(items: Sequence[Text]) -> Text | tuple[Text, ...]:
    """Join texts as a sentence does: one, one and two, or a list."""
    if len(items) == 2:
        return Message("list.two", {"first": items[0], "second": items[1]})
    return items[0] if len(items) == 1 else tuple(items)


def join(*sentences: Text | None) -> Text:
    """Put sentences one after the other; `None` is skipped."""
    given = [sentence for sentence in sentences if sentence is not None]
    text = given[-1]
    for sentence in reversed(given[:-1]):
        text = Message("caption.all", {"first": sentence, "second": text})
    return text


def value_text(value: Value, width: int) -> Text | tuple[Text, ...]:
    """Return one gradient, or the gradients per output slot or edge."""
    if not isinstance(value, tuple):
        return short_text(value, width=width)
    if len(value) == 1:
        return short_text(value[0], width=width)
    return tuple(
        Message("slot.value", {"slot": str(slot), "gradient": short_text(item, width=width)})
        for slot, item in enumerate(value)
    )


def change_texts(before: Value, after: Value, width: int) -> tuple[Text, Text]:
    """Return what a hook on a node changed: the first entry that differs."""
    places = max(len(v) if isinstance(v, tuple) else 1 for v in (before, after))
    pairs = [(value_at(before, place), value_at(after, place)) for place in range(places)]
    place = next((i for i, (one, other) in enumerate(pairs) if one != other), 0)
    texts = pair_text(*pairs[place], width=width) if pairs else ("", "")
    if places == 1:
        return texts
    first, second = (
        Message("slot.value", {"slot": str(place), "gradient": text}) for text in texts
    )
    return first, second


def sent_texts(
    index: GraphIndex,
    event: Event,
    arrivals: Sequence[Arrival],
    *,
    width: int,
    with_sums: bool,
) -> list[Text]:
    """Return `8 to c` for each edge of a node, and the sum where it is complete with this."""
    sums = {arrival.slot: sum_text(arrival) for arrival in arrivals} if with_sums else {}
    texts: list[Text] = []
    edges = index.sent_along(event.node)
    for order, (place, edge) in enumerate(edges):
        slot = edge.target, edge.input_nr
        args: dict[str, Text | tuple[Text, ...]] = {
            "outgoing": short_text(value_at(event.outgoing, place), width=width),
            "tensor": index.name_of_slot(slot),
        }
        # `x * x` sends twice to one slot: the sum belongs to the last of them.
        is_last = all((later.target, later.input_nr) != slot for _, later in edges[order + 1 :])
        total = sums.get(slot) if is_last else None
        if total is None:
            texts.append(Message("sent", args))
        else:
            texts.append(Message("sent.sum", {**args, **total}))
    return texts


def sum_text(arrival: Arrival) -> dict[str, Text] | None:
    """Return `2 + 3` and `5` as arguments, or `None` where there is nothing short to say."""
    values = [item.value for item in arrival.contributions if item.value is not None]
    if not 2 <= len(values) <= MOST_PARTS or arrival.value is None:
        return None
    parts = [short_text(value, width=CARD_WIDTH) for value in values]
    literals = [part for part in parts if isinstance(part, str)]
    # Shapes and norms of large gradients do not add up, so a plus between them would mislead.
    if len(literals) < len(parts) or any(part.endswith("…") for part in literals):
        return None
    return {
        "parts": " + ".join(literals),
        "gradient": short_text(arrival.value, width=CARD_WIDTH),
    }


def sum_sentence(index: GraphIndex, arrival: Arrival) -> Message | None:
    """Say that several gradients met, if they did."""
    count = sum(item.value is not None for item in arrival.contributions)
    if count < 2:
        return None
    name = index.name_of_slot(arrival.slot)
    total = sum_text(arrival)
    if total is not None:
        return Message("caption.sum", {"tensor": name, **total})
    gradient = short_text(arrival.value)
    return Message("caption.sum.many", {"tensor": name, "count": str(count), "gradient": gradient})


def tensor_texts(
    before: TensorSnapshot | None, after: TensorSnapshot | None, width: int
) -> dict[str, Text]:
    """Return a tensor's `.grad` or value before and after as arguments."""
    first, second = pair_text(before, after, width=width)
    return {"before": first, "after": second}


def tensor_named(index: GraphIndex, event: Event) -> tuple[TensorRecord | None, str]:
    """Return the event's tensor and what to call it."""
    tensor = index.tensor_of(event.tensor)
    return tensor, tensor.label if tensor is not None else (event.tensor or "")
