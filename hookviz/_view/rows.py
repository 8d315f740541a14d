"""Show the events of a pass as rows of plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from hookviz._records import Event, GraphRecord, Value
from hookviz._view.lookup.arrivals import find_news
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.plot.norms import norm_of
from hookviz._view.text.message import render
from hookviz._view.text.numbers import CAPTION_WIDTH, short_text
from hookviz._view.words.kinds import words_for
from hookviz._view.words.speaker import Speaker
from hookviz._view.words.words import Words

_VALUES = ("incoming", "outgoing", "grad_before", "grad_after")


def rows_of(graph: GraphRecord, events: Sequence[Event]) -> Iterator[dict[str, object]]:
    """Yield one row for each event; see `Trace.rows` for the columns."""
    index = GraphIndex(graph)
    speaker = Speaker(index, CAPTION_WIDTH)
    for event, news in zip(events, find_news(index, events), strict=True):
        yield _row(event, words_for(event, speaker, news))


def _row(event: Event, words: Words[Event]) -> dict[str, object]:
    values: dict[str, Value] = {name: getattr(event, name) for name in _VALUES}
    return {
        "index": event.index,
        "kind": event.kind,
        "where": words.who()[1],
        "what": render(words.row(), "en"),
        "hook": None if event.hook is None else event.hook.label,
        **{name: _text(value) for name, value in values.items()},
        **{f"{name}_norm": _norm(value) for name, value in values.items()},
        "rewritten": event.rewritten,
        "printed": event.printed,
    }


def _text(value: Value) -> str | None:
    if isinstance(value, tuple):
        return ", ".join(_text(item) or "None" for item in value)
    return None if value is None else render(short_text(value, width=CAPTION_WIDTH), "en")


def _norm(value: Value) -> float | None:
    if isinstance(value, tuple):
        return _norm(value[0]) if len(value) == 1 else None
    norm = norm_of(value)
    return norm if norm is not None and math.isfinite(norm) else None
