"""Draw the rows of a panel: texts that steps change, and hooks."""

from __future__ import annotations

import math

from hookviz._records import HookRecord
from hookviz._view.scene import panel as sizes
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.panel import Panel, Row, hook_label
from hookviz._view.svg.element import Element, element, title, words
from hookviz._view.text.message import Text, is_words
from hookviz._view.text.width import cut

_HOOK_OVERHANG = 7.0
_BASELINE = 14.0


class RowWriter:
    """Draw the rows of one panel.

    Args:
        panel: The panel.
        right: The end of the rows.
        fields: The texts at the step to show.
        lang: The language to show.
    """

    def __init__(self, panel: Panel, right: float, fields: Fields, lang: str) -> None:
        self._panel = panel
        self._key = panel.key
        self._right = right
        self._fields = fields
        self._lang = lang

    def draw(self, row: Row) -> list[Element]:
        """Return the parts of one row."""
        if row.hook is not None:
            return [self._hook(row.hook, row)]
        baseline = row.top + _BASELINE
        if self._panel.style.is_centered:
            return [self._gradient(row, sizes.PADDING, baseline)]
        if not row.label:
            return [self._field("text", row.kind, sizes.PADDING, sizes.ROLE_SIZE, y=baseline)]
        label = words("text", row.label, self._lang, class_="hv-label", x=sizes.PADDING, y=baseline)
        start = sizes.PADDING + self._panel.label_width
        if row.kind == "gradient":
            return [label, self._gradient(row, start, baseline)]
        if row.text is not None:
            return [label, self._text(row.text, start, baseline)]
        return [label, self._field("text", row.kind, start, sizes.TEXT_SIZE, y=baseline)]

    def _text(self, text: Text, start: float, baseline: float) -> Element:
        return words(
            "text",
            text,
            self._lang,
            limit=(self._right - start) / sizes.TEXT_SIZE,
            class_="hv-number" if isinstance(text, str) else "hv-number hv-said",
            x=start,
            y=baseline,
        )

    def _gradient(self, row: Row, start: float, baseline: float) -> Element:
        # One line of text, so that the parts follow each other whatever the font is.
        is_centered = self._panel.style.is_centered
        x = self._panel.width / 2 if is_centered else start
        incoming = self._field("tspan", "incoming", start, sizes.TEXT_SIZE)
        arrow = element("tspan", text="→", class_="hv-arrow-text", aria_hidden="true")
        taken = 0.0 if row.is_wrapped else self._fields.room(self._key, "incoming", sizes.TEXT_SIZE)
        behind = start + taken + sizes.ARROW_WIDTH
        rewritten = self._field("tspan", "rewritten", behind, sizes.TEXT_SIZE)
        rewritten.set("dx", "5")
        if row.is_wrapped:
            arrow.set("x", f"{x:.1f}")
            arrow.set("dy", f"{sizes.ROW_HEIGHT - 2:.0f}")
        else:
            arrow.set("dx", "5")
        made = element("text", incoming, arrow, rewritten, class_="hv-number", x=x, y=baseline)
        if is_centered:
            made.set("text-anchor", "middle")
        else:
            made.append(self._field("tspan", "flow", start, sizes.TEXT_SIZE))
        return made

    def _hook(self, hook: HookRecord, row: Row) -> Element:
        """Return the row of a hook: its number, its label, and its effect."""
        field = f"hook:{hook.id}"
        left = sizes.PADDING + sizes.BADGE_WIDTH
        result_room = self._fields.room(self._key, field, sizes.HOOK_SIZE)
        label_room = self._right - left
        if not row.is_wrapped and result_room:
            label_room -= result_room + 6
        baseline = row.top + 15
        shown = cut(hook_label(hook), label_room / sizes.HOOK_SIZE)
        second_line = sizes.HOOK_SECOND_LINE if row.is_wrapped else 0
        result = self._field("text", field, left, sizes.HOOK_SIZE, y=baseline + second_line)
        result.set("x", f"{self._right:.1f}")
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
                width=self._right - sizes.PADDING + 2 * _HOOK_OVERHANG,
                height=row.height - 2,
                rx=6,
            ),
            element(
                "text", text=str(row.number), class_="hv-hook-number", x=sizes.PADDING, y=baseline
            ),
            element("text", text=shown, class_="hv-code", x=left, y=baseline),
            result,
            class_="hv-hook",
            data_hv_hook=hook.id,
            data_hv_kind=hook.kind,
            data_hv_state=self._fields.state(self._key, f"hook-state:{hook.id}"),
        )

    def _field(
        self, tag: str, field: str, start: float, size: float, **attributes: str | float
    ) -> Element:
        """Return a text that steps change; a text that is wider than its room is cut."""
        room = max(self._right - start, 3 * size)
        needed = self._fields.room(self._key, field, size, min(size, sizes.WORDS_SIZE))
        limit = round(room / size, 1) if needed > room + 0.5 else math.inf
        now = self._fields.now(self._key, field)
        made = words(tag, now, self._lang, limit=limit, **attributes)
        # A field changes with the step, so its message is in the steps and not in the markup.
        made.attrib.pop("data-hv-message", None)
        made.set("class", f"hv-{field}")
        if is_words(now):
            made.set("data-hv-said", "true")
        if tag == "text":
            made.set("x", f"{start:.1f}")
        made.set("data-hv-field", field)
        if limit < math.inf:
            made.set("data-hv-cut", f"{limit:.1f}")
        return made
