"""Give every box of a scene a place and every connector a route."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from hookviz._view.layout import engines
from hookviz._view.layout.dot import scene_to_dot
from hookviz._view.layout.geometry import MARGIN, Engine, Layout, Point, Rectangle, Route
from hookviz._view.layout.labels import beside
from hookviz._view.layout.straight import lay_out_straight
from hookviz._view.scene.scene import FRAME_GAP, Scene

MOST_ELEMENTS_HERE = 300
"""Boxes and connectors up to which Graphviz runs in this process: a few hundredths of a second."""

TIMEOUT = 5.0
"""Seconds that one attempt may take in another process."""

_CLUSTER = "cluster_"


def lay_out(scene: Scene, *, timeout: float = TIMEOUT) -> Layout:
    """Lay out a scene with the first engine that works; an error never replaces the picture.

    Args:
        scene: The scene.
        timeout: Seconds for one attempt on a large graph; there are at most two, and then straight
            lines, which take next to no time.
    """
    for is_rescue in (False, True):
        dot = scene_to_dot(scene, rescue=is_rescue)
        for engine, attempt in _attempts(scene, dot, timeout):
            try:
                return _read(scene, json.loads(attempt()), engine, is_rescue=is_rescue)
            except engines.EngineTimeout:
                break
            except (engines.EngineError, LookupError, ValueError):
                continue
    return lay_out_straight(scene)


def _attempts(scene: Scene, dot: str, timeout: float) -> Iterator[tuple[Engine, Callable[[], str]]]:
    if engines.has_pygraphviz():
        if len(scene.boxes) + len(scene.connectors) <= MOST_ELEMENTS_HERE:
            yield "pygraphviz", lambda: engines.run_here(dot)
        else:
            yield "pygraphviz", lambda: engines.run_in_child(dot, timeout=timeout)
    if engines.has_dot():
        yield "dot", lambda: engines.run_program(dot, timeout=timeout)


def _read(scene: Scene, drawn: Any, engine: Engine, *, is_rescue: bool) -> Layout:
    left, bottom, right, top = _numbers(drawn["bb"])
    # Graphviz leaves too little room above a frame for an arrow.
    above = 0.0 if scene.is_sideways else FRAME_GAP

    def place(text: str, lower: float = 0.0) -> Point:
        x, y = _numbers(text)
        # Graphviz counts from the bottom. A tenth of a pixel is finer than anyone sees, and coarse
        # enough for all machines to agree.
        return round(x - left + MARGIN, 1), round(top - y + MARGIN + lower, 1)

    centers, notes, frames = {}, {}, {}
    for item in drawn.get("objects", ()):
        if "pos" in item:
            centers[item["name"]] = place(item["pos"])
            if "xlp" in item:
                notes[item["name"]] = place(item["xlp"])
        elif item["name"].startswith(_CLUSTER):
            x, low, other_x, high = item["bb"].split(",")
            corners = place(f"{x},{high}", above), place(f"{other_x},{low}")
            frames[item["name"].removeprefix(_CLUSTER)] = Rectangle(*corners[0], *corners[1])
    lowered = {arrow.id for arrow in scene.connectors if arrow.head in frames} if above else set()
    routes, labels = {}, {}
    for item in drawn.get("edges", ()):
        # `e,x,y` is where the arrowhead ends; the rest are the points of the curve.
        tip, *points = item["pos"].split(" ")
        if not tip.startswith("e,"):
            raise ValueError(f"an edge without an arrowhead: {item['pos'][:40]}")
        lower = above if item["id"] in lowered else 0.0
        curve = (*(place(point) for point in points[:-2]), *(place(p, lower) for p in points[-2:]))
        routes[item["id"]] = Route(curve, place(tip[2:], lower))
        if "lp" in item:
            labels[item["id"]] = place(item["lp"])
    for arrow in scene.connectors:
        if arrow.label_width and arrow.id not in labels:
            labels[arrow.id] = beside(routes[arrow.id], arrow.label_width)
    return Layout(
        width=right - left + 2 * MARGIN,
        height=top - bottom + 2 * MARGIN,
        centers={box.id: centers[box.id] for box in scene.boxes},
        frames={frame.id: frames[frame.id] for frame in scene.frames},
        routes={connector.id: routes[connector.id] for connector in scene.connectors},
        labels=labels,
        notes=notes,
        engine=engine,
        is_rescue=is_rescue,
    )


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))
