"""Find places for the numbers beside arrows where they cover nothing."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from hookviz._view.layout.geometry import Layout, Point, Rectangle, Route
from hookviz._view.scene.scene import FRAME_PADDING, Scene

_CELL = 48.0
_DISTANCE = 5.0
_FEWEST_SAMPLES = 12
_SAMPLE = 20.0
_SAMPLES_IN_ALL = 20_000
_HEIGHT = 14.0
_UPRIGHT = 0.25
_BESIDE = 0.6


@dataclass(frozen=True, slots=True)
class Place:
    """Where a label stands: its middle, or the end of it that is next to the arrow."""

    x: float
    y: float
    anchor: Literal["start", "middle", "end"]


class LabelPlaces:
    """Place labels one after another, each away from boxes, arrows and the labels before it.

    Attributes:
        left, right: The edges of the picture that has all labels so far in it.
        is_keeping: Whether the next labels stand together with the labels after them.
    """

    def __init__(self, scene: Scene, layout: Layout) -> None:
        self._scene = scene
        self._layout = layout
        self.left = 0.0
        self.right = layout.width
        self.is_keeping = True

    @functools.cached_property
    def _taken(self) -> dict[tuple[int, int], list[tuple[Rectangle, float]]]:
        """The obstacles by cell; found for the first label: many pictures have none."""
        taken: dict[tuple[int, int], list[tuple[Rectangle, float]]] = defaultdict(list)
        for area, weight in _obstacles(self._scene, self._layout):
            for cell in _cells(area):
                taken[cell].append((area, weight))
        return taken

    def place_along(self, route: Route, width: float, *, parts: tuple[float, ...]) -> Place:
        """Return the best place for a label beside an arrow.

        Args:
            route: The way of the arrow.
            width: Width of the label in pixels.
            parts: The parts of the way to try, from 0 at the sender to 1, best first.
        """
        return self._take_best(self._beside(route, width, parts), width)

    def place_around(self, center: Point, width: float, height: float, label: float) -> Place:
        """Return the best place for a label of width `label` next to a box."""
        aside, above = (width + label) / 2 + _DISTANCE, (height + _HEIGHT) / 2 + 2
        x, y = center
        around = [
            (x, y + above, 0.0),
            (x, y - above, 0.0),
            (x + aside, y, 1.0),
            (x - aside, y, -1.0),
        ]
        candidates = ((3.0 * order, *place) for order, place in enumerate(around))
        return self._take_best(candidates, label)

    def _take_best(
        self, candidates: Iterable[tuple[float, float, float, float]], width: float
    ) -> Place:
        best_cost = math.inf
        best = Rectangle(0, 0, 0, 0), Place(0, 0, "middle")
        for penalty, x, y, beside in candidates:
            area = Rectangle.around((x, y), width, _HEIGHT)
            cost = penalty + sum(weight * area.overlap(other) for other, weight in self._near(area))
            if cost < best_cost - 1e-6:
                # Text is anchored at the side of the arrow: how wide it turns out is not known.
                place = Place(x, y, "middle")
                if beside > _BESIDE:
                    place = Place(area.left, y, "start")
                elif beside < -_BESIDE:
                    place = Place(area.right, y, "end")
                best_cost, best = cost, (area, place)
            if cost == penalty == 0.0:
                break
        if self.is_keeping:
            for cell in _cells(best[0]):
                self._taken[cell].append((best[0], 6.0))
            self.left = min(self.left, best[0].left)
            self.right = max(self.right, best[0].right)
        return best[1]

    def _beside(
        self, route: Route, width: float, parts: tuple[float, ...]
    ) -> Iterator[tuple[float, float, float, float]]:
        """Yield how much a place is disliked, its middle, and how far it is beside the arrow."""
        for order, part in enumerate(parts):
            (x, y), (dx, dy) = point_on(route, part)
            length = (dx * dx + dy * dy) ** 0.5 or 1.0
            # Above an arrow, and to the right of one that is nearly upright.
            nx, ny = dy / length, -dx / length
            if (ny > 0) if abs(ny) > _UPRIGHT else (nx < 0):
                nx, ny = -nx, -ny
            reach = abs(nx) * width / 2 + abs(ny) * _HEIGHT / 2 + _DISTANCE
            for side, side_penalty in ((1, 0.0), (-1, 12.0)):
                penalty = order * 3.0 + side_penalty
                yield penalty, x + side * nx * reach, y + side * ny * reach, side * nx

    def _near(self, area: Rectangle) -> Iterable[tuple[Rectangle, float]]:
        found: dict[int, tuple[Rectangle, float]] = {}
        for cell in _cells(area):
            for entry in self._taken.get(cell, ()):
                found[id(entry)] = entry
        return found.values()


def _obstacles(scene: Scene, layout: Layout) -> Iterator[tuple[Rectangle, float]]:
    """Yield what a label should not cover, and how much it is disliked there."""
    for box in scene.boxes:
        yield Rectangle.around(layout.centers[box.id], box.width, box.height), 3.0
    for frame in scene.frames:
        place = layout.frames[frame.id]
        right = min(place.left + frame.head.width + FRAME_PADDING, place.right)
        bottom = place.top + frame.head.height + FRAME_PADDING / 2
        yield Rectangle(place.left, place.top, right, bottom), 3.0
        for x in (place.left, place.right):
            yield Rectangle(x - 2, place.top, x + 2, place.bottom), 2.0
        for y in (place.top, place.bottom):
            yield Rectangle(place.left, y - 2, place.right, y + 2), 2.0
    most = max(_FEWEST_SAMPLES, _SAMPLES_IN_ALL // max(len(layout.routes), 1))
    for route in layout.routes.values():
        # Close enough for no label to slip through between two of them, where there is time.
        wanted = int(math.dist(route.points[0], route.tip) / _SAMPLE)
        samples = max(_FEWEST_SAMPLES, min(wanted, most))
        for part in range(1, samples):
            yield Rectangle.around(point_on(route, part / samples)[0], 6, 6), 4.0
        yield Rectangle.around(route.points[-1], 12, 12), 20.0


def point_on(route: Route, part: float) -> tuple[Point, Point]:
    """Return a point of a route and the direction there; `part` goes from 0 to 1."""
    pieces = (len(route.points) - 1) // 3
    piece = min(int(part * pieces), pieces - 1)
    t = part * pieces - piece
    p0, p1, p2, p3 = route.points[3 * piece : 3 * piece + 4]
    u = 1 - t

    def value(axis: int) -> float:
        return (
            u**3 * p0[axis] + 3 * u * u * t * p1[axis] + 3 * u * t * t * p2[axis] + t**3 * p3[axis]
        )

    def slope(axis: int) -> float:
        return (
            u * u * (p1[axis] - p0[axis])
            + 2 * u * t * (p2[axis] - p1[axis])
            + t * t * (p3[axis] - p2[axis])
        )

    return (value(0), value(1)), (slope(0), slope(1))


def _cells(area: Rectangle) -> Iterator[tuple[int, int]]:
    for column in range(int(area.left // _CELL), int(area.right // _CELL) + 1):
        for row in range(int(area.top // _CELL), int(area.bottom // _CELL) + 1):
            yield column, row
