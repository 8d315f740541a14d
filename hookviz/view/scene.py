"""Decide what is drawn: a card per tensor, a shape per function, and what connects them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hookviz.records import EdgeRecord, GraphRecord, NodeRecord, TensorRecord
from hookviz.view.card import Card, measure_card
from hookviz.view.fields import Fields
from hookviz.view.function_symbol import function_symbol
from hookviz.view.ranks import fits_sideways
from hookviz.view.text_width import width_in_em

MOST_SHARED_USES = 3
"""A leaf that is used more often than this is drawn once per use.

Long edges from everywhere to one card are what makes a layout slow and unreadable.
"""

SYMBOL_SIZE = 15.0
CONTRIBUTION_SIZE = 13.5
"""Font size to reckon with: the font has 12 pixels, and bold digits are wide."""
LONGEST_CONTRIBUTION_EM = 12.0

_CIRCLE = 38.0
_PILL_HEIGHT = 32.0
_SHORTEST_GAP = 48.0
_GAP_IN_RANK = 26.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionShape:
    """A backward function as it is drawn.

    Attributes:
        node: The function.
        symbol: What stands in the shape.
        is_round: A circle for a sign, a pill for a name.
        width, height: Size in pixels.
    """

    node: NodeRecord
    symbol: str
    is_round: bool
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One thing with a place: `id` is unique in the scene and holds no text from the user."""

    id: str
    content: Card | FunctionShape

    @property
    def width(self) -> float:
        """Width in pixels."""
        return self.content.width

    @property
    def height(self) -> float:
        """Height in pixels."""
        return self.content.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """One arrow, in the direction of the gradient.

    Attributes:
        id: Unique in the scene.
        kind: `edge` for a gradient edge of the graph, `feed` from a tensor to its `grad_fn`.
        key: Id of the edge, or of the tensor that feeds.
        tail, head: Ids of the boxes.
        slot: The output slot at which it arrives, where the function has several.
    """

    id: str
    kind: Literal["edge", "feed"]
    key: str
    tail: str
    head: str
    slot: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything that is drawn, with sizes and without places.

    Attributes:
        boxes: Functions in the order of the graph, then cards in the order of its tensors.
        connectors: Those of one tail stand in source order: the inputs of `a * b` as `a`, `b`.
        is_sideways: Whether the gradient flows from right to left instead of downwards.
        gap: Room between ranks, for arrows and what was sent along them.
        gap_in_rank: Room between the boxes of one rank.
    """

    boxes: tuple[Box, ...]
    connectors: tuple[Connector, ...]
    is_sideways: bool
    gap: float
    gap_in_rank: float

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards, in the order in which the Tab key visits them."""
        return tuple(box.content for box in self.boxes if isinstance(box.content, Card))


def build_scene(graph: GraphRecord, fields: Fields) -> Scene:
    """Return what to draw for a graph whose texts are `fields`."""
    builder = _SceneBuilder(graph, fields)
    return builder.build()


