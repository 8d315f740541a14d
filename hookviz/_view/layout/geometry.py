"""Hold the places of everything in a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

Point = tuple[float, float]
Engine = Literal["pygraphviz", "dot", "straight"]

MARGIN = 12.0
"""Room around everything that is drawn."""


class Route(Struct, frozen=True):
    """The way of one arrow.

    Attributes:
        points: Control points of cubic curves that share their ends: `3 n + 1` of them.
        tip: Where the arrowhead ends; it begins at the last of the points.
    """

    points: tuple[Point, ...]
    tip: Point


class Rectangle(Struct, frozen=True):
    """A part of the picture, by its edges."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, center: Point, width: float, height: float) -> Rectangle:
        """Return the rectangle of a size around a point."""
        x, y = center
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    @property
    def width(self) -> float:
        """The distance between the left and the right edge."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """The distance between the upper and the lower edge."""
        return self.bottom - self.top

    def holds(self, point: Point) -> bool:
        """Return whether a point is inside or on the border."""
        return self.left <= point[0] <= self.right and self.top <= point[1] <= self.bottom

    def overlap(self, other: Rectangle) -> float:
        """Return the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, width) * max(0.0, height)


class Layout(Struct, frozen=True, kw_only=True):
    """Where everything is, in pixels from the top left corner.

    Attributes:
        width, height: Size of the whole.
        centers: Of each box, by its id in the scene.
        frames: The place of each frame, by its id in the scene.
        routes: Of each connector, by its id in the scene.
        labels: The middle of the text beside each connector that has one.
        notes: The middle of the note beside each function that has one, by the id of the box.
        engine: The program that made the layout.
        is_rescue: Whether this is not the normal layout, because the normal one was not to be had.
    """

    width: float
    height: float
    centers: Mapping[str, Point]
    frames: Mapping[str, Rectangle]
    routes: Mapping[str, Route]
    labels: Mapping[str, Point]
    notes: Mapping[str, Point]
    engine: Engine
    is_rescue: bool = False
