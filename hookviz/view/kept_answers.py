"""Answer in advance what a reader of a saved page may ask, since no Python answers there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from hookviz.records import TraceRecord
from hookviz.view.comparison import Comparison
from hookviz.view.comparison_data import comparison_data
from hookviz.view.expansion import all_opened, closed, expansion_data, opened_to
from hookviz.view.ghosts import with_ghosts
from hookviz.view.groups import GroupTree
from hookviz.view.steps import Step, to_json_data
from hookviz.view.value_book import ValueBook

MOST_BYTES = 2_000_000
"""How much the pictures of one explorer may add to a page."""

PLAIN = "plain"


def kept_answers(
    trace: TraceRecord,
    steps: Sequence[Step],
    expanded: Collection[str],
    *,
    tree: GroupTree,
    comparison: Comparison | None = None,
) -> dict[str, Any]:
    """Return traits that hold answers to requests of the page.

    Boxes open and close one at a time from how they are at first, and all at once; a pass is
    compared with the one without hooks where that was run.

    Args:
        trace: The pass.
        steps: Its steps, without a comparison.
        expanded: Ids of the boxes that are open at first.
        tree: The groups of its graph.
        comparison: What is different without hooks.

    Returns:
        `answers` by the name of the request, and `step_lists`, which they name.
    """
    answers: dict[str, dict[str, Any]] = {}
    lists = {PLAIN: to_json_data(steps, ValueBook())}
    room = MOST_BYTES
    for name, opened in _openings(trace, expanded, tree):
        data = expansion_data(trace, steps, opened, tree=tree)
        room -= len(data["picture"])
        if room < 0:
            break
        answers[name] = {**data, "steps": PLAIN, "comparison": None}
    if comparison is not None:
        ghosts = with_ghosts(steps, comparison)
        lists["hooks"] = to_json_data(ghosts, ValueBook())
        answers["compare:hooks"] = {
            **expansion_data(trace, ghosts, expanded, tree=tree),
            "steps": "hooks",
            "comparison": comparison_data("hooks", comparison),
        }
        answers["compare:"] = {
            **expansion_data(trace, steps, expanded, tree=tree),
            "steps": PLAIN,
            "comparison": None,
        }
    return {"answers": answers, "step_lists": lists} if answers else {}


def _openings(
    trace: TraceRecord, expanded: Collection[str], tree: GroupTree
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield requests with the boxes that are open after them; the likely ones first."""
    if not tree.groups:
        return
    graph = trace.graph
    yield "expand_all", all_opened(graph, tree=tree)
    yield "collapse_all", ()
    for box in tree.groups:
        if box in expanded:
            yield f"collapse:{box}", closed(graph, expanded, box, tree=tree)
        else:
            yield f"expand:{box}", opened_to(graph, expanded, box, tree=tree)
