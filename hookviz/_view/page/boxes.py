"""Open and close boxes: what the page is given then, and which boxes there are."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from hookviz._records import GraphRecord, TraceRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.start import all_expanded
from hookviz._view.groups.tree import GroupTree
from hookviz._view.scene.ranks import Direction
from hookviz._view.steps.steps import Step
from hookviz._view.steps.stops import to_json_data
from hookviz._view.svg.picture import Drawn


def expansion_data(
    trace: TraceRecord,
    steps: Sequence[Step],
    expanded: Collection[str],
    *,
    tree: GroupTree | None = None,
    direction: Direction = "auto",
) -> dict[str, Any]:
    """Return the traits that change when a box is opened or closed, all of them JSON-safe.

    Args:
        trace: The pass to show.
        steps: Its steps.
        expanded: Ids of the boxes that are open; those that are not in the graph are left out.
        tree: The groups of the graph, where they are at hand.
        direction: Which way the gradient flows.

    Returns:
        `picture` (at step 0), `stops`, `expanded`.
    """
    drawn = Drawn(trace.graph, steps, tree, trace.events)
    asked = set(expanded)
    known = [group_id for group_id in drawn.tree.groups if group_id in asked]
    return {
        "picture": drawn.picture(0, lang="en", expanded=known, direction=direction),
        "stops": to_json_data(drawn.stops(known)),
        "expanded": known,
    }


def box_named(graph: GraphRecord, name: str, *, tree: GroupTree | None = None) -> str | None:
    """Return the id of the first box with this name, or with this id; names come before ids."""
    tree = tree or group_tree(graph)
    for group in tree.groups.values():
        if group.module is not None and group.module.name == name:
            return group.id
    return name if name in tree.groups else None


def opened_to(
    graph: GraphRecord, expanded: Collection[str], box: str, *, tree: GroupTree | None = None
) -> tuple[str, ...]:
    """Return the boxes that are open when this one is opened too, with all that are around it."""
    tree = tree or group_tree(graph)
    return _in_order(tree, {*expanded, *tree.chain(box)})


def closed(
    graph: GraphRecord, expanded: Collection[str], box: str, *, tree: GroupTree | None = None
) -> tuple[str, ...]:
    """Return the boxes that are open when this one is closed; those in it come back with it."""
    tree = tree or group_tree(graph)
    return _in_order(tree, set(expanded) - {box})


def all_opened(graph: GraphRecord, *, tree: GroupTree | None = None) -> tuple[str, ...]:
    """Return all boxes, or of a very large graph as many as can still be drawn."""
    return all_expanded(graph, tree or group_tree(graph))


def _in_order(tree: GroupTree, wanted: Collection[str]) -> tuple[str, ...]:
    return tuple(group_id for group_id in tree.groups if group_id in wanted)
