"""Draw the card of a tensor."""

from __future__ import annotations

import json
import math

from hookviz.view import card as sizes
from hookviz.view.card import Card, Row, hook_label
from hookviz.view.fields import Fields, room_for
from hookviz.view.message import Message, render, to_json_data
from hookviz.view.svg import Element, element, title, words
from hookviz.view.text_width import clean, cut

_CORNER = 12.0
_BASELINE = 14.0
_HOOK_OVERHANG = 7.0
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

    def draw(self, center: tuple[float, float]) -> Element:
        card, tensor = self.card, self.card.tensor
        name = Message("card.name", {"tensor": cut(card.title, _LONGEST_SPOKEN), "role": card.role})
        group = element(
            "g",
            title(self._tooltip()),
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
        group.append(_error_mark(card.width))
        return group

    def _tooltip(self) -> str:
        names = ", ".join(self.card.tensor.names) or self.card.tensor.id
        return cut(f"{clean(names)}: {clean(render(self.card.value, self.lang))}", 600)

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
        if row.kind == "hook":
            return [self._hook(row)]
        baseline = row.top + _BASELINE
        if row.kind == "note":
            return [self._field("text", "note", sizes.PADDING, sizes.ROLE_SIZE, y=baseline)]
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
            return [label, self._field("text", "grad", start, sizes.TEXT_SIZE, y=baseline)]
        return [label, self._gradient(row, start, baseline)]

    def _gradient(self, row: Row, start: float, baseline: float) -> Element:
        # One line of text, so that the parts follow each other whatever the font is.
        incoming = self._field("tspan", "incoming", start, sizes.TEXT_SIZE)
        arrow = element("tspan", text="→", class_="hv-arrow-text", aria_hidden="true")
        taken = 0.0 if row.is_wrapped else self.fields.room(self.key, "incoming", sizes.TEXT_SIZE)
        rewritten = self._field(
            "tspan", "rewritten", start + taken + sizes.ARROW_WIDTH, sizes.TEXT_SIZE
        )
        rewritten.set("dx", "5")
        if row.is_wrapped:
            arrow.set("x", f"{start:.1f}")
            arrow.set("dy", f"{sizes.ROW_HEIGHT - 2:.0f}")
        else:
            arrow.set("dx", "5")
        flow = self._field("tspan", "flow", start, sizes.TEXT_SIZE)
        return element(
            "text", incoming, arrow, rewritten, flow, class_="hv-number", x=start, y=baseline
        )

    def _hook(self, row: Row) -> Element:
        hook = row.hook
        assert hook is not None
        field = f"hook:{hook.id}"
        left = sizes.PADDING + sizes.BADGE_WIDTH
        result_room = self.fields.room(self.key, field, sizes.HOOK_SIZE)
        label_room = self.right - left
        if not row.is_wrapped and result_room:
            label_room -= result_room + 6
        baseline = row.top + 15
        full = hook_label(hook)
        label = element(
            "text",
            text=cut(full, label_room / sizes.HOOK_SIZE),
            class_="hv-code",
            x=left,
            y=baseline,
        )
        result = self._field(
            "text",
            field,
            left,
            sizes.HOOK_SIZE,
            y=baseline + (sizes.HOOK_SECOND_LINE if row.is_wrapped else 0),
        )
        result.set("x", f"{self.right:.1f}")
        result.set("text-anchor", "end")
        result.set("class", "hv-result")
        return element(
            "g",
            title("\n".join(part for part in (hook.label[:400], hook.location) if part)),
            element(
                "rect",
                class_="hv-hook-row",
                x=sizes.PADDING - _HOOK_OVERHANG,
                y=row.top,
                width=self.card.width - 2 * (sizes.PADDING - _HOOK_OVERHANG),
                height=row.height - 2,
                rx=6,
            ),
            element(
                "text", text=str(row.number), class_="hv-hook-number", x=sizes.PADDING, y=baseline
            ),
            label,
            result,
            class_="hv-hook",
            data_hv_hook=hook.id,
            data_hv_kind=hook.kind,
            data_hv_state=self.fields.state(self.key, f"hook-state:{hook.id}"),
        )

    def _field(
        self, tag: str, field: str, start: float, size: float, **attributes: str | float
    ) -> Element:
        """Return a text that steps change; what is wider than its room is cut, here and there."""
        room = max(self.right - start, 3 * size)
        needed = self.fields.room(self.key, field, size, min(size, sizes.WORDS_SIZE))
        limit = round(room / size, 1) if needed > room + 0.5 else math.inf
        now = self.fields.now(self.key, field)
        made = words(tag, now, self.lang, limit=limit, **attributes)
        # A field changes with the step, so its message is in the steps and not in the markup.
        made.attrib.pop("data-hv-message", None)
        made.set("class", f"hv-{field}")
        if not isinstance(now, str):
            made.set("data-hv-said", "true")
        if tag == "text":
            made.set("x", f"{start:.1f}")
        made.set("data-hv-field", field)
        if limit < math.inf:
            made.set("data-hv-cut", f"{limit:.1f}")
        return made


def _role_name(card: Card) -> str:
    if card.tensor.is_root:
        return "root"
    return "leaf" if card.tensor.is_leaf else "non-leaf"


def _error_mark(right: float) -> Element:
    """Return the cross at the corner of what failed; hidden in every other state."""
    return element(
        "g",
        element("circle", cx=right - 4, cy=4, r=9),
        element("path", d=f"M{right - 7.5:.1f} 0.5l7 7m0 -7l-7 7"),
        class_="hv-mark",
    )
