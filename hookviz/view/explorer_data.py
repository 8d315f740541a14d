"""Put together what the widget's page is given for one trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookviz.languages import LANGUAGES
from hookviz.records import TraceRecord
from hookviz.view.panel import panel_data
from hookviz.view.picture import picture_svg
from hookviz.view.steps import Step, to_json_data
from hookviz.view.transcript import transcript
from hookviz.view.value_book import ValueBook


def explorer_data(trace: TraceRecord, steps: Sequence[Step]) -> dict[str, Any]:
    """Return the widget's traits by name, all of them JSON-safe.

    Args:
        trace: The pass to show.
        steps: Its steps.

    Returns:
        `steps` first, then `picture` (at step 0), `tensors`, `transcript` by language, `title`.
    """
    graph, book = trace.graph, ValueBook()
    return {
        "steps": to_json_data(steps, book),
        "values": book.data(),
        "picture": picture_svg(graph, steps, step=0, lang="en"),
        "tensors": panel_data(graph),
        "transcript": {
            lang: transcript(
                graph, trace.events, lang=lang, grads=trace.grads, error=trace.error, steps=steps
            )
            for lang in LANGUAGES
        },
        "title": f"{graph.root.label}.backward()",
    }
