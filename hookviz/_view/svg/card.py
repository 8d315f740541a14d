"""Draw the card of a tensor."""

from __future__ import annotations

import json

from hookviz._view.scene import card as sizes
from hookviz._view.scene.card import Card, Row
from hookviz._view.scene.fields import Fields, room_for
from hookviz._view.svg.element import Element, element, tooltip, words
from hookviz._view.svg.row import RowWriter, error_mark
from hookviz._view.text.message import Message, Text, render, to_json_data
from hookviz._view.text.width import clean, cut

_CORNER = 12.0
_BASELINE = 14.0
_LONGEST_SPOKEN = 60.0


def draw_card(card: Card, center: tuple[float, float], fields: Fields, lang: str) -> Element:
    """Return the group of one card, with every row that any step fills.

    Args:
        card: What to draw.
        center: Where its middle is.
        fields: The texts at the step to show.
        lang: The language to show.
    """
    return _CardWriter(card, fields, lang).draw(center)


class _CardWriter:
    def __init__(self, card: Card, fields: Fields, lang: str) -> None:
        self.card = card
        self.fields = fields
        self.lang = lang
        self.key = card.tensor.id
        self.right = card.width - sizes.PADDING
        self.rows = RowWriter(self.key, self.right, fields, lang)

    def draw(self, center: tuple[float, float]) -> Element:
        card, tensor = self.card, self.card.tensor
        name = Message("card.name", {"tensor": cut(card.title, _LONGEST_SPOKEN), "role": card.role})
        group = element(
            "g",
            tooltip(self._tooltip(), self.lang),
            element("rect", class_="hv-box", width=card.width, height=card.height, rx=_CORNER),
            class_="hv-card",
            transform=f"translate({center[0] - card.width / 2:.1f} "
            f"{center[1] - card.height / 2:.1f})",
            data_hv_key=self.key,
            data_hv_id=tensor.label,
            data_hv_role=_role_name(card),
            data_hv_state=self.fields.state(self.key),
            # Copies of one tensor are one stop for the Tab key.
            tabindex="0" if card.use == 0 else "-1",
            role="button",
            aria_label=render(name, self.lang),
            data_hv_label=json.dumps(to_json_data(name), ensure_ascii=False),
        )
        if self.fields.now(self.key, "rewritten"):
            group.set("data-hv-rewritten", "true")
        group.extend(self._head())
        for row in card.rows:
            group.extend(self._row(row))
        group.append(error_mark(card.width))
        return group

    def _tooltip(self) -> list[Text]:
        names = ", ".join(self.card.tensor.names) or self.card.tensor.id
        value = self.card.value
        if isinstance(value, str):
            return [cut(f"{clean(names)}: {value}", 600)]
        return [cut(clean(names), 600), value]

    def _head(self) -> list[Element]:
        card = self.card
        role_room = room_for(card.role) * sizes.ROLE_SIZE
        room = self.right - sizes.PADDING - (0 if card.is_role_below else role_room + 8)
        name = element(
            "text",
            text=cut(card.title, room / sizes.TITLE_SIZE),
            class_="hv-title",
            x=sizes.PADDING,
            y=22,
        )
        role = words(
            "text",
            card.role,
            self.lang,
            class_="hv-role",
            x=sizes.PADDING if card.is_role_below else self.right,
            y=38 if card.is_role_below else 22,
            text_anchor="start" if card.is_role_below else "end",
        )
        return [name, role]

    def _row(self, row: Row) -> list[Element]:
        if row.hook is not None:
            return [self.rows.hook(row.hook, row)]
        baseline = row.top + _BASELINE
        if row.kind in ("note", "ghost"):
            return [self.rows.field("text", row.kind, sizes.PADDING, sizes.ROLE_SIZE, y=baseline)]
        start = sizes.PADDING + self.card.label_width
        label = words(
            "text",
            Message(sizes.ROW_LABELS[row.kind]),
            self.lang,
            class_="hv-label",
            x=sizes.PADDING,
            y=baseline,
        )
        if row.kind == "value":
            limit = (self.right - start) / sizes.TEXT_SIZE
            value = words(
                "text",
                self.card.value,
                self.lang,
                limit=limit,
                class_="hv-number" if isinstance(self.card.value, str) else "hv-number hv-said",
                x=start,
                y=baseline,
            )
            return [label, value]
        if row.kind == "grad":
            return [label, self.rows.field("text", "grad", start, sizes.TEXT_SIZE, y=baseline)]
        return [label, self._gradient(row, start, baseline)]

    def _gradient(self, row: Row, start: float, baseline: float) -> Element:
        # One line of text, so that the parts follow each other whatever the font is.
        incoming = self.rows.field("tspan", "incoming", start, sizes.TEXT_SIZE)
        arrow = element("tspan", text="→", class_="hv-arrow-text", aria_hidden="true")
        taken = 0.0 if row.is_wrapped else self.fields.room(self.key, "incoming", sizes.TEXT_SIZE)
        rewritten = self.rows.field(
            "tspan", "rewritten", start + taken + sizes.ARROW_WIDTH, sizes.TEXT_SIZE
        )
        rewritten.set("dx", "5")
        if row.is_wrapped:
            arrow.set("x", f"{start:.1f}")
            arrow.set("dy", f"{sizes.ROW_HEIGHT - 2:.0f}")
        else:
            arrow.set("dx", "5")
        flow = self.rows.field("tspan", "flow", start, sizes.TEXT_SIZE)
        return element(
            "text", incoming, arrow, rewritten, flow, class_="hv-number", x=start, y=baseline
        )


def _role_name(card: Card) -> str:
    if card.tensor.is_root:
        return "root"
    return "leaf" if card.tensor.is_leaf else "non-leaf"
