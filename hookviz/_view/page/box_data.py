"""Describe every box of a picture, drawn or not, as JSON-safe data."""

from __future__ import annotations

from typing import Any

from hookviz._view.groups.tree import GroupTree
from hookviz._view.text.message import to_json_data


def box_data(tree: GroupTree) -> dict[str, dict[str, Any]]:
    """Return the facts that the page knows of each box, by the id of the box.

    Returns:
        For each: the box around it (or empty), its label and type, the id of its module (or
        empty), which call of that module it is (from 1; empty when it is the only one), and how
        many repetitions a fold stands for.
    """
    return {
        group.id: {
            "parent": group.parent,
            "label": to_json_data(group.title),
            "type": to_json_data(group.type),
            "module": group.module.id if group.module is not None else "",
            "number": str(group.call.number + 1) if group.call and group.is_called_again else "",
            "count": group.count,
        }
        for group in tree.groups.values()
    }
