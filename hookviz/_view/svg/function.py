"""Draw the shape of a backward function."""

from __future__ import annotations

from hookviz._view.layout.geometry import Point
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.scene import LONGEST_NOTE_EM, FunctionShape
from hookviz._view.steps.frame import hooks_text
from hookviz._view.svg.element import Element, element, number, tooltip, words
from hookviz._view.text.message import Message, Text


def draw_function(
    shape: FunctionShape, center: Point, note: Point | None, fields: Fields, lang: str
) -> Element:
    """Return the group of one function, with its full name as a tooltip.

    Args:
        shape: The function.
        center: The middle of its place.
        note: The middle of the note, if there is one.
        fields: The texts at the step to show.
        lang: The language to show.
    """
    node = shape.node
    right, bottom = shape.width / 2, shape.height / 2
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
    facts: tuple[Text, ...] = (
        node.name,
        node.code_text.strip()[:200],
        hooks_text(node.hooks) if node.hooks else "",
        Message(node.annotation) if node.annotation else "",
    )
    group = element(
        "g",
        tooltip(facts, lang),
        _outline(shape),
        sign,
        mark,
        class_="hv-function",
        data_hv_key=node.id,
        data_hv_state=fields.state(node.id),
    )
    group.set("transform", f"translate({number(center[0])} {number(center[1])})")
    if note is not None:
        place = note[0] - center[0], note[1] - center[1]
        group.append(_note(node.id, shape.note_width, place, fields, lang))
    return group


def _outline(shape: FunctionShape) -> Element:
    if shape.is_round:
        return element("circle", class_="hv-shape", r=shape.width / 2)
    return element(
        "rect",
        class_="hv-shape",
        x=-shape.width / 2,
        y=-shape.height / 2,
        width=shape.width,
        height=shape.height,
        rx=shape.height / 2,
    )


def _note(key: str, width: float, place: Point, fields: Fields, lang: str) -> Element:
    # The shown text may be shorter than its room, so it begins at the end next to the function.
    side = (place[0] > width / 2) - (place[0] < -width / 2)
    note = words(
        "text",
        fields.now(key, "note"),
        lang,
        limit=LONGEST_NOTE_EM,
        class_="hv-note",
        x=place[0] - side * width / 2,
        y=place[1] + 4,
        text_anchor=("end", "middle", "start")[side + 1],
        data_hv_field="note",
    )
    # A field changes with the step, so its message is in the steps and not in the markup.
    note.attrib.pop("data-hv-message", None)
    if fields.room(key, "note") > LONGEST_NOTE_EM:
        note.set("data-hv-cut", number(LONGEST_NOTE_EM))
    return note
