"""Put together the data of the widget's page for one trace."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from hookviz._languages import LANGUAGES
from hookviz._records import TraceRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.start import start_expanded
from hookviz._view.groups.tree import GroupTree
from hookviz._view.lookup.titles import title_of
from hookviz._view.page.box_data import box_data
from hookviz._view.page.boxes import expansion_data
from hookviz._view.page.module_panel import module_data
from hookviz._view.page.panel import panel_data
from hookviz._view.scene.ranks import Direction
from hookviz._view.steps.code_places import code_data
from hookviz._view.steps.steps import Step, to_json_data
from hookviz._view.steps.value_book import ValueBook
from hookviz._view.transcript import transcript


def explorer_data(
    trace: TraceRecord,
    steps: Sequence[Step],
    *,
    expanded: Collection[str] | None = None,
    kinds: Collection[str] = (),
    tree: GroupTree | None = None,
    direction: Direction = "auto",
    is_fixed: bool = False,
) -> dict[str, Any]:
    """Return the widget's traits by name, all of them JSON-safe.

    Args:
        trace: The pass to show.
        steps: Its steps.
        expanded: Ids of the boxes that are open; `None` for the start.
        kinds: The kinds of module hooks that can be attached now.
        tree: The groups of the graph, where they are at hand.
        direction: Which way the gradient flows in the picture.
        is_fixed: See `panel_data`.

    Returns:
        `steps` first, then `tensors`, `modules`, `code`, `picture` (at step 0), `stops` and
        `expanded`, `transcript` by language, `title`.
    """
    graph, book = trace.graph, ValueBook()
    tree = tree or group_tree(graph)
    opened = start_expanded(graph, tree) if expanded is None else expanded
    return {
        "steps": to_json_data(steps, book),
        "values": book.data(),
        "tensors": panel_data(graph, is_fixed=is_fixed),
        "modules": module_data(graph, kinds),
        "boxes": box_data(tree),
        "code": code_data(graph.sources),
        **expansion_data(trace, steps, opened, tree=tree, direction=direction),
        "transcript": {
            lang: transcript(
                graph, trace.events, lang=lang, grads=trace.grads, error=trace.error, steps=steps
            )
            for lang in LANGUAGES
        },
        "title": title_of(graph, trace.events),
    }