class _SceneBuilder:
    def __init__(self, graph: GraphRecord, fields: Fields) -> None:
        self.graph = graph
        self.fields = fields
        self.functions: dict[str, Box] = {}
        self.cards: list[Box] = []
        self.connectors: list[Connector] = []
        self.leaf_boxes: dict[str, list[Box]] = defaultdict(list)
        self.slot_boxes: dict[tuple[str, int], list[Box]] = defaultdict(list)
        self.uses_drawn: Counter[str] = Counter()

    def build(self) -> Scene:
        """Draw functions, then cards, then what connects them."""
        uses = Counter(edge.target for edge in self.graph.edges)
        leaf_nodes = {tensor.node for tensor in self.graph.tensors if tensor.is_leaf}
        for node in self.graph.nodes:
            if node.id not in leaf_nodes:
                self.functions[node.id] = Box(id=f"f{len(self.functions)}", content=_shape(node))
        for tensor in self.graph.tensors:
            if tensor.is_leaf:
                self._add_leaf(tensor, uses[tensor.node])
            elif has_card(tensor):
                slot = tensor.node, tensor.output_nr
                self.slot_boxes[slot].append(self._add_card(tensor))
        # Feeds come first where a card is the tail; edges keep the order of their source.
        for (node_id, output_nr), chain in self.slot_boxes.items():
            self._add_feeds(node_id, output_nr, chain)
        for edge in self.graph.edges:
            self._add_edge(edge)
        boxes = (*self.functions.values(), *self.cards)
        longest = _longest_contribution(self.graph.edges, self.fields)
        gap = max(_SHORTEST_GAP, longest + 24)
        # A note stands beside its function, where only a downward drawing has room for words.
        has_notes = any(self.fields.room(node_id, "note") for node_id in self.functions)
        is_sideways = not has_notes and fits_sideways(
            {box.id: box.width for box in boxes},
            [(connector.tail, connector.head) for connector in self.connectors],
            gap,
        )
        return Scene(
            boxes=boxes,
            connectors=tuple(self.connectors),
            is_sideways=is_sideways,
            # What was sent stands above level arrows and beside upright ones.
            gap=gap if is_sideways else _SHORTEST_GAP,
            gap_in_rank=_GAP_IN_RANK + (0 if is_sideways else longest / 4),
        )

    def _add_leaf(self, tensor: TensorRecord, uses: int) -> None:
        copies = uses if uses > MOST_SHARED_USES else 1
        for use in range(copies):
            box = self._add_card(tensor, use=use, uses=copies)
            self.leaf_boxes[tensor.node].append(box)

    def _add_card(self, tensor: TensorRecord, *, use: int = 0, uses: int = 1) -> Box:
        card = measure_card(tensor, self.fields, use=use, uses=uses)
        box = Box(id=f"c{len(self.cards)}", content=card)
        self.cards.append(box)
        return box

    def _add_feeds(self, node_id: str, output_nr: int, chain: list[Box]) -> None:
        function = self.functions.get(node_id)
        # Two tensors can stand on one slot (views, in-place operations): the gradient passes both.
        heads = [*chain[1:], *([function] if function else [])]
        for tail, head in zip(chain, heads, strict=False):
            assert isinstance(tail.content, Card)
            slot = self._slot_to_name(node_id, output_nr) if head is function else None
            self._connect("feed", tail.content.tensor.id, tail, head, slot)

    def _add_edge(self, edge: EdgeRecord) -> None:
        tail = self.functions.get(edge.source)
        leaf = self.leaf_boxes.get(edge.target)
        if leaf:
            head: Box | None = leaf[self.uses_drawn[edge.target] % len(leaf)]
            self.uses_drawn[edge.target] += 1
            slot = None
        elif chain := self.slot_boxes.get((edge.target, edge.input_nr)):
            head, slot = chain[0], None
        else:
            head = self.functions.get(edge.target)
            slot = self._slot_to_name(edge.target, edge.input_nr)
        if tail and head:
            self._connect("edge", edge.id, tail, head, slot)

    def _slot_to_name(self, node_id: str, output_nr: int) -> int | None:
        function = self.functions.get(node_id)
        if function is None or not isinstance(function.content, FunctionShape):
            return None
        return output_nr if function.content.node.num_outputs > 1 else None

    def _connect(
        self, kind: Literal["edge", "feed"], key: str, tail: Box, head: Box, slot: int | None
    ) -> None:
        connector_id = f"l{len(self.connectors)}"
        self.connectors.append(
            Connector(id=connector_id, kind=kind, key=key, tail=tail.id, head=head.id, slot=slot)
        )


def has_card(tensor: TensorRecord) -> bool:
    """Return whether a non-leaf is worth a card: it has a name, a hook, or keeps its gradient."""
    return bool(tensor.names or tensor.hooks or tensor.retains_grad or tensor.is_root)


def _shape(node: NodeRecord) -> FunctionShape:
    symbol = function_symbol(node.name)
    width = width_in_em(symbol) * SYMBOL_SIZE
    is_round = width <= _CIRCLE - 16
    return FunctionShape(
        node=node,
        symbol=symbol,
        is_round=is_round,
        width=_CIRCLE if is_round else float(round(width * 13 / SYMBOL_SIZE + 26)),
        height=_CIRCLE if is_round else _PILL_HEIGHT,
    )


def _longest_contribution(edges: Iterable[EdgeRecord], fields: Fields) -> float:
    longest = max((fields.room(edge.id, "contribution") for edge in edges), default=0.0)
    return min(longest, LONGEST_CONTRIBUTION_EM) * CONTRIBUTION_SIZE
