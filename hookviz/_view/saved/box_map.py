"""Draw one picture for any boxes that are open: every part says with which boxes it is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from hookviz._records import GraphRecord
from hookviz._view.groups.tree import GroupTree
from hookviz._view.layout.cut import cut_route
from hookviz._view.layout.geometry import Layout, Rectangle, Route
from hookviz._view.layout.graphviz import lay_out
from hookviz._view.layout.labels import LabelPlaces
from hookviz._view.saved.ways import Ways
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.card import Card
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.module_box import ModuleBox, measure_box
from hookviz._view.scene.scene import Box, Connector, Frame, FunctionShape, Scene
from hookviz._view.steps.steps import Step
from hookviz._view.svg.arrow import draw_connector
from hookviz._view.svg.box import draw_box, draw_frame, draw_ground
from hookviz._view.svg.card import draw_card
from hookviz._view.svg.element import Element, element
from hookviz._view.svg.function import draw_function
from hookviz._view.svg.picture import LANGUAGE, picture_around
from hookviz._view.text.message import Message

_LEAST_CONTENT = 60.0
"""What is in a frame, with the room around it, is at least that high."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a map.

    Attributes:
        opened, closed: Ids of boxes that have to be open, with all that are around them, and of
            boxes that must not be.
        drawn: What is seen then.
    """

    opened: tuple[str, ...]
    closed: tuple[str, ...]
    drawn: Element


@dataclass(frozen=True, slots=True)
class BoxMap:
    """A picture in which everything has its place for good: a closed box covers what is inside.

    Attributes:
        sheet: The picture without its parts.
        parts: From the bottom to the top.
    """

    sheet: Element
    parts: tuple[Part, ...]


def box_map(
    graph: GraphRecord, steps: Sequence[Step], expanded: Collection[str], tree: GroupTree
) -> BoxMap | None:
    """Return the map in which these boxes can be open or closed, whatever the others are.

    Args:
        graph: The graph.
        steps: Its steps.
        expanded: Ids of the boxes that can be opened; the others are closed.
        tree: Its groups.

    Returns:
        The map; `None` for a forward without a graph, where an arrow depends on more than on the
        boxes at its ends.
    """
    fields = Fields(steps, 0)
    scene = build_scene(graph, fields, tree=tree, expanded=expanded)
    if scene.is_forward:
        return None
    covers = {
        frame.id: measure_box(frame.head.group, fields, can_open=True) for frame in scene.frames
    }
    layout = lay_out(scene)
    if any(_is_small(layout.frames[frame.id], covers[frame.id]) for frame in scene.frames):
        # The frames get the room that their closed boxes need, and keep the heads that they have.
        roomy = tuple(_with_room_for(frame, covers[frame.id]) for frame in scene.frames)
        layout = lay_out(replace(scene, frames=roomy))
    return _MapMaker(graph, scene, layout, fields, covers, tree).make()


def _is_small(place: Rectangle, cover: ModuleBox) -> bool:
    return place.right - place.left < cover.width or place.bottom - place.top < cover.height


def _with_room_for(frame: Frame, cover: ModuleBox) -> Frame:
    height = max(frame.head.height, cover.height - _LEAST_CONTENT)
    width = max(frame.head.width, cover.width)
    return replace(frame, head=replace(frame.head, width=width, height=height))


class _MapMaker:
    def __init__(
        self,
        graph: GraphRecord,
        scene: Scene,
        layout: Layout,
        fields: Fields,
        covers: dict[str, ModuleBox],
        tree: GroupTree,
    ) -> None:
        self.graph, self.scene, self.layout, self.fields = graph, scene, layout, fields
        self.covers = covers
        self.ways = Ways(graph, tree)
        self.frames = {frame.id: frame for frame in scene.frames}
        self.boxes = {box.id: box for box in scene.boxes}
        self.places = LabelPlaces(scene, layout)

    def make(self) -> BoxMap:
        grounds = [
            Part(self._opened(frame.id), (), draw_ground(self.layout.frames[frame.id]))
            for frame in self.scene.frames
        ]
        # Whole arrows first: their labels find the best places.
        whole = {arrow.id: self._draw(arrow) for arrow in self.scene.connectors}
        arrows = [
            part for arrow in self.scene.connectors for part in self._arrow(arrow, whole[arrow.id])
        ]
        heads = [self._head(frame) for frame in self.scene.frames]
        cards: list[Part] = []
        functions: list[Part] = []
        for box in self.scene.boxes:
            is_function = not isinstance(box.content, Card)
            (functions if is_function else cards).append(self._box(box))
        covers = [self._cover(frame) for frame in self.scene.frames]
        sheet = picture_around(
            element("g", class_="hv-drawing"),
            self.graph,
            self.scene,
            self.layout,
            self.places,
            Message("picture.roomy_boxes"),
        )
        return BoxMap(sheet, (*grounds, *arrows, *heads, *cards, *functions, *covers))

    def _chain(self, frame: str) -> tuple[str, ...]:
        """Return the frames around and including this one, from the outside in."""
        return (*self._chain(self.frames[frame].frame), frame) if frame else ()

    def _group(self, frame: str) -> str:
        return self.frames[frame].head.group.id

    def _opened(self, frame: str) -> tuple[str, ...]:
        return (self._group(frame),) if frame else ()

    def _head(self, frame: Frame) -> Part:
        drawn = draw_frame(frame.head, self.layout.frames[frame.id], self.fields, LANGUAGE)
        return Part(self._opened(frame.id), (), drawn)

    def _cover(self, frame: Frame) -> Part:
        cover, place = self.covers[frame.id], self.layout.frames[frame.id]
        width = max(cover.width, place.right - place.left)
        height = max(cover.height, place.bottom - place.top)
        center = place.left + width / 2, place.top + height / 2
        box = replace(cover, width=width, height=height)
        return Part(
            self._opened(frame.frame),
            self._opened(frame.id),
            draw_box(box, center, self.fields, LANGUAGE),
        )

    def _box(self, box: Box) -> Part:
        center, content = self.layout.centers[box.id], box.content
        match content:
            case Card():
                drawn = draw_card(content, center, self.fields, LANGUAGE)
            case ModuleBox():
                drawn = draw_box(content, center, self.fields, LANGUAGE)
            case FunctionShape():
                drawn = draw_function(content, center, self.places, self.fields, LANGUAGE)
            case _:
                raise TypeError("values of a forward are on no map")
        return Part(self._opened(box.frame), (), drawn)

    # -- arrows ---------------------------------------------------------------------------------

    def _arrow(self, arrow: Connector, whole: Element) -> Iterator[Part]:
        """Yield an arrow as it is with any boxes around its ends closed."""
        tails, heads = (self._chain(self.boxes[end].frame) for end in (arrow.tail, arrow.head))
        common = 0
        while common < min(len(tails), len(heads)) and tails[common] == heads[common]:
            common += 1
        for tail in range(common, len(tails) + 1):
            for head in range(common, len(heads) + 1):
                opened = {
                    self._group(chain[end - 1])
                    for chain, end in ((tails, tail), (heads, head))
                    if end
                }
                leaves, enters = tails[tail : tail + 1], heads[head : head + 1]
                drawn = whole
                if leaves or enters:
                    drawn = self._cut(arrow, "".join(leaves), "".join(enters))
                closed = tuple(self._group(frame) for frame in (*leaves, *enters))
                yield Part(tuple(sorted(opened)), closed, drawn)

    def _cut(self, arrow: Connector, leaves: str, enters: str) -> Element:
        route = cut_route(
            self.layout.routes[arrow.id],
            leaves=self.layout.frames.get(leaves),
            enters=self.layout.frames.get(enters),
        )
        tail, keys = self.boxes[arrow.tail].content, arrow.keys
        if leaves and isinstance(tail, Card) and arrow.kind == "feed":
            # The card is covered: the box itself sends what the card would have passed on.
            of_tensor = tail.tensor.node, tail.tensor.output_nr
            sent = self.ways.leaving(of_tensor, self._group(leaves))
            if sent:
                keys, arrow = sent, replace(arrow, kind="edge")
        if enters and arrow.kind == "edge":
            sender = _id_of(self.boxes[arrow.tail])
            keys = tuple(self.ways.entering(key, sender, self._group(enters)) for key in keys)
        slot = None if enters else arrow.slot
        return self._draw(replace(arrow, keys=keys, slot=slot), route)

    def _draw(self, arrow: Connector, cut: Route | None = None) -> Element:
        if cut is None:
            return draw_connector(arrow, self.layout, self.places, self.fields, LANGUAGE)
        layout = replace(self.layout, routes={arrow.id: cut})
        return draw_connector(arrow, layout, self.places.for_one(layout), self.fields, LANGUAGE)


def _id_of(box: Box) -> str:
    match box.content:
        case Card():
            return box.content.tensor.id
        case ModuleBox():
            return box.content.group.id
        case FunctionShape():
            return box.content.node.id
        case _:
            return ""
