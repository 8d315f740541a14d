"""Cut the route of an arrow where it leaves one rectangle and enters another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from hookviz._view.layout.geometry import Point, Rectangle, Route
from hookviz._view.layout.labels import point_on

_ARROW = 9.0
_SAMPLES = [sample / 200 for sample in range(201)]
_HALVINGS = 20


def cut_route(
    route: Route, *, leaves: Rectangle | None = None, enters: Rectangle | None = None
) -> Route:
    """Return the part of a route that lies between two rectangles.

    Args:
        route: The whole way.
        leaves: The rectangle at the beginning; the part of the way in it is cut off.
        enters: The rectangle at the end, in the same way; the arrowhead stands at its border.
    """

    def at(part: float) -> Point:
        return point_on(route, part)[0]

    begin, end = 0.0, 1.0
    if leaves is not None:
        begin = _border(reversed(_SAMPLES), lambda part: leaves.holds(at(part)), begin)
    if enters is None:
        return Route(_between(route, begin, end), route.tip)
    rest = [begin, *(sample for sample in _SAMPLES if sample > begin)]
    end = _border(rest, lambda part: enters.holds(at(part)), end)
    tip = at(end)
    foot = _border([end, begin], lambda part: math.dist(at(part), tip) >= _ARROW, (begin + end) / 2)
    return Route(_between(route, begin, foot), (round(tip[0], 1), round(tip[1], 1)))


def _border(parts: Iterable[float], is_reached: Callable[[float], bool], otherwise: float) -> float:
    """Return the place on a way at which a condition is met, tried at some parts in their order."""
    before: float | None = None
    for part in parts:
        if is_reached(part):
            if before is None:
                return part
            for _ in range(_HALVINGS):
                middle = (part + before) / 2
                part, before = (middle, before) if is_reached(middle) else (part, middle)
            return part
        before = part
    return otherwise


def _between(route: Route, begin: float, end: float) -> tuple[Point, ...]:
    """Return the control points of a route from one part of it to another, from 0 to 1."""
    count = (len(route.points) - 1) // 3
    points: list[Point] = []
    for place in range(count):
        low, high = max(begin * count - place, 0.0), min(end * count - place, 1.0)
        if low < high or (not points and low <= 1.0 and high >= low):
            curve = route.points[3 * place : 3 * place + 4]
            # A part of a cubic curve is a cubic curve: see "blossom" of a Bézier curve.
            part = [_blossom(curve, *(low,) * (3 - ends), *(high,) * ends) for ends in range(4)]
            points += part[1:] if points else part
    return tuple((round(x, 1), round(y, 1)) for x, y in points)


def _blossom(curve: Sequence[Point], *parts: float) -> Point:
    points = list(curve)
    for part in parts:
        points = [
            (a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part) for a, b in pairwise(points)
        ]
    return points[0]
