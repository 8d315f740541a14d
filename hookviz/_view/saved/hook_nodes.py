"""Tell along which edge a gradient enters a box, where an arrow names the last of several."""

from __future__ import annotations

from collections import defaultdict

from hookviz._records import EdgeRecord, GraphRecord
from hookviz._view.groups.tree import GroupTree


class HookNodes:
    """The nodes of backward hooks of modules, which are never drawn, and the edges through them.

    An arrow through such a node bears the edge behind it: what the hooks have made. At a closed box
    it bears the edge before it: the gradient that has arrived there.
    """

    def __init__(self, graph: GraphRecord, tree: GroupTree) -> None:
        self._tree = tree
        self._edges = {edge.id: edge for edge in graph.edges}
        self._tensors = {tensor.id: tensor for tensor in graph.tensors}
        self._nodes = {node.id: node for node in graph.nodes}
        self._arriving: dict[tuple[str, int], list[EdgeRecord]] = defaultdict(list)
        for edge in graph.edges:
            if edge.target in tree.through:
                self._arriving[edge.target, edge.input_nr].append(edge)

    def entering(self, key: str, sender: str, box: str) -> str:
        """Return the edge along which a gradient enters a box.

        Args:
            key: The edge along which it arrives in the end.
            sender: The node or group from which it comes.
            box: Around the node at which that edge ends.
        """
        for edge in self._way(self._edges[key], sender):
            if self._tree.is_inside(self._tree.owner.get(edge.target, ""), box):
                return edge.id
        return key

    def leaving(self, tensor_id: str, box: str) -> tuple[str, ...]:
        """Return the edges along which a gradient leaves a box for a tensor's card in the box.

        Args:
            tensor_id: The tensor with the card.
            box: The box around the card.
        """
        tensor = self._tensors[tensor_id]
        slot = tensor.node, tensor.output_nr
        owner = self._tree.owner.get(tensor.node, "")
        if tensor.node in self._tree.through and self._tree.is_inside(owner, box):
            key = self._nodes[tensor.node].edges[tensor.output_nr]
            return () if key is None else (key,)
        return tuple(
            edge.id
            for edge in self._edges.values()
            if (edge.target, edge.input_nr) == slot
            and self._tree.is_inside(self._tree.owner.get(edge.source, ""), box)
        )

    def _way(self, last: EdgeRecord, sender: str) -> list[EdgeRecord]:
        """Return the edges from a sender on, in order."""
        if last.source not in self._tree.through or self._is_from(last, sender):
            return [last]
        slots = [slot for slot, key in enumerate(self._nodes[last.source].edges) if key == last.id]
        for slot in slots:
            for before in self._arriving[last.source, slot]:
                way = self._way(before, sender)
                if self._is_from(way[0], sender):
                    return [*way, last]
        return [last]

    def _is_from(self, edge: EdgeRecord, sender: str) -> bool:
        owner = self._tree.owner.get(edge.source, "")
        return edge.source == sender or (
            sender in self._tree.groups and self._tree.is_inside(owner, sender)
        )
