"""Draw the box of a module or fold, and the frame around the content of an open one."""

from __future__ import annotations

import json

from hookviz._view.groups.tree import Group
from hookviz._view.layout.geometry import Point, Rectangle
from hookviz._view.scene import card as sizes
from hookviz._view.scene.card import Row
from hookviz._view.scene.fields import Fields, room_for
from hookviz._view.scene.module_box import (
    HEAD_HEIGHT,
    ROW_LABELS,
    STACK,
    TITLE_SIZE,
    TOGGLE_WIDTH,
    ModuleBox,
)
from hookviz._view.scene.scene import FRAME_PADDING
from hookviz._view.svg.element import Element, element, title, tooltip, words
from hookviz._view.svg.row import RowWriter, error_mark
from hookviz._view.text.message import Message, Text, render, to_json_data
from hookviz._view.text.width import clean, cut

_CORNER = 5.0
_FRAME_CORNER = 8.0
_BASELINE = 14.0
_SIGN = 15.0
_LONGEST_SPOKEN = 60.0


def draw_box(box: ModuleBox, center: Point, fields: Fields, lang: str) -> Element:
    """Return the group of a closed box.

    Args:
        box: What to draw.
        center: Where its middle is.
        fields: The texts at the step to show.
        lang: The language to show.
    """
    place = Rectangle(
        center[0] - box.width / 2,
        center[1] - box.height / 2,
        center[0] + box.width / 2,
        center[1] + box.height / 2,
    )
    return _BoxWriter(box, fields, lang).draw(place)


def draw_frame(box: ModuleBox, place: Rectangle, fields: Fields, lang: str) -> Element:
    """Return the group of an open box: a frame, and its head at the top left.

    It belongs above the arrows, so that they do not run through its words; the ground behind it,
    see `draw_ground`, belongs below them.
    """
    return _BoxWriter(box, fields, lang).draw(place)


def draw_ground(place: Rectangle) -> Element:
    """Return what shows behind the content of a frame."""
    return element(
        "rect",
        class_="hv-ground",
        x=place.left,
        y=place.top,
        width=place.right - place.left,
        height=place.bottom - place.top,
        rx=_FRAME_CORNER,
    )


