"""Say what can be compared with, and what differs, as JSON-safe data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hookviz.records import GraphRecord, HookRecord
from hookviz.view.comparison import Comparison
from hookviz.view.message import Message, to_json_data
from hookviz.view.text_width import cut

_LONGEST_LABEL = 40.0


@dataclass(frozen=True, slots=True)
class Choice:
    """Another pass that can be compared with.

    Attributes:
        id: `hooks`, `edit`, or the id of a hook.
        text: What to call it, in the middle of a sentence.
    """

    id: str
    text: Message


def choices(graph: GraphRecord, *, has_edit: bool) -> tuple[Choice, ...]:
    """Return what a pass over this graph can be compared with; nothing where no hook is on."""
    found = [
        Choice(hook.id, Message("compare.without", {"hook": cut(hook.label, _LONGEST_LABEL)}))
        for hook in _hooks(graph)
        if hook.enabled
    ]
    if found:
        found.insert(0, Choice("hooks", Message("compare.baseline")))
    if has_edit:
        found.append(Choice("edit", Message("compare.before")))
    return tuple(found)


def choice_data(graph: GraphRecord, *, has_edit: bool) -> list[dict[str, Any]]:
    """Return the choices as the page gets them."""
    return [
        {"id": choice.id, "text": to_json_data(choice.text)}
        for choice in choices(graph, has_edit=has_edit)
    ]


def comparison_data(against: str, comparison: Comparison | None) -> dict[str, Any] | None:
    """Return what differs as the page gets it, or `None` where nothing is compared."""
    if comparison is None:
        return None
    return {
        "against": against,
        "changed": sorted(comparison.changed),
        "same": sorted(comparison.same),
    }


def _hooks(graph: GraphRecord) -> Iterator[HookRecord]:
    for tensor in graph.tensors:
        yield from tensor.hooks
    for module in graph.modules:
        yield from module.hooks
    for node in graph.nodes:
        yield from node.hooks
