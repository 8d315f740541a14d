"""Write a scene as DOT, in which boxes have a size and no text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from hookviz._view.scene.ranks import find_ranks
from hookviz._view.scene.scene import (
    FRAME_GAP,
    FRAME_PADDING,
    Box,
    Connector,
    Frame,
    FunctionShape,
    Scene,
    arrows_by_frame,
    ends_of,
)

_PIXELS_PER_INCH = 72.0
# Hard order within a rank is what makes `a` stand before `b`; on large graphs it would cost
# crossings and time, and nobody reads them input by input. With clusters Graphviz (2.43 and 14.1
# at least) can abort the process over it, so with frames it is never asked for.
_MOST_ORDERED_BOXES = 120

RESCUE = {"nslimit": "0.1", "nslimit1": "0.1", "mclimit": "0.1", "splines": "line"}
"""Graphviz settings that trade crossings for time, for a graph that did not finish."""

LABEL_HEIGHT = 16.0
"""Height of the texts beside arrows and functions."""

LABEL_GAP = 5.0
"""Room between an arrow and the text beside it."""

# A label in the form of a table takes exactly the room that it asks for, with any fonts.
_LABEL = (
    '<<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="0" FIXEDSIZE="TRUE" '
    'WIDTH="{:.0f}" HEIGHT="{:.0f}"><TR><TD></TD></TR></TABLE>>'
)


def scene_to_dot(scene: Scene, *, rescue: bool = False) -> str:
    """Return DOT for a scene.

    Names in it are the scene's own ids, so no text from a user ever reaches Graphviz.

    Args:
        scene: The scene.
        rescue: Use `RESCUE`.
    """
    # Here and not above: `import hookviz` loads no graph package.
    from graphviz import Digraph

    # One unit of Graphviz is one pixel of the picture.
    attributes = {
        "rankdir": _direction(scene),
        "ranksep": _inches(scene.gap),
        "nodesep": _inches(scene.gap_in_rank),
        **(RESCUE if rescue else {}),
    }
    if scene.frames:
        attributes["compound"] = "true"
    elif len(scene.boxes) <= _MOST_ORDERED_BOXES:
        attributes["ordering"] = "out"
    digraph = Digraph(
        graph_attr=attributes,
        node_attr={"label": "", "fixedsize": "true", "shape": "box"},
        edge_attr={"arrowsize": "0.9"},
    )
    _add_content(digraph, "", _content(scene), 0.0 if scene.is_sideways else FRAME_GAP)
    ends = _Ends(scene, has_labels=not rescue and not _has_circle(scene))
    for connector in scene.connectors:
        digraph.edge(
            ends.tails[connector.tail], ends.heads[connector.head], **ends.attributes(connector)
        )
    return str(digraph.source)


def _has_circle(scene: Scene) -> bool:
    """Return whether frames feed each other both ways; over a label there Graphviz can abort."""
    return any(find_ranks((), arrows) is None for arrows in arrows_by_frame(scene).values())


def _direction(scene: Scene) -> str:
    if not scene.is_sideways:
        return "TB"
    return "LR" if scene.is_forward else "RL"


def _content(scene: Scene) -> Mapping[str, list[Box | Frame]]:
    """Return the content of each frame, and of the whole scene, without what is in inner frames."""
    content: dict[str, list[Box | Frame]] = defaultdict(list)
    for box in scene.boxes:
        content[box.frame].append(box)
    for frame in scene.frames:
        content[frame.frame].append(frame)
    return content


def _add_content(
    graph: Any, frame: str, content: Mapping[str, list[Box | Frame]], above: float
) -> None:
    for item in content.get(frame, ()):
        if isinstance(item, Frame):
            label = _label(item.head.width, item.head.height + above)
            attributes = {"label": label, "labeljust": "l", "margin": f"{FRAME_PADDING:.0f}"}
            with graph.subgraph(name=f"cluster_{item.id}", graph_attr=attributes) as inner:
                _add_content(inner, item.id, content, above)
        else:
            attributes = {"width": _inches(item.width), "height": _inches(item.height)}
            if isinstance(item.content, FunctionShape):
                if item.content.is_round:
                    attributes["shape"] = "circle"
                if item.content.note_width:
                    attributes["xlabel"] = _label(item.content.note_width)
            graph.node(item.id, **attributes)


class _Ends:
    """Where arrows begin and end: at boxes, or at a box in a frame for the frame around it."""

    def __init__(self, scene: Scene, *, has_labels: bool) -> None:
        self.scene = scene
        self.has_labels = has_labels
        self.boxes = {box.id: box for box in scene.boxes}
        self.heads, self.tails = ends_of(scene.boxes, scene.frames)

    def attributes(self, connector: Connector) -> dict[str, str]:
        # Arrows meet a card in the middle of its side: away from round corners, and where several
        # arrive they visibly come together, which is where they are added up.
        leave, arrive = ("w", "e") if self.scene.is_sideways else ("s", "n")
        if self.scene.is_sideways and self.scene.is_forward:
            leave, arrive = arrive, leave
        attributes = {"id": connector.id}
        tail, head = self.boxes.get(connector.tail), self.boxes.get(connector.head)
        if tail is None:
            attributes["ltail"] = f"cluster_{connector.tail}"
        elif tail.is_card:
            attributes["tailport"] = leave
        if head is None:
            attributes["lhead"] = f"cluster_{connector.head}"
        elif head.is_card:
            attributes["headport"] = arrive
        if connector.label_width and self.has_labels:
            # Above a level arrow a text needs some air as well.
            above = LABEL_GAP if self.scene.is_sideways else 0.0
            room = connector.label_width + 2 * LABEL_GAP
            attributes["label"] = _label(room, LABEL_HEIGHT + above)
        if connector.kind == "feed":
            # A tensor and its grad_fn belong together: short and straight.
            attributes["weight"] = "4"
        return attributes


def _label(width: float, height: float = LABEL_HEIGHT) -> str:
    return _LABEL.format(width, height)


def _inches(pixels: float) -> str:
    return f"{pixels / _PIXELS_PER_INCH:.4f}"
