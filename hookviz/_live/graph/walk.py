"""Walk the nodes behind a root, and number them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import torch
from torch.autograd.graph import Node, get_gradient_edge

from hookviz._records import EdgeRecord


def nodes_behind(root: torch.Tensor) -> frozenset[Node]:
    """Return every node that a backward from this tensor could run."""
    return frozenset(_walk([get_gradient_edge(root).node])[0].values())


def _walk(
    roots: Iterable[Node],
) -> tuple[dict[str, Node], dict[str, tuple[EdgeRecord | None, ...]]]:
    # A queue, not recursion: chains of thousands of nodes are ordinary.
    queue = deque(dict.fromkeys(roots))
    ids: dict[Node, str] = {root: f"n{place}" for place, root in enumerate(queue)}
    rows: dict[str, tuple[EdgeRecord | None, ...]] = {}
    count = 0
    while queue:
        node = queue.popleft()
        row: list[EdgeRecord | None] = []
        for index, (next_node, input_nr) in enumerate(node.next_functions):
            if next_node is None:
                row.append(None)
                continue
            if next_node not in ids:
                ids[next_node] = f"n{len(ids)}"
                queue.append(next_node)
            edge = EdgeRecord(
                id=f"e{count}",
                source=ids[node],
                source_index=index,
                target=ids[next_node],
                input_nr=input_nr,
            )
            row.append(edge)
            count += 1
        rows[ids[node]] = tuple(row)
    return {node_id: node for node, node_id in ids.items()}, rows