class _BoxWriter:
    def __init__(self, box: ModuleBox, fields: Fields, lang: str) -> None:
        self.box = box
        self.fields = fields
        self.lang = lang
        self.key = box.group.id
        self.sheets = 2 if box.group.count > 1 and not box.is_open else 0
        self.width = box.width - self.sheets * STACK
        self.height = box.height - self.sheets * STACK
        self.right = self.width - sizes.PADDING
        self.rows = RowWriter(self.key, self.right, fields, lang)
        self.shown = cut(clean(render(box.title, lang)), _LONGEST_SPOKEN)

    def draw(self, place: Rectangle) -> Element:
        box, group_of = self.box, self.box.group
        name = Message("card.name", {"tensor": self._spoken(), "role": box.role})
        group = element(
            "g",
            tooltip(_tooltip(group_of), self.lang),
            class_="hv-module hv-expanded" if box.is_open else "hv-module",
            transform=f"translate({place.left:.1f} {place.top:.1f})",
            data_hv_key=self.key,
            data_hv_id=group_of.name,
            data_hv_box=self.key,
            data_hv_state=self.fields.state(self.key),
            tabindex="0",
            role="button",
            aria_label=render(name, self.lang),
            data_hv_label=json.dumps(to_json_data(name), ensure_ascii=False),
        )
        if group_of.module is not None:
            group.set("data-hv-module", group_of.module.id)
        if box.can_open:
            group.set("aria-expanded", "true" if box.is_open else "false")
        if box.is_open:
            group.append(self._frame(place))
            inside = element("g", class_="hv-frame-head")
            inside.set("transform", f"translate({FRAME_PADDING - sizes.PADDING / 2:.1f} 0)")
            if box.rows:
                inside.append(self._ground_of_rows())
        else:
            group.extend(self._outline())
            inside = group
        inside.extend(self._head())
        for row in box.rows:
            inside.extend(self._row(row))
        if inside is not group:
            group.append(inside)
        right = place.right - place.left if box.is_open else self.width
        group.append(error_mark(right))
        return group

    def _spoken(self) -> str | Message:
        title_ = self.box.title
        return self.shown if isinstance(title_, str) else title_

    def _frame(self, place: Rectangle) -> Element:
        return element(
            "rect",
            class_="hv-frame",
            width=place.right - place.left,
            height=place.bottom - place.top,
            rx=_FRAME_CORNER,
        )

    def _outline(self) -> list[Element]:
        """Return the box and its head; behind that of a fold, the edges of more like it."""
        made = [self._rectangle("hv-sheet", STACK * sheet) for sheet in range(self.sheets, 0, -1)]
        made.append(self._rectangle("hv-module-ground"))
        if self.box.rows:
            made.append(self._ground_of_head())
        made.append(self._rectangle("hv-module-box"))
        return made

    def _rectangle(self, class_: str, corner: float = 0.0) -> Element:
        made = element("rect", class_=class_, width=self.width, height=self.height, rx=_CORNER)
        if corner:
            made.set("x", f"{corner:.0f}")
            made.set("y", f"{corner:.0f}")
        return made

    def _ground_of_head(self) -> Element:
        bottom, right, corner = self.box.head_height, self.width, _CORNER
        way = (
            f"M0 {bottom:.1f}V{corner:.1f}Q0 0 {corner:.1f} 0"
            f"H{right - corner:.1f}Q{right:.1f} 0 {right:.1f} {corner:.1f}V{bottom:.1f}Z"
        )
        return element("path", class_="hv-module-head", d=way)

    def _ground_of_rows(self) -> Element:
        """Return what keeps arrows from running between the rows at the head of a frame."""
        top = self.box.head_height
        return element(
            "rect",
            class_="hv-ground",
            y=top,
            width=self.width,
            height=self.height - top,
            rx=_CORNER,
        )

    def _head(self) -> list[Element]:
        box = self.box
        start = sizes.PADDING
        made: list[Element] = []
        if box.can_open:
            made.append(self._toggle(start - 3))
            start += TOGGLE_WIDTH - 3
        role_room = room_for(box.role) * sizes.ROLE_SIZE
        room = self.right - start - (0 if box.is_role_below else role_room + 8)
        name = words(
            "text",
            box.title,
            self.lang,
            limit=max(room, TITLE_SIZE) / TITLE_SIZE,
            class_="hv-title",
            x=start,
            y=HEAD_HEIGHT / 2 + 5,
        )
        limit = max(self.right - start + 0.5, sizes.ROLE_SIZE) / sizes.ROLE_SIZE
        role = words(
            "text",
            box.role,
            self.lang,
            limit=limit,
            class_="hv-role",
            x=start if box.is_role_below else self.right,
            y=HEAD_HEIGHT + 6 if box.is_role_below else HEAD_HEIGHT / 2 + 4.5,
            text_anchor="start" if box.is_role_below else "end",
        )
        return [*made, name, role]

    def _toggle(self, left: float) -> Element:
        key = "box.collapse" if self.box.is_open else "box.expand"
        label = Message(key, {"module": self._spoken()})
        top = HEAD_HEIGHT / 2 - _SIGN / 2
        middle = left + _SIGN / 2, HEAD_HEIGHT / 2
        bar = f"M{middle[0] - 4:.1f} {middle[1]:.1f}h8"
        if not self.box.is_open:
            bar += f"M{middle[0]:.1f} {middle[1] - 4:.1f}v8"
        return element(
            "g",
            title(render(label, self.lang)),
            element(
                "rect",
                class_="hv-toggle-box",
                x=left,
                y=top,
                width=_SIGN,
                height=_SIGN,
                rx=3.5,
            ),
            element("path", class_="hv-toggle-sign", d=bar),
            class_="hv-toggle",
            data_hv_toggle=self.key,
            role="button",
            tabindex="0",
            aria_expanded="true" if self.box.is_open else "false",
            aria_label=render(label, self.lang),
            data_hv_label=json.dumps(to_json_data(label), ensure_ascii=False),
        )

    def _row(self, row: Row) -> list[Element]:
        if row.hook is not None:
            return [self.rows.hook(row.hook, row)]
        baseline = row.top + _BASELINE
        if row.kind == "note":
            return [self.rows.field("text", "note", sizes.PADDING, sizes.ROLE_SIZE, y=baseline)]
        label = words(
            "text",
            ROW_LABELS[row.kind],
            self.lang,
            class_="hv-label",
            x=sizes.PADDING,
            y=baseline,
        )
        start = sizes.PADDING + self.box.label_width
        return [label, self.rows.field("text", row.kind, start, sizes.TEXT_SIZE, y=baseline)]


def _tooltip(group: Group) -> list[Text]:
    lines = [
        # Text that a user wrote may be longer than any tooltip.
        *(cut(text, 300) if isinstance(text, str) else text for text in (group.title, group.type)),
        group.call.code_text.strip()[:200] if group.call is not None else "",
    ]
    if group.size and group.kind != "stretch":
        count = Message("box.functions", {"count": str(group.size)})
        lines.insert(2, count if group.size > 1 else Message("box.function"))
    return lines
