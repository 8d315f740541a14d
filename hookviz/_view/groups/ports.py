"""Find where gradients come into each group from outside, and where they leave it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from hookviz._records import EdgeRecord
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.lookup.index import GraphIndex, Slot

Side = Literal["grad_output", "grad_input"]
"""As in PyTorch: gradients arrive at the outputs of a forward, and leave at its inputs."""


class Port(Struct, frozen=True):
    """One gradient that comes into a group or leaves it.

    Attributes:
        group: The group.
        side: Which way it goes.
        place: Its place among the gradients of that side, from 0.
    """

    group: str
    side: Side
    place: int


class Ports:
    """The ports of every group of a graph.

    A gradient is known by its slot where everything that is added up there passes the border of
    the group, so that the sum can be read where the engine used it; else edge by edge. Without a
    graph there are none.

    Attributes:
        at_slot: The ports whose gradient arrives at a slot.
        along_edge: The ports whose gradient is sent along an edge.
        counts: How many ports each group has on each side.
    """

    def __init__(self, index: GraphIndex | None = None, tree: GroupTree | None = None) -> None:
        self.at_slot: dict[Slot, list[Port]] = defaultdict(list)
        self.along_edge: dict[str, list[Port]] = defaultdict(list)
        self.counts: dict[tuple[str, Side], int] = defaultdict(int)
        if index is None or tree is None or not tree.groups:
            return
        crossing = _crossing(index, tree)
        root = index.graph.root if index.graph.tensors else None
        if root is not None and root.node in index.nodes:
            for group in tree.chain(tree.owner.get(root.node, TOP)):
                crossing[group, "grad_output"].setdefault((root.node, root.output_nr), [])
        leaves = {tensor.node for tensor in index.graph.tensors if tensor.is_leaf}
        for (group, side), slots in crossing.items():
            # Gradients that go on through the graph are told before gradients that a leaf keeps.
            for slot in sorted(slots, key=lambda slot: slot[0] in leaves):
                self._add(index, group, side, slot, slots[slot])

    def _add(
        self, index: GraphIndex, group: str, side: Side, slot: Slot, edges: Sequence[EdgeRecord]
    ) -> None:
        if len(edges) == len(index.edges_into[slot]):
            self.at_slot[slot].append(self._new(group, side))
            return
        for edge in edges:
            self.along_edge[edge.id].append(self._new(group, side))

    def _new(self, group: str, side: Side) -> Port:
        port = Port(group, side, self.counts[group, side])
        self.counts[group, side] += 1
        return port


def _crossing(
    index: GraphIndex, tree: GroupTree
) -> Mapping[tuple[str, Side], dict[Slot, list[EdgeRecord]]]:
    """Return the edges over the border of each group, by the slot to which they go."""
    found: dict[tuple[str, Side], dict[Slot, list[EdgeRecord]]] = defaultdict(dict)
    modules = {module.id for module in index.graph.modules}
    parameters = {
        tensor.node
        for tensor in index.graph.tensors
        if tensor.is_leaf and tensor.module in modules and not tensor.is_root
    }
    for edge in index.graph.edges:
        # The gradient of a parameter is no gradient of an input, also where another call uses it.
        if edge.target in parameters:
            continue
        slot = edge.target, edge.input_nr
        for group, side in _borders(tree, edge):
            found[group, side].setdefault(slot, []).append(edge)
    return found


def _borders(tree: GroupTree, edge: EdgeRecord) -> Iterator[tuple[str, Side]]:
    one, other = tree.owner.get(edge.source, TOP), tree.owner.get(edge.target, TOP)
    if one == other:
        return
    source, target = tree.chain(one), tree.chain(other)
    same = 0
    while same < min(len(source), len(target)) and source[same] == target[same]:
        same += 1
    for group in source[same:]:
        yield group, "grad_input"
    for group in target[same:]:
        yield group, "grad_output"
