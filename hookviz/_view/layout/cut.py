"""Cut the route of an arrow where it leaves one rectangle and enters another."""

from __future__ import annotations

import math
from itertools import pairwise

from hookviz._view.layout.geometry import Point, Rectangle, Route
from hookviz._view.layout.labels import point_on

_ARROW = 9.0
_SAMPLES = 200
_HALVINGS = 20

_Curve = tuple[Point, Point, Point, Point]


def cut_route(
    route: Route, *, leaves: Rectangle | None = None, enters: Rectangle | None = None
) -> Route:
    """Return the part of a route that lies between two rectangles.

    Args:
        route: The whole way.
        leaves: Where it begins: what is in this rectangle is cut off.
        enters: Where it ends, in the same way; the arrowhead then stands at its border.
    """
    begin = 0.0 if leaves is None else _last_inside(route, leaves)
    if enters is None:
        return Route(_points(_between(route, begin, 1.0)), route.tip)
    end = max(_first_inside(route, enters, begin), begin)
    tip = point_on(route, end)[0]
    foot = _before(route, begin, end, tip)
    return Route(_points(_between(route, begin, foot)), (round(tip[0], 1), round(tip[1], 1)))


def _last_inside(route: Route, place: Rectangle) -> float:
    """Return where a route is in a rectangle for the last time, 0 if it never is."""
    for sample in range(_SAMPLES, -1, -1):
        if place.holds(point_on(route, sample / _SAMPLES)[0]):
            return _border(route, place, sample / _SAMPLES, min((sample + 1) / _SAMPLES, 1.0))
    return 0.0


def _first_inside(route: Route, place: Rectangle, begin: float) -> float:
    """Return where a route is in a rectangle for the first time, 1 if it never is."""
    for sample in range(int(begin * _SAMPLES), _SAMPLES + 1):
        if place.holds(point_on(route, sample / _SAMPLES)[0]):
            return _border(route, place, sample / _SAMPLES, max((sample - 1) / _SAMPLES, 0.0))
    return 1.0


def _border(route: Route, place: Rectangle, inside: float, outside: float) -> float:
    if place.holds(point_on(route, outside)[0]):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if place.holds(point_on(route, middle)[0]):
            inside = middle
        else:
            outside = middle
    return inside


def _before(route: Route, begin: float, end: float, tip: Point) -> float:
    """Return where the arrowhead begins, for one that ends at `tip`."""
    near, far = end, begin
    if math.dist(point_on(route, begin)[0], tip) <= _ARROW:
        return begin + (end - begin) / 2
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        if math.dist(point_on(route, middle)[0], tip) < _ARROW:
            near = middle
        else:
            far = middle
    return far


def _between(route: Route, begin: float, end: float) -> list[_Curve]:
    """Return the curves of a route from one part of it to another; parts go from 0 to 1."""
    count = (len(route.points) - 1) // 3
    curves: list[_Curve] = []
    for place in range(count):
        low, high = max(begin * count - place, 0.0), min(end * count - place, 1.0)
        if low < high or (not curves and low <= 1.0 and high >= low):
            a, b, c, d = route.points[3 * place : 3 * place + 4]
            curves.append(_part((a, b, c, d), low, high))
    return curves


def _part(curve: _Curve, low: float, high: float) -> _Curve:
    """Return the part of one cubic curve, as a cubic curve: see "blossom" of a Bézier curve."""
    return (
        _blossom(curve, low, low, low),
        _blossom(curve, low, low, high),
        _blossom(curve, low, high, high),
        _blossom(curve, high, high, high),
    )


def _blossom(curve: _Curve, *parts: float) -> Point:
    points = list(curve)
    for part in parts:
        points = [
            (a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part) for a, b in pairwise(points)
        ]
    return points[0]


def _points(curves: list[_Curve]) -> tuple[Point, ...]:
    found = [curves[0][0], *(point for curve in curves for point in curve[1:])]
    return tuple((round(x, 1), round(y, 1)) for x, y in found)
