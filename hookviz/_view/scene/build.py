"""Build the scene of a graph, with some boxes open and others closed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from itertools import pairwise
from typing import Literal

from hookviz._records import GraphRecord, NodeRecord, TensorRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.function_symbol import function_symbol
from hookviz._view.groups.start import start_expanded
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.lookup.titles import is_without_graph
from hookviz._view.scene.arrows import Arrow, Slot, find_arrows, leaf_arrows, resolve
from hookviz._view.scene.card import measure_card
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.leaf_uses import Uses, is_crowded
from hookviz._view.scene.module_box import measure_box
from hookviz._view.scene.ranks import Direction, fits_sideways
from hookviz._view.scene.scene import (
    FRAME_PADDING,
    LONGEST_NOTE_EM,
    NOTE_SIZE,
    SYMBOL_SIZE,
    Box,
    Connector,
    Frame,
    FunctionShape,
    Scene,
    ends_of,
    label_width,
)
from hookviz._view.scene.values import values_of
from hookviz._view.scene.visible import Visible
from hookviz._view.text.width import width_in_em

_CIRCLE = 38.0
_PILL_HEIGHT = 32.0
_SHORTEST_GAP = 40.0
_GAP_WITHOUT_TEXT = 34.0
_GAP_IN_RANK = 26.0


def build_scene(
    graph: GraphRecord,
    fields: Fields,
    *,
    tree: GroupTree | None = None,
    expanded: Collection[str] | None = None,
    direction: Direction = "auto",
) -> Scene:
    """Return the scene of a graph.

    Args:
        graph: The graph.
        fields: Its texts.
        tree: Its groups, where they are at hand.
        expanded: Ids of the groups that are open; `None` for those that are at the start.
        direction: Which way it flows.
    """
    tree = tree or group_tree(graph)
    opened = start_expanded(graph, tree) if expanded is None else expanded
    return _SceneBuilder(graph, fields, tree, opened, direction).build()


class _SceneBuilder:
    def __init__(
        self,
        graph: GraphRecord,
        fields: Fields,
        tree: GroupTree,
        expanded: Collection[str],
        direction: Direction,
    ) -> None:
        self.direction = direction
        self.graph = graph
        self.fields = fields
        self.tree = tree
        self.visible = Visible(graph, tree, expanded)
        self.frames: dict[str, Frame] = {}
        self.drawn: dict[str, Box] = {}
        """Functions and closed groups, by the id of the node or group."""
        self.cards: dict[tuple[int, int], Box] = {}
        """By the place of the tensor in the graph, and which of its copies it is."""
        self.leaves = {tensor.node: tensor for tensor in graph.tensors if tensor.is_leaf}
        self.places = {tensor.id: place for place, tensor in enumerate(graph.tensors)}
        self.slot_boxes: dict[Slot, list[Box]] = defaultdict(list)
        self.leaf_boxes: dict[int, Box] = {}
        """The card of a leaf to which an arrow leads, by the place of the arrow."""
        self.connectors: list[Connector] = []

    def build(self) -> Scene:
        """Add frames, functions and closed boxes, then cards, then arrows."""
        self._add_frames_and_boxes()
        for tensor in self.graph.tensors:
            home = self.tree.tensor_owner.get(tensor.id, TOP)
            is_hidden = self.visible.box_around(home) != TOP
            if not tensor.is_leaf and has_card(tensor) and not is_hidden:
                box = self._add_card(tensor, home)
                self.slot_boxes[tensor.node, tensor.output_nr].append(box)
        arrows = find_arrows(
            self.graph, self.visible, carded=self.slot_boxes.keys(), leaves=self.leaves
        )
        self._add_leaves(arrows)
        # Feeds come first where a card is the tail; edges keep the order of their source.
        for slot, chain in self.slot_boxes.items():
            self._add_feeds(slot, chain)
        for place, arrow in enumerate(arrows):
            self._add_arrow(place, arrow)
        if is_without_graph(self.graph):
            values = values_of(self.tree, self.visible, self.drawn, self.frames, self.fields)
            self.connectors += values.connectors
            return self._finish([*self.drawn.values(), *values.boxes], is_forward=True)
        cards = [box for _, box in sorted(self.cards.items())]
        return self._finish([*self.drawn.values(), *cards], is_forward=False)

    def _add_frames_and_boxes(self) -> None:
        groups = self.tree.groups
        for group_id in self.visible.frames:
            head = measure_box(groups[group_id], self.fields, can_open=True, is_open=True)
            around = self._frame(groups[group_id].parent)
            self.frames[group_id] = Frame(id=f"b{len(self.frames)}", head=head, frame=around)
        nodes = {node.id: node for node in self.graph.nodes}
        for node_id in self.visible.functions:
            frame = self._frame(self.tree.owner.get(node_id, TOP))
            shape = _shape(nodes[node_id], self.fields.room(node_id, "note"))
            self.drawn[node_id] = Box(id=f"f{len(self.drawn)}", content=shape, frame=frame)
        for group_id in self.visible.closed:
            can_open = self.tree.can_open(group_id)
            content = measure_box(groups[group_id], self.fields, can_open=can_open)
            frame = self._frame(groups[group_id].parent)
            self.drawn[group_id] = Box(id=f"f{len(self.drawn)}", content=content, frame=frame)

    def _frame(self, group_id: str) -> str:
        return "" if group_id == TOP else self.frames[group_id].id

    def _add_card(self, tensor: TensorRecord, home: str, *, use: int = 0, uses: int = 1) -> Box:
        card = measure_card(tensor, self.fields, use=use, uses=uses)
        place = self.places[tensor.id]
        box = Box(id=f"c{len(self.cards)}", content=card, frame=self._frame(home))
        self.cards[place, use] = box
        return box

    def _add_leaves(self, arrows: list[Arrow]) -> None:
        """Add the cards of leaves, once or once per use."""
        by_leaf = leaf_arrows(arrows, self.leaves)
        crowded = self._crowded(by_leaf)
        modules = {module.id for module in self.graph.modules}
        numbers = {id(arrow): place for place, arrow in enumerate(arrows)}
        for tensor in self.leaves.values():
            home = self.tree.owner.get(tensor.node, TOP)
            if self.visible.box_around(home) != TOP or tensor.node in crowded:
                continue
            used = by_leaf.get(tensor.node, [])
            uses = Uses(
                tuple(arrow.tail not in self.visible.closed_set for arrow in used),
                is_parameter=tensor.module in modules,
            )
            count, copies = uses.copies()
            boxes = [self._add_card(tensor, home, use=use, uses=count) for use in range(count)]
            for arrow, copy in zip(used, copies, strict=True):
                if copy is not None:
                    self.leaf_boxes[numbers[id(arrow)]] = boxes[copy]

    def _crowded(self, by_leaf: dict[str, list[Arrow]]) -> set[str]:
        """Return the leaves that only one closed box uses, where it uses too many of them."""
        of_box: dict[str, list[str]] = defaultdict(list)
        for leaf, arrows in by_leaf.items():
            tails = {arrow.tail for arrow in arrows}
            is_plain = not self.leaves[leaf].hooks and not self.leaves[leaf].is_root
            if len(tails) == 1 and tails <= self.visible.closed_set and is_plain:
                of_box[arrows[0].tail].append(leaf)
        return {leaf for leaves in of_box.values() if is_crowded(leaves) for leaf in leaves}

    def _add_feeds(self, slot: Slot, chain: list[Box]) -> None:
        # Two tensors can stand on one slot (views, in-place operations): the gradient passes both.
        for tail, head in pairwise(chain):
            self._feed(tail, head)
        found = resolve(slot, self.visible, self.slot_boxes.keys(), is_behind_card=True)
        if found is None:
            return
        key, place, output_nr = found
        if isinstance(place, str) and place in self.leaves:
            # Only backward hooks of a module stand between; what they leave is what arrives.
            leaf = self.cards.get((self.places[self.leaves[place].id], 0))
            if leaf is not None:
                self._connect("edge", (key,), chain[-1], leaf, None)
            return
        function = self._head(place)
        if function is not None:
            self._feed(chain[-1], function, self._slot_to_name(function, output_nr))

    def _feed(self, tail: Box, head: Box, slot: int | None = None) -> None:
        self._connect("feed", (tail.content.key,), tail, head, slot)

    def _add_arrow(self, place: int, arrow: Arrow) -> None:
        tail = self.drawn[arrow.tail]
        is_leaf = isinstance(arrow.head, str) and arrow.head in self.leaves
        head = self.leaf_boxes.get(place) if is_leaf else self._head(arrow.head)
        if head is not None:
            number = self._slot_to_name(head, arrow.slot)
            self._connect("edge", tuple(arrow.keys), tail, head, number)

    def _head(self, head: str | Slot) -> Box | None:
        return self.drawn.get(head) if isinstance(head, str) else self.slot_boxes[head][0]

    def _slot_to_name(self, head: Box, output_nr: int) -> int | None:
        content = head.content
        has_several = isinstance(content, FunctionShape) and content.node.num_outputs > 1
        return output_nr if has_several else None

    def _connect(
        self,
        kind: Literal["edge", "feed"],
        keys: tuple[str, ...],
        tail: Box,
        head: Box,
        slot: int | None,
    ) -> None:
        self.connectors.append(
            Connector(
                id=f"l{len(self.connectors)}",
                kind=kind,
                keys=keys,
                tail=tail.id,
                head=head.id,
                slot=slot,
                label_width=label_width(kind, keys, self.fields),
            )
        )

    def _finish(self, boxes: list[Box], *, is_forward: bool) -> Scene:
        longest = max((arrow.label_width for arrow in self.connectors), default=0.0)
        gap = _SHORTEST_GAP if longest or is_forward else _GAP_WITHOUT_TEXT
        # A note stands beside its function, where only a downward drawing has room for words.
        has_notes = any(self.fields.room(key, "note") for key in self.visible.functions)
        is_sideways = self.direction == "across" or (
            self.direction == "auto"
            and not has_notes
            and self._fits_sideways(boxes, max(gap, longest + 24))
        )
        return Scene(
            boxes=tuple(boxes),
            connectors=tuple(self.connectors),
            frames=tuple(self.frames.values()),
            is_sideways=is_sideways,
            is_forward=is_forward,
            gap=gap,
            gap_in_rank=_GAP_IN_RANK,
        )

    def _fits_sideways(self, boxes: list[Box], gap: float) -> bool:
        depth = max((len(self.tree.chain(key)) for key in self.visible.frames), default=0)
        heads, tails = ends_of(boxes, list(self.frames.values()))
        return fits_sideways(
            {box.id: box.width for box in boxes},
            [(tails[arrow.tail], heads[arrow.head]) for arrow in self.connectors],
            gap,
            around=2 * FRAME_PADDING * depth,
        )


def has_card(tensor: TensorRecord) -> bool:
    """Return whether a non-leaf is worth a card: it has a name, a hook, or keeps its gradient."""
    return bool(tensor.names or tensor.hooks or tensor.retains_grad or tensor.is_root)


def _shape(node: NodeRecord, note: float) -> FunctionShape:
    symbol = function_symbol(node.name)
    width = width_in_em(symbol) * SYMBOL_SIZE
    is_round = width <= _CIRCLE - 16
    return FunctionShape(
        node=node,
        symbol=symbol,
        is_round=is_round,
        width=_CIRCLE if is_round else float(round(width * 13 / SYMBOL_SIZE + 26)),
        height=_CIRCLE if is_round else _PILL_HEIGHT,
        note_width=min(note, LONGEST_NOTE_EM) * NOTE_SIZE,
    )
