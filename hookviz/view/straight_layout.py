"""Lay out a scene with straight lines, for when Graphviz is not to be had."""

from __future__ import annotations

import math

from hookviz.view.layout import Layout, Point, Route
from hookviz.view.scene import Box, Scene

_MARGIN = 12.0
_ARROW = 9.0


def lay_out_straight(scene: Scene) -> Layout:
    """Put boxes into ranks in the direction of the gradient; lines may cross boxes."""
    # Here and not above: `import hookviz` loads no graph package.
    import networkx

    graph = networkx.MultiDiGraph()
    graph.add_nodes_from(box.id for box in scene.boxes)
    graph.add_edges_from((connector.tail, connector.head) for connector in scene.connectors)
    boxes = {box.id: box for box in scene.boxes}
    # No autograd graph has a cycle, but a file can claim one.
    is_sound = networkx.is_directed_acyclic_graph(graph)
    generations = networkx.topological_generations(graph) if is_sound else [list(graph)]
    rows = [[boxes[box_id] for box_id in generation] for generation in generations]
    # Along the gradient: from rank to rank. Across: within a rank.
    longest = max(sum(_across(box, scene) + scene.gap_in_rank for box in row) for row in rows)
    along = _MARGIN
    spread: dict[str, Point] = {}
    for row in rows:
        depth = max(_along(box, scene) for box in row)
        length = sum(_across(box, scene) + scene.gap_in_rank for box in row)
        across = _MARGIN + (longest - length) / 2
        for box in row:
            size = _across(box, scene) + scene.gap_in_rank
            spread[box.id] = (along + depth / 2, across + size / 2)
            across += size
        along += depth + scene.gap
    length = along - scene.gap + _MARGIN
    centers: dict[str, Point] = {}
    for box_id, (down, over) in spread.items():
        x, y = (length - down, over) if scene.is_sideways else (over, down)
        centers[box_id] = round(x, 1), round(y, 1)
    routes = {
        connector.id: _straight(
            boxes[connector.tail],
            centers[connector.tail],
            boxes[connector.head],
            centers[connector.head],
        )
        for connector in scene.connectors
    }
    over = longest + 2 * _MARGIN
    return Layout(
        width=length if scene.is_sideways else over,
        height=over if scene.is_sideways else length,
        centers=centers,
        routes=routes,
        engine="networkx",
        is_rescue=True,
    )


def _along(box: Box, scene: Scene) -> float:
    return box.width if scene.is_sideways else box.height


def _across(box: Box, scene: Scene) -> float:
    return box.height if scene.is_sideways else box.width


def _straight(tail: Box, start: Point, head: Box, end: Point) -> Route:
    begin = _border(tail, start, end)
    tip = _border(head, end, start)
    distance = math.dist(begin, tip) or 1.0
    part = max(0.0, 1 - _ARROW / distance)
    points = [_between(begin, tip, part * third / 3) for third in range(4)]
    return Route(tuple(points), tip)


def _border(box: Box, center: Point, towards: Point) -> Point:
    """Return where the line from the center of a box to another point leaves the box."""
    dx, dy = towards[0] - center[0], towards[1] - center[1]
    reach = max(abs(dx) / (box.width / 2), abs(dy) / (box.height / 2))
    return _between(center, towards, min(1.0, 1 / reach) if reach else 0.0)


def _between(start: Point, end: Point, part: float) -> Point:
    return (
        round(start[0] + (end[0] - start[0]) * part, 1),
        round(start[1] + (end[1] - start[1]) * part, 1),
    )
