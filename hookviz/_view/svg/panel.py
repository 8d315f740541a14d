"""Draw panels: the cards of tensors and values, the boxes of modules, the heads of frames."""

from __future__ import annotations

import json

from hookviz._records import TensorRecord
from hookviz._view.groups.tree import Group
from hookviz._view.layout.geometry import Rectangle
from hookviz._view.scene import panel as sizes
from hookviz._view.scene.fields import Fields, room_for
from hookviz._view.scene.panel import Panel, Value
from hookviz._view.scene.scene import FRAME_PADDING
from hookviz._view.svg.element import Element, element, title, tooltip, words
from hookviz._view.svg.outline import draw_ground_of_rows, draw_outline, error_mark
from hookviz._view.svg.row import RowWriter
from hookviz._view.text.message import Message, Text, render, to_json_data
from hookviz._view.text.numbers import short_text
from hookviz._view.text.width import clean, cut

_SIGN = 15.0
_LONGEST_SPOKEN = 60.0


def draw_panel(panel: Panel, place: Rectangle, fields: Fields, lang: str) -> Element:
    """Return the group of one panel, with every row that any step fills.

    The head of an open frame belongs above the arrows, so that they do not run through its words.

    Args:
        panel: The panel to draw.
        place: The place of the panel; of an open box, the place of its frame.
        fields: The texts at the step to show.
        lang: The language to show.
    """
    return _PanelWriter(panel, fields, lang).draw(place)


class _PanelWriter:
    def __init__(self, panel: Panel, fields: Fields, lang: str) -> None:
        self.panel = panel
        self.style = panel.style
        self.fields = fields
        self.lang = lang
        self.right = panel.inner_width - sizes.PADDING
        right = self.right + sizes.PADDING / 2 if self.style.is_centered else self.right
        self.rows = RowWriter(panel, right, fields, lang)

    def draw(self, place: Rectangle) -> Element:
        panel, key = self.panel, self.panel.key
        class_, names, lines = _described(panel)
        group = element(
            "g",
            tooltip(lines, self.lang),
            *draw_outline(panel, place),
            class_=class_,
            transform=f"translate({place.left:.1f} {place.top:.1f})",
            data_hv_key=key,
            **names,
            data_hv_state=self.fields.state(key),
        )
        is_value = isinstance(panel.subject, Value)
        if not is_value:
            self._make_button(group)
        if self.fields.now(key, "rewritten"):
            group.set("data-hv-rewritten", "true")
        inside = group
        if panel.is_open:
            inside = element("g", class_="hv-frame-head")
            inside.set("transform", f"translate({FRAME_PADDING - sizes.PADDING / 2:.1f} 0)")
            if panel.rows:
                inside.append(draw_ground_of_rows(panel))
            group.append(inside)
        inside.extend(self._head())
        for row in panel.rows:
            inside.extend(self.rows.draw(row))
        if not is_value:
            group.append(error_mark(place.width if panel.is_open else panel.inner_width))
        return group

    def _make_button(self, group: Element) -> None:
        panel = self.panel
        # Copies of one tensor are one stop for the Tab key.
        group.set("tabindex", "0" if panel.use == 0 else "-1")
        group.set("role", "button")
        name = Message("card.name", {"tensor": self._spoken(), "role": panel.role})
        self._set_label(group, name)
        if panel.group is not None and panel.group.module is not None:
            group.set("data-hv-module", panel.group.module.id)
        if panel.can_open:
            group.set("aria-expanded", "true" if panel.is_open else "false")

    def _set_label(self, group: Element, label: Message) -> None:
        group.set("aria-label", clean(render(label, self.lang)))
        group.set("data-hv-label", clean(json.dumps(to_json_data(label), ensure_ascii=False)))

    def _spoken(self) -> Text:
        title_ = self.panel.title
        return cut(clean(title_), _LONGEST_SPOKEN) if isinstance(title_, str) else title_

    def _head(self) -> list[Element]:
        panel, style = self.panel, self.style
        if style.is_centered:
            return [
                words(
                    "text",
                    panel.title,
                    self.lang,
                    class_="hv-label hv-code",
                    x=panel.width / 2,
                    y=style.title_line,
                    text_anchor="middle",
                )
            ]
        start = sizes.PADDING
        made: list[Element] = []
        if panel.can_open:
            made.append(self._toggle(start - 3))
            start += sizes.TOGGLE_WIDTH - 3
        role_room = 0.0 if panel.is_role_below else room_for(panel.role) * sizes.ROLE_SIZE + 8
        room = max(self.right - start - role_room, style.title_size) / style.title_size
        # The tooltip of a card has the whole name already.
        name = panel.title
        if panel.tensor is not None and isinstance(name, str):
            name = cut(name, room)
        below = panel.is_role_below
        limit = max(self.right - start + 0.5, sizes.ROLE_SIZE) / sizes.ROLE_SIZE
        return [
            *made,
            words(
                "text", name, self.lang, limit=room, class_="hv-title", x=start, y=style.title_line
            ),
            words(
                "text",
                panel.role,
                self.lang,
                limit=limit,
                class_="hv-role",
                x=start if below else self.right,
                y=style.second_line if below else style.role_line,
                text_anchor="start" if below else "end",
            ),
        ]

    def _toggle(self, left: float) -> Element:
        is_open = self.panel.is_open
        label = Message("box.collapse" if is_open else "box.expand", {"module": self._spoken()})
        middle = self.style.head_height / 2
        bar = f"M{left + _SIGN / 2 - 4:.1f} {middle:.1f}h8"
        if not is_open:
            bar += f"M{left + _SIGN / 2:.1f} {middle - 4:.1f}v8"
        box = element(
            "rect",
            class_="hv-toggle-box",
            x=left,
            y=middle - _SIGN / 2,
            width=_SIGN,
            height=_SIGN,
            rx=3.5,
        )
        group = element(
            "g",
            title(render(label, self.lang)),
            box,
            element("path", class_="hv-toggle-sign", d=bar),
            class_="hv-toggle",
            data_hv_toggle=self.panel.key,
            role="button",
            tabindex="0",
            aria_expanded="true" if is_open else "false",
        )
        self._set_label(group, label)
        return group


def _described(panel: Panel) -> tuple[str, dict[str, str], list[Text]]:
    """Return the class of a panel, the attributes that name it, and the lines of its tooltip."""
    match panel.subject:
        case TensorRecord() as tensor:
            role = "root" if tensor.is_root else "leaf" if tensor.is_leaf else "non-leaf"
            attributes = {"data_hv_id": tensor.label, "data_hv_role": role}
            return "hv-card", attributes, _card_tooltip(tensor)
        case Group() as group:
            class_ = "hv-module hv-expanded" if panel.is_open else "hv-module"
            return class_, {"data_hv_id": group.name, "data_hv_box": group.id}, _box_tooltip(group)
        case value:
            return "hv-value", {}, [value.path]


def _card_tooltip(tensor: TensorRecord) -> list[Text]:
    names = clean(", ".join(tensor.names) or tensor.id)
    value = short_text(tensor.value)
    return [cut(f"{names}: {value}", 600)] if isinstance(value, str) else [cut(names, 600), value]


def _box_tooltip(group: Group) -> list[Text]:
    lines = [
        # Text that a user wrote may be longer than any tooltip.
        *(cut(text, 300) if isinstance(text, str) else text for text in (group.title, group.type)),
        group.call.code_text.strip()[:200] if group.call is not None else "",
    ]
    if group.size and group.kind != "stretch":
        count = Message("box.functions", {"count": str(group.size)})
        lines.insert(2, count if group.size > 1 else Message("box.function"))
    return lines
