"""Write a scene as DOT, in which boxes have a size and no text."""

from __future__ import annotations

from hookviz.view.card import Card
from hookviz.view.scene import Box, Connector, Scene

_PIXELS_PER_INCH = 72.0
# Hard order within a rank is what makes `a` stand before `b`; on large graphs it would cost
# crossings and time, and nobody reads them input by input.
_MOST_ORDERED_BOXES = 120

RESCUE = {"nslimit": "0.1", "nslimit1": "0.1", "mclimit": "0.1", "splines": "line"}
"""Graphviz settings that trade crossings for time, for a graph that did not finish."""


def scene_to_dot(scene: Scene, *, rescue: bool = False) -> str:
    """Return DOT for a scene.

    Names in it are the scene's own ids, so no text from a user ever reaches Graphviz.

    Args:
        scene: What is drawn.
        rescue: Use `RESCUE`.
    """
    # Here and not above: `import hookviz` loads no graph package.
    from graphviz import Digraph

    # One unit of Graphviz is one pixel of the picture.
    attributes = {
        "rankdir": "RL" if scene.is_sideways else "TB",
        "ranksep": _inches(scene.gap),
        "nodesep": _inches(scene.gap_in_rank),
        **(RESCUE if rescue else {}),
    }
    if len(scene.boxes) <= _MOST_ORDERED_BOXES:
        attributes["ordering"] = "out"
    digraph = Digraph(
        graph_attr=attributes,
        node_attr={"label": "", "fixedsize": "true", "shape": "box"},
        edge_attr={"arrowsize": "0.9"},
    )
    boxes = {box.id: box for box in scene.boxes}
    for box in scene.boxes:
        is_round = not isinstance(box.content, Card) and box.content.is_round
        digraph.node(
            box.id,
            width=_inches(box.width),
            height=_inches(box.height),
            **({"shape": "circle"} if is_round else {}),
        )
    for connector in scene.connectors:
        digraph.edge(connector.tail, connector.head, **_edge(connector, boxes, scene))
    return str(digraph.source)


def _edge(connector: Connector, boxes: dict[str, Box], scene: Scene) -> dict[str, str]:
    # Arrows meet a card in the middle of its side: away from round corners, and where several
    # arrive they visibly come together, which is where they are added up.
    leave, arrive = ("w", "e") if scene.is_sideways else ("s", "n")
    attributes = {"id": connector.id}
    if isinstance(boxes[connector.tail].content, Card):
        attributes["tailport"] = leave
    if isinstance(boxes[connector.head].content, Card):
        attributes["headport"] = arrive
    if connector.kind == "feed":
        # A tensor and its grad_fn belong together: short and straight.
        attributes["weight"] = "4"
    return attributes


def _inches(pixels: float) -> str:
    return f"{pixels / _PIXELS_PER_INCH:.4f}"
