"""Find places for the numbers beside arrows where they cover nothing."""

from __future__ import annotations

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
        left, right: Where the picture has to begin and end for all labels so far to be in it.
    """

    def __init__(self, scene: Scene, layout: Layout) -> None:
        self._scene = scene
        self._layout = layout
        self.left = 0.0
        self.right = layout.width
        self._places: dict[tuple[int, int], list[tuple[Rectangle, float]]] | None = None
        self._is_taking = True

    def for_one(self, layout: Layout) -> LabelPlaces:
        """Return the same places for a label that is not there together with others to come.

        Args:
            layout: Has the route of its arrow.
        """
        taken = self._taken
        other = LabelPlaces(self._scene, layout)
        other._places, other._is_taking = taken, False
        return other

    @property
    def _taken(self) -> dict[tuple[int, int], list[tuple[Rectangle, float]]]:
        """What is in the way, by cell; found when the first label asks: many pictures have none."""
        if self._places is None:
            self._places = defaultdict(list)
            self._take_what_is_drawn()
        return self._places

    def _take_what_is_drawn(self) -> None:
        scene, layout = self._scene, self._layout
        for box in scene.boxes:
            x, y = layout.centers[box.id]
            half_width, half_height = box.width / 2, box.height / 2
            self._take(
                Rectangle(x - half_width, y - half_height, x + half_width, y + half_height), 3.0
            )
        for frame in scene.frames:
            place = layout.frames[frame.id]
            right = min(place.left + frame.head.width + FRAME_PADDING, place.right)
            bottom = place.top + frame.head.height + FRAME_PADDING / 2
            self._take(Rectangle(place.left, place.top, right, bottom), 3.0)
            for x in (place.left, place.right):
                self._take(Rectangle(x - 2, place.top, x + 2, place.bottom), 2.0)
            for y in (place.top, place.bottom):
                self._take(Rectangle(place.left, y - 2, place.right, y + 2), 2.0)
        most = max(_FEWEST_SAMPLES, _SAMPLES_IN_ALL // max(len(layout.routes), 1))
        for route in layout.routes.values():
            # Close enough for no label to slip through between two of them, where there is time.
            wanted = int(math.dist(route.points[0], route.tip) / _SAMPLE)
            samples = max(_FEWEST_SAMPLES, min(wanted, most))
            for part in range(1, samples):
                (x, y), _ = point_on(route, part / samples)
                self._take(Rectangle(x - 3, y - 3, x + 3, y + 3), 4.0)
            x, y = route.points[-1]
            self._take(Rectangle(x - 6, y - 6, x + 6, y + 6), 20.0)

    def place_along(self, connector_id: str, width: float, *, parts: tuple[float, ...]) -> Place:
        """Return the best place for a label beside an arrow and take it.

        Args:
            connector_id: The connector that the label belongs to.
            width: Of the label, in pixels.
            parts: How far along the arrow to try, from 0 at the sender, best first.
        """
        route = self._layout.routes[connector_id]
        return self._take_best(self._beside(route, width, parts), width)

    def place_around(self, center: Point, width: float, height: float, label: float) -> Place:
        """Return the best place for a label of width `label` next to a box and take it."""
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
            area = Rectangle(x - width / 2, y - _HEIGHT / 2, x + width / 2, y + _HEIGHT / 2)
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
        if self._is_taking:
            self._take(best[0], 6.0)
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

    def _take(self, area: Rectangle, weight: float) -> None:
        for cell in _cells(area):
            self._taken[cell].append((area, weight))

    def _near(self, area: Rectangle) -> Iterable[tuple[Rectangle, float]]:
        found: dict[int, tuple[Rectangle, float]] = {}
        for cell in _cells(area):
            for entry in self._taken.get(cell, ()):
                found[id(entry)] = entry
        return found.values()


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
