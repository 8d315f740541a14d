"""Describe each module of a graph for the inspector and the hook editor, as JSON-safe data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from hookviz._records import GraphRecord
from hookviz._view.page.panel import hook_data
from hookviz._view.text.message import Message, to_json_data


def module_data(graph: GraphRecord, kinds: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the data of the side panel for each module.

    Args:
        graph: The graph with the modules whose forward was watched.
        kinds: The kinds of hooks that can be attached now.

    Returns:
        One dictionary per module in the order of the first calls: id, label, class, the ids of
        its calls, its hooks, the kinds, and its surprises.
    """
    calls: dict[str, list[str]] = defaultdict(list)
    for call in graph.calls:
        calls[call.module].append(call.id)
    return [
        {
            "id": module.id,
            "label": module.name,
            "type": module.type,
            "order": order,
            "calls": calls[module.id],
            "hooks": [hook_data(hook) for hook in module.hooks],
            "kinds": list(kinds),
            "notes": [to_json_data(Message(note)) for note in module.notes],
        }
        for order, module in enumerate(graph.modules)
    ]
