"""Hold a scene: a card per tensor, a shape per function, a box per group, and arrows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from hookviz._records import NodeRecord
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.panel import Panel

SYMBOL_SIZE = 15.0
NOTE_SIZE = 11.0
LONGEST_NOTE_EM = 24.0
CONTRIBUTION_SIZE = 13.5
"""Font size to reckon with: the font has 12 pixels, and bold digits are wide."""
LONGEST_CONTRIBUTION_EM = 16.0

FRAME_PADDING = 14.0
"""Room between a frame and its content."""

FRAME_GAP = 14.0
"""Room above a frame for the arrow that comes down to it."""


class FunctionShape(Struct, frozen=True, kw_only=True):
    """A backward function as it is drawn.

    Attributes:
        node: The function.
        symbol: The text in the shape.
        is_round: A circle for a sign, a pill for a name.
        width, height: Size in pixels.
        note_width: Width of the note beside it, 0 without any.
    """

    node: NodeRecord
    symbol: str
    is_round: bool
    width: float
    height: float
    note_width: float = 0.0

    @property
    def key(self) -> str:
        """The key of the function among the patches."""
        return self.node.id


class Box(Struct, frozen=True, kw_only=True):
    """One thing with a place: `id` is unique in the scene and holds no text from the user.

    Attributes:
        content: The panel or the shape.
        frame: Id of the innermost frame around it, or empty.
    """

    id: str
    content: Panel | FunctionShape
    frame: str = ""

    @property
    def is_card(self) -> bool:
        """Whether this is the card of a tensor."""
        return isinstance(self.content, Panel) and self.content.tensor is not None

    @property
    def width(self) -> float:
        """Width in pixels."""
        return self.content.width

    @property
    def height(self) -> float:
        """Height in pixels."""
        return self.content.height


class Frame(Struct, frozen=True, kw_only=True):
    """The frame around the content of an open group.

    Attributes:
        id: Unique in the scene, without text from the user.
        head: The panel at its top.
        frame: Id of the frame around it, or empty.
    """

    id: str
    head: Panel
    frame: str = ""


ConnectorKind = Literal["edge", "feed", "flow", "order"]


class Connector(Struct, frozen=True, kw_only=True):
    """One arrow, in the direction of the gradient, or of the values where nothing else is known.

    Attributes:
        id: Unique in the scene.
        kind: `edge` for gradient edges of the graph, `feed` from a tensor to its `grad_fn`,
            `flow` for values that go into a module or come out of it, `order` from one call to
            the next.
        keys: Ids of the edges; for the other kinds the one whose state it takes.
        tail, head: Ids of the boxes, or of frames.
        slot: The output slot at which it arrives, where the function has several.
        label_width: Width of the texts along the arrow, 0 without any.
    """

    id: str
    kind: ConnectorKind
    keys: tuple[str, ...]
    tail: str
    head: str
    slot: int | None = None
    label_width: float = 0.0


def label_width(kind: ConnectorKind, keys: Sequence[str], fields: Fields) -> float:
    """Return the width of the texts along an arrow at any step: only edges have texts."""
    room = fields.room_of_all(keys, "contribution") if kind == "edge" else 0.0
    return min(room, LONGEST_CONTRIBUTION_EM) * CONTRIBUTION_SIZE


class Scene(Struct, frozen=True, kw_only=True):
    """Everything that is drawn, with sizes and without places.

    Attributes:
        boxes: Functions and closed groups in the order of the graph, then cards in the order of
            its tensors.
        connectors: Those of one tail stand in source order: the inputs of `a * b` as `a`, `b`.
        frames: Outer ones before inner ones.
        is_sideways: Whether it flows across the page instead of downwards.
        is_forward: Whether arrows go the way of the values, for want of a graph.
        gap, gap_in_rank: Room between ranks, and between the boxes of one rank.
    """

    boxes: tuple[Box, ...]
    connectors: tuple[Connector, ...]
    frames: tuple[Frame, ...] = ()
    is_sideways: bool
    is_forward: bool = False
    gap: float
    gap_in_rank: float

    @property
    def cards(self) -> tuple[Panel, ...]:
        """The cards, in the order in which the Tab key visits them."""
        contents = (box.content for box in self.boxes if box.is_card)
        return tuple(content for content in contents if isinstance(content, Panel))


def arrows_by_frame(scene: Scene) -> Mapping[str, list[tuple[str, str]]]:
    """Return the arrows between the things that are directly in each frame, or in no frame.

    An arrow from a box in one frame to a box in another goes from frame to frame.
    """
    around = {box.id: box.frame for box in scene.boxes}
    around.update((frame.id, frame.frame) for frame in scene.frames)

    def chain(item: str) -> list[str]:
        return [*chain(around[item]), item] if item else []

    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for connector in scene.connectors:
        for tail, head in zip(chain(connector.tail), chain(connector.head), strict=False):
            if tail != head:
                found[around[tail]].append((tail, head))
                break
    return found


def ends_of(boxes: Sequence[Box], frames: Sequence[Frame]) -> tuple[dict[str, str], dict[str, str]]:
    """Return at which box an arrow to and from each box or frame ends and begins.

    For a frame those are the first and the last of the boxes in it.
    """
    heads = {box.id: box.id for box in boxes}
    tails = dict(heads)
    around = {frame.id: frame.frame for frame in frames}
    for box in boxes:
        frame = box.frame
        while frame:
            heads.setdefault(frame, box.id)
            tails[frame] = box.id
            frame = around[frame]
    return heads, tails
