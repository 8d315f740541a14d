"""Lay out a scene with straight lines, for when Graphviz is not to be had."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from hookviz._view.layout.geometry import MARGIN, Layout, Point, Rectangle, Route
from hookviz._view.layout.labels import beside
from hookviz._view.scene.ranks import find_ranks
from hookviz._view.scene.scene import (
    FRAME_PADDING,
    Box,
    Frame,
    FunctionShape,
    Scene,
    arrows_by_frame,
)

_ARROW = 9.0
_NOTE_GAP = 5.0


def lay_out_straight(scene: Scene) -> Layout:
    """Put boxes into ranks in the direction of the arrows; lines may cross boxes.

    The content of a frame is laid out by itself, so that frames never overlap with anything.
    """
    blocks = _Blocks(scene)
    whole = blocks.block("")
    centers: dict[str, Point] = {}
    frames: dict[str, Rectangle] = {}
    blocks.place("", MARGIN, MARGIN, centers, frames)
    places = {
        box.id: Rectangle.around(centers[box.id], box.width, box.height) for box in scene.boxes
    }
    places.update(frames)
    arrows = scene.connectors
    routes = {arrow.id: _straight(places[arrow.tail], places[arrow.head]) for arrow in arrows}
    labels = {
        arrow.id: beside(routes[arrow.id], arrow.label_width)
        for arrow in arrows
        if arrow.label_width
    }
    ends = [labels[arrow.id][0] + arrow.label_width / 2 for arrow in arrows if arrow.label_width]
    return Layout(
        width=max([whole.width + MARGIN, *ends]) + MARGIN,
        height=whole.height + 2 * MARGIN,
        centers=centers,
        frames=frames,
        routes=routes,
        labels=labels,
        notes=_notes(scene, centers),
        engine="straight",
        is_rescue=True,
    )


def _notes(scene: Scene, centers: Mapping[str, Point]) -> dict[str, Point]:
    """Return the places of notes: to the right of their functions."""
    found = {}
    for box in scene.boxes:
        if isinstance(box.content, FunctionShape) and box.content.note_width:
            x, y = centers[box.id]
            found[box.id] = x + (box.width + box.content.note_width) / 2 + _NOTE_GAP, y
    return found


class _Block(Struct):
    """The content of a frame, or of the whole scene, with places counted from its corner."""

    width: float
    height: float
    places: dict[str, Point]


class _Blocks:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.boxes: dict[str, Box] = {box.id: box for box in scene.boxes}
        self.frames: dict[str, Frame] = {frame.id: frame for frame in scene.frames}
        self.arrows = arrows_by_frame(scene)
        self.content: dict[str, list[str]] = defaultdict(list)
        for box in scene.boxes:
            self.content[box.frame].append(box.id)
        for frame in scene.frames:
            self.content[frame.frame].append(frame.id)
        self.blocks: dict[str, _Block] = {}

    def block(self, frame: str) -> _Block:
        """Lay out the content of a frame."""
        if frame not in self.blocks:
            sizes = {item: self._size(item) for item in self.content[frame]}
            self.blocks[frame] = _rows(self.scene, sizes, self.arrows.get(frame, []))
        return self.blocks[frame]

    def place(
        self,
        frame: str,
        left: float,
        top: float,
        centers: dict[str, Point],
        frames: dict[str, Rectangle],
    ) -> None:
        """Write down where everything in a frame is in the whole drawing."""
        for item, (x, y) in self.block(frame).places.items():
            x, y = round(left + x, 1), round(top + y, 1)
            if item in self.boxes:
                centers[item] = x, y
                continue
            width, height = self._size(item)
            corner = x - width / 2, y - height / 2
            frames[item] = Rectangle(*corner, corner[0] + width, corner[1] + height)
            head = self.frames[item].head.height + FRAME_PADDING
            self.place(item, corner[0] + FRAME_PADDING, corner[1] + head, centers, frames)

    def _size(self, item: str) -> tuple[float, float]:
        if item in self.boxes:
            return self.boxes[item].width, self.boxes[item].height
        inside, head = self.block(item), self.frames[item].head
        return (
            max(inside.width, head.width) + 2 * FRAME_PADDING,
            inside.height + head.height + 2 * FRAME_PADDING,
        )


def _rows(
    scene: Scene, sizes: Mapping[str, tuple[float, float]], arrows: list[tuple[str, str]]
) -> _Block:
    rows = find_ranks(sizes, arrows) or [list(sizes)]
    # Along the arrows: from rank to rank. Across: within a rank.
    along_axis = 0 if scene.is_sideways else 1
    across_axis = 1 - along_axis
    gap = scene.gap_in_rank
    # Texts stand above level arrows and beside upright ones.
    texts = max((arrow.label_width for arrow in scene.connectors), default=0.0)
    gap_along = scene.gap + (texts if scene.is_sideways else 0.0)
    longest = max((sum(sizes[item][across_axis] + gap for item in row) for row in rows), default=0)
    along = 0.0
    spread: dict[str, Point] = {}
    for row in rows:
        depth = max(sizes[item][along_axis] for item in row)
        across = (longest - sum(sizes[item][across_axis] + gap for item in row)) / 2
        for item in row:
            room = sizes[item][across_axis] + gap
            spread[item] = (along + depth / 2, across + room / 2)
            across += room
        along += depth + gap_along
    length = max(along - gap_along, 0.0)
    places: dict[str, Point] = {}
    for item, (down, over) in spread.items():
        if not scene.is_sideways:
            places[item] = over, down
        else:
            places[item] = (down if scene.is_forward else length - down), over
    if scene.is_sideways:
        return _Block(length, longest, places)
    return _Block(longest, length, places)


def _straight(tail: Rectangle, head: Rectangle) -> Route:
    start, end = _middle(tail), _middle(head)
    begin = _border(tail, start, end)
    tip = _border(head, end, start)
    distance = math.dist(begin, tip) or 1.0
    part = max(0.0, 1 - _ARROW / distance)
    points = [_between(begin, tip, part * third / 3) for third in range(4)]
    return Route(tuple(points), tip)


def _middle(place: Rectangle) -> Point:
    return (place.left + place.right) / 2, (place.top + place.bottom) / 2


def _border(place: Rectangle, center: Point, towards: Point) -> Point:
    """Return where the line from the center of a box to another point leaves the box."""
    dx, dy = towards[0] - center[0], towards[1] - center[1]
    width, height = place.right - place.left, place.bottom - place.top
    reach = max(abs(dx) / (width / 2), abs(dy) / (height / 2))
    return _between(center, towards, min(1.0, 1 / reach) if reach else 0.0)


def _between(start: Point, end: Point, part: float) -> Point:
    return (
        round(start[0] + (end[0] - start[0]) * part, 1),
        round(start[1] + (end[1] - start[1]) * part, 1),
    )
