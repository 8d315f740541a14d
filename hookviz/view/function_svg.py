"""Draw the shape of a backward function."""

from __future__ import annotations

from hookviz.view.fields import Fields
from hookviz.view.layout import Point
from hookviz.view.scene import LONGEST_NOTE_EM, NOTE_HEIGHT, FunctionShape
from hookviz.view.svg import Element, element, number, title, words


def draw_function(shape: FunctionShape, center: Point, fields: Fields, lang: str) -> Element:
    """Return the group of one function, with its full name as a tooltip.

    Args:
        shape: What to draw.
        center: Where its middle is, with its note if it has one.
        fields: The texts at the step to show.
        lang: The language to show.
    """
    node = shape.node
    right, bottom = shape.shape_width / 2, shape.shape_height / 2
    sign = element(
        "text",
        text=shape.symbol,
        class_="hv-symbol" if shape.is_round else "hv-name",
        y=5.5 if shape.is_round else 4.5,
        text_anchor="middle",
    )
    # A cross at the corner, shown only when the function failed.
    mark = element(
        "g",
        element("circle", cx=right - 3, cy=3 - bottom, r=8),
        element("path", d=f"M{number(right - 6)} {number(-bottom)}l6 6m0 -6l-6 6"),
        class_="hv-mark",
    )
    facts = (node.name, node.module or "", node.code_text.strip()[:200])
    group = element(
        "g",
        title("\n".join(fact for fact in facts if fact)),
        _outline(shape),
        sign,
        mark,
        class_="hv-function",
        data_hv_key=node.id,
        data_hv_state=fields.state(node.id),
    )
    middle = center[1] - (shape.height - shape.shape_height) / 2
    group.set("transform", f"translate({number(center[0])} {number(middle)})")
    if shape.note_width:
        group.append(_note(shape, fields, lang))
    return group


def _outline(shape: FunctionShape) -> Element:
    if shape.is_round:
        return element("circle", class_="hv-shape", r=shape.shape_width / 2)
    return element(
        "rect",
        class_="hv-shape",
        x=-shape.shape_width / 2,
        y=-shape.shape_height / 2,
        width=shape.shape_width,
        height=shape.shape_height,
        rx=shape.shape_height / 2,
    )


def _note(shape: FunctionShape, fields: Fields, lang: str) -> Element:
    key = shape.node.id
    note = words(
        "text",
        fields.now(key, "note"),
        lang,
        limit=LONGEST_NOTE_EM,
        class_="hv-note",
        y=shape.shape_height / 2 + NOTE_HEIGHT - 4,
        text_anchor="middle",
        data_hv_field="note",
    )
    note.attrib.pop("data-hv-message", None)
    if fields.room(key, "note") > LONGEST_NOTE_EM:
        note.set("data-hv-cut", number(LONGEST_NOTE_EM))
    return note
