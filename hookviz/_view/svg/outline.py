"""Draw the shape behind the texts of a panel: a card, a box with its sheets, a frame."""

from __future__ import annotations

from hookviz._view.layout.geometry import Rectangle
from hookviz._view.scene.panel import STACK, Panel
from hookviz._view.svg.element import Element, element

_CARD_CORNER = 12.0
_VALUE_CORNER = 22.0
_BOX_CORNER = 5.0
_FRAME_CORNER = 8.0


def draw_outline(panel: Panel, place: Rectangle) -> list[Element]:
    """Return the shape behind the texts of a panel; behind a fold, the edges of more sheets."""
    if panel.is_open:
        return [_rectangle("hv-frame", place.width, place.height, _FRAME_CORNER)]
    width, height = panel.inner_width, panel.height - panel.sheets * STACK
    if panel.group is None:
        corner = _VALUE_CORNER if panel.style.is_centered else _CARD_CORNER
        return [_rectangle("hv-box", width, height, corner)]
    made: list[Element] = []
    for sheet in range(panel.sheets, 0, -1):
        made.append(_rectangle("hv-sheet", width, height, _BOX_CORNER))
        made[-1].set("x", f"{STACK * sheet:.0f}")
        made[-1].set("y", f"{STACK * sheet:.0f}")
    made.append(_rectangle("hv-module-ground", width, height, _BOX_CORNER))
    if panel.rows:
        made.append(_head_ground(width, panel.head_height))
    made.append(_rectangle("hv-module-box", width, height, _BOX_CORNER))
    return made


def draw_ground(place: Rectangle) -> Element:
    """Return the ground behind the content of a frame; it belongs below the arrows."""
    return element(
        "rect",
        class_="hv-ground",
        x=place.left,
        y=place.top,
        width=place.width,
        height=place.height,
        rx=_FRAME_CORNER,
    )


def draw_ground_of_rows(panel: Panel) -> Element:
    """Return the ground that keeps arrows from running between the rows at the head of a frame."""
    return element(
        "rect",
        class_="hv-ground",
        y=panel.head_height,
        width=panel.width,
        height=panel.height - panel.head_height,
        rx=_BOX_CORNER,
    )


def error_mark(right: float) -> Element:
    """Return the cross at the corner of a panel, hidden in every state but `error`."""
    return element(
        "g",
        element("circle", cx=right - 4, cy=4, r=9),
        element("path", d=f"M{right - 7.5:.1f} 0.5l7 7m0 -7l-7 7"),
        class_="hv-mark",
    )


def _rectangle(class_: str, width: float, height: float, corner: float) -> Element:
    return element("rect", class_=class_, width=width, height=height, rx=corner)


def _head_ground(right: float, bottom: float) -> Element:
    corner = _BOX_CORNER
    way = (
        f"M0 {bottom:.1f}V{corner:.1f}Q0 0 {corner:.1f} 0"
        f"H{right - corner:.1f}Q{right:.1f} 0 {right:.1f} {corner:.1f}V{bottom:.1f}Z"
    )
    return element("path", class_="hv-module-head", d=way)
