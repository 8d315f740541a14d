"""Find the place of a text beside an arrow, where Graphviz was not asked for it."""

from __future__ import annotations

import math

from hookviz._view.layout.geometry import Point, Route

_DISTANCE = 5.0
_HEIGHT = 14.0
_UPRIGHT = 0.25


def beside(route: Route, width: float, *, part: float = 0.5, is_other_side: bool = False) -> Point:
    """Return the middle of a text: above an arrow, and to the right of one that is nearly upright.

    Args:
        route: The way of the arrow.
        width: Width of the text in pixels.
        part: The part of the way, from 0 at the sender to 1.
        is_other_side: Whether the text stands below the arrow, and to the left of an upright one.
    """
    (x, y), (dx, dy) = point_on(route, part)
    length = math.hypot(dx, dy) or 1.0
    nx, ny = dy / length, -dx / length
    is_turned = (ny > 0) if abs(ny) > _UPRIGHT else (nx < 0)
    if is_turned != is_other_side:
        nx, ny = -nx, -ny
    reach = abs(nx) * width / 2 + abs(ny) * _HEIGHT / 2 + _DISTANCE
    return round(x + nx * reach, 1), round(y + ny * reach, 1)


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
