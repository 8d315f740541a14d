"""Draw what cards and boxes have in common: texts that steps change, and rows of hooks."""

from __future__ import annotations

import math

from hookviz._records import HookRecord
from hookviz._view.scene import card as sizes
from hookviz._view.scene.card import Row, hook_label
from hookviz._view.scene.fields import Fields
from hookviz._view.svg.element import Element, element, title, words
from hookviz._view.text.message import is_words
from hookviz._view.text.width import cut

_HOOK_OVERHANG = 7.0


class RowWriter:
    """Draw the rows of one card or box.

    Args:
        key: Id of the tensor, or of the group.
        right: Where rows end.
        fields: The texts at the step to show.
        lang: The language to show.
    """

    def __init__(self, key: str, right: float, fields: Fields, lang: str) -> None:
        self._key = key
        self._right = right
        self._fields = fields
        self._lang = lang

    def hook(self, hook: HookRecord, row: Row) -> Element:
        """Return the row of a hook: its number, its label, and what it did."""
        field = f"hook:{hook.id}"
        left = sizes.PADDING + sizes.BADGE_WIDTH
        result_room = self._fields.room(self._key, field, sizes.HOOK_SIZE)
        label_room = self._right - left
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
        result = self.field(
            "text",
            field,
            left,
            sizes.HOOK_SIZE,
            y=baseline + (sizes.HOOK_SECOND_LINE if row.is_wrapped else 0),
        )
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
            label,
            result,
            class_="hv-hook",
            data_hv_hook=hook.id,
            data_hv_kind=hook.kind,
            data_hv_state=self._fields.state(self._key, f"hook-state:{hook.id}"),
        )

    def field(
        self, tag: str, field: str, start: float, size: float, **attributes: str | float
    ) -> Element:
        """Return a text that steps change; what is wider than its room is cut, here and there."""
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


def error_mark(right: float) -> Element:
    """Return the cross at the corner of what failed; hidden in every other state."""
    return element(
        "g",
        element("circle", cx=right - 4, cy=4, r=9),
        element("path", d=f"M{right - 7.5:.1f} 0.5l7 7m0 -7l-7 7"),
        class_="hv-mark",
    )
