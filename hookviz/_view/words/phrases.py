"""Put the parts of sentences together: lists, sums, places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hookviz._records import ErrorRecord
from hookviz._view.lookup.arrivals import Arrival
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.text.numbers import short_text

MOST_PARTS = 4
"""A sum of more contributions than this is told by their number instead."""


def listing(items: Sequence[Text]) -> Argument:
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


def sum_text(arrival: Arrival) -> dict[str, Argument] | None:
    """Return `2 + 3` and `5` as arguments, or `None` where there is nothing short to say."""
    values = [item.value for item in arrival.contributions if item.value is not None]
    if not 2 <= len(values) <= MOST_PARTS or arrival.value is None:
        return None
    parts = [short_text(value) for value in values]
    literals = [part for part in parts if isinstance(part, str)]
    # Shapes and norms of large gradients do not add up, so a plus between them would mislead.
    if len(literals) < len(parts) or any(part.endswith("…") for part in literals):
        return None
    return {"parts": " + ".join(literals), "gradient": short_text(arrival.value)}


def sum_sentences(index: GraphIndex, arrivals: Iterable[Arrival]) -> list[Text]:
    """Return a sentence for each place at which several gradients met."""
    sentences: list[Text] = []
    for arrival in arrivals:
        count = sum(item.value is not None for item in arrival.contributions)
        if count < 2:
            continue
        name, total = index.name_of_slot(arrival.slot), sum_text(arrival)
        if total is not None:
            sentences.append(Message("caption.sum", {"tensor": name, **total}))
        else:
            args = {"tensor": name, "count": str(count), "gradient": short_text(arrival.value)}
            sentences.append(Message("caption.sum.many", args))
    return sentences


def place_of_error(error: ErrorRecord) -> Message | None:
    """Return the line that raised, or `None` where it is not known."""
    if error.code_line is None:
        return None
    args = {"line": str(error.code_line), "file": error.code_file, "code": error.code_text}
    return Message("error.place" if error.code_text else "error.place.unread", args)
