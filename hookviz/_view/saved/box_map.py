"""Draw one picture for any boxes that are open: every part says with which boxes it is seen."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from hookviz._view.layout.cut import cut_route
from hookviz._view.layout.geometry import Layout, Rectangle
from hookviz._view.layout.graphviz import lay_out
from hookviz._view.layout.labels import beside
from hookviz._view.saved.hook_nodes import HookNodes
from hookviz._view.scene.module_box import measure_box
from hookviz._view.scene.panel import Panel
from hookviz._view.scene.scene import Connector, Frame, Scene, label_width
from hookviz._view.svg.drawing import Drawing
from hookviz._view.svg.element import Element, element
from hookviz._view.svg.picture import LANGUAGE, Drawn
from hookviz._view.text.message import Message

_LEAST_CONTENT = 60.0
"""The least height of the content of a frame with the room around it."""


class Part(Struct, frozen=True):
    """A part of a map.

    Attributes:
        opened, closed: Ids of boxes that have to be open, with all that are around them, and of
            boxes that must not be.
        drawn: The part.
    """

    opened: tuple[str, ...]
    closed: tuple[str, ...]
    drawn: Element


class BoxMap(Struct, frozen=True):
    """A picture in which everything has its place for good: a closed box covers its content.

    Attributes:
        sheet: The picture without its parts.
        parts: From the bottom to the top.
    """

    sheet: Element
    parts: tuple[Part, ...]


def box_map(drawn: Drawn, expanded: Collection[str]) -> BoxMap | None:
    """Return the map in which each of these boxes can be open or closed.

    Args:
        drawn: The pass.
        expanded: Ids of the boxes that can be opened; the others are closed.

    Returns:
        The map; `None` for a forward without a graph, where an arrow depends on more than on the
        boxes at its ends.
    """
    scene = drawn.scene(expanded)
    if scene.is_forward:
        return None
    covers = {
        frame.id: measure_box(drawn.tree.groups[frame.head.key], drawn.fields, can_open=True)
        for frame in scene.frames
    }
    layout = lay_out(scene)
    if any(_is_small(layout.frames[frame.id], covers[frame.id]) for frame in scene.frames):
        # The frames get the room that their closed boxes need, and keep the heads that they have.
        roomy = tuple(_with_room_for(frame, covers[frame.id]) for frame in scene.frames)
        layout = lay_out(replace(scene, frames=roomy))
    return _MapMaker(drawn, scene, layout, covers).make()


def _is_small(place: Rectangle, cover: Panel) -> bool:
    return place.width < cover.width or place.height < cover.height


def _with_room_for(frame: Frame, cover: Panel) -> Frame:
    height = max(frame.head.height, cover.height - _LEAST_CONTENT)
    width = max(frame.head.width, cover.width)
    return replace(frame, head=replace(frame.head, width=width, height=height))


class _MapMaker:
    def __init__(
        self, drawn: Drawn, scene: Scene, layout: Layout, covers: dict[str, Panel]
    ) -> None:
        self.drawn, self.scene, self.layout, self.covers = drawn, scene, layout, covers
        self.hook_nodes = HookNodes(drawn.graph, drawn.tree)
        self.frames = {frame.id: frame for frame in scene.frames}
        self.boxes = {box.id: box for box in scene.boxes}
        self.drawing = Drawing(scene, layout, drawn.fields, LANGUAGE)

    def make(self) -> BoxMap:
        drawing, frames = self.drawing, self.scene.frames
        grounds = [Part(self._opened(frame.id), (), drawing.ground(frame)) for frame in frames]
        arrows = [part for arrow in self.scene.connectors for part in self._arrow(arrow)]
        heads = [Part(self._opened(frame.id), (), drawing.head(frame)) for frame in frames]
        cards: list[Part] = []
        functions: list[Part] = []
        for box in self.scene.boxes:
            part = Part(self._opened(box.frame), (), drawing.box(box))
            (cards if box.is_card else functions).append(part)
        covers = [self._cover(frame) for frame in frames]
        sheet = element("g", class_="hv-drawing")
        picture = self.drawn.picture_around(
            sheet, drawing.center(sheet), self.scene, self.layout, Message("picture.roomy_boxes")
        )
        return BoxMap(picture, (*grounds, *arrows, *heads, *cards, *functions, *covers))

    def _chain(self, frame: str) -> tuple[str, ...]:
        """Return the frames around and including this one, from the outside in."""
        return (*self._chain(self.frames[frame].frame), frame) if frame else ()

    def _group(self, frame: str) -> str:
        return self.frames[frame].head.key

    def _opened(self, frame: str) -> tuple[str, ...]:
        return (self._group(frame),) if frame else ()

    def _cover(self, frame: Frame) -> Part:
        cover, place = self.covers[frame.id], self.layout.frames[frame.id]
        size = max(cover.width, place.width), max(cover.height, place.height)
        covered = Rectangle(place.left, place.top, place.left + size[0], place.top + size[1])
        drawn = self.drawing.panel(replace(cover, width=size[0], height=size[1]), covered)
        return Part(self._opened(frame.frame), self._opened(frame.id), drawn)

    # -- arrows ---------------------------------------------------------------------------------

    def _arrow(self, arrow: Connector) -> Iterator[Part]:
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
                is_whole = not leaves and not enters
                drawn = (
                    self.drawing.arrow(arrow)
                    if is_whole
                    else self._cut(arrow, "".join(leaves), "".join(enters))
                )
                closed = tuple(self._group(frame) for frame in (*leaves, *enters))
                yield Part(tuple(sorted(opened)), closed, drawn)

    def _cut(self, arrow: Connector, leaves: str, enters: str) -> Element:
        route = cut_route(
            self.layout.routes[arrow.id],
            leaves=self.layout.frames.get(leaves),
            enters=self.layout.frames.get(enters),
        )
        tail, keys = self.boxes[arrow.tail], arrow.keys
        if leaves and tail.is_card and arrow.kind == "feed":
            # The card is covered: the box itself sends what the card would have passed on.
            sent = self.hook_nodes.leaving(tail.content.key, self._group(leaves))
            if sent:
                keys, arrow = sent, replace(arrow, kind="edge")
        if enters and arrow.kind == "edge":
            sender, box = tail.content.key, self._group(enters)
            keys = tuple(self.hook_nodes.entering(key, sender, box) for key in keys)
        slot = None if enters else arrow.slot
        width = label_width(arrow.kind, keys, self.drawn.fields)
        arrow = replace(arrow, keys=keys, slot=slot, label_width=width)
        covers = [self.layout.frames[frame] for frame in (leaves, enters) if frame]
        label = self.layout.labels.get(arrow.id)
        if label is None or any(cover.holds(label) for cover in covers):
            label = beside(route, width)
        layout = replace(self.layout, routes={arrow.id: route}, labels={arrow.id: label})
        return self.drawing.arrow(arrow, layout)
