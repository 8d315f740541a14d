"""Find the visible part of a graph with some boxes open and others closed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from hookviz._records import GraphRecord
from hookviz._view.groups.tree import TOP, GroupTree


class Visible:
    """The visible part of a graph; nothing inside a closed box is looked at.

    Attributes:
        frames: The open groups that can be seen, outer ones first.
        closed: The closed groups that can be seen, in the order of the graph's nodes.
        functions: The nodes drawn on their own, in the order of the graph; no leaves.
    """

    def __init__(self, graph: GraphRecord, tree: GroupTree, expanded: Collection[str]) -> None:
        self._tree = tree
        opened = tree.openable(expanded)
        self._edges = {edge.id: edge for edge in graph.edges} if tree.through else {}
        self._nodes = {node.id: node for node in graph.nodes}
        self._closed: dict[str, str] = {TOP: TOP}
        leaves = {tensor.node for tensor in graph.tensors if tensor.is_leaf}
        self.frames: list[str] = []
        in_sight: list[str] = []
        for group in tree.groups.values():
            around = self._closed[group.parent]
            if around == TOP and group.id in opened:
                self.frames.append(group.id)
                self._closed[group.id] = TOP
            else:
                if around == TOP:
                    in_sight.append(group.id)
                self._closed[group.id] = around or group.id
        self.functions: list[str] = []
        seen: dict[str, None] = {}
        for node in graph.nodes:
            if node.id in leaves:
                continue
            closed = self._closed[tree.owner[node.id]]
            if closed != TOP:
                seen[closed] = None
            elif node.id not in tree.through:
                self.functions.append(node.id)
        # Those without nodes come in the order of the calls.
        empty = set(in_sight) - seen.keys()
        self.closed = [*seen, *(key for key in self._in_order() if key in empty)]
        self.closed_set = frozenset(self.closed)
        self._drawn = self.closed_set.union(self.functions)

    def _in_order(self) -> Iterator[str]:
        """Yield visible nodes and groups, each open group right before its content."""
        waiting = list(reversed(self._tree.top))
        frames = set(self.frames)
        while waiting:
            key = waiting.pop()
            yield key
            if key in frames:
                waiting.extend(reversed(self._tree.groups[key].items))

    def is_drawn(self, key: str) -> bool:
        """Return whether this is a function or closed group that can be seen."""
        return key in self._drawn

    def box_around(self, group_id: str) -> str:
        """Return the closed box that stands for a group's content, or `TOP` if that is seen."""
        return self._closed[group_id]

    def box_of(self, node_id: str) -> str:
        """Return the closed box that stands for a node, or `TOP` if it can be seen itself."""
        return self._closed[self._tree.owner.get(node_id, TOP)]

    def is_passed_through(self, node_id: str) -> bool:
        """Return whether a node is not drawn although the box around it is open."""
        return node_id in self._tree.through and self.box_of(node_id) == TOP

    def behind(self, node_id: str, slot: int) -> tuple[str, tuple[str, int]] | None:
        """Return the edge on which a gradient leaves such a node, and where it goes."""
        edges = self._nodes[node_id].edges
        edge = self._edges.get(edges[slot] or "") if slot < len(edges) else None
        return None if edge is None else (edge.id, (edge.target, edge.input_nr))
