"""Measure a panel: the places of its rows, and the width that it has to have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from hookviz._records import HookRecord
from hookviz._view.scene.fields import Fields, room_for
from hookviz._view.scene.panel import (
    ARROW_WIDTH,
    BADGE_WIDTH,
    HOOK_HEIGHT,
    HOOK_SECOND_LINE,
    HOOK_SIZE,
    LABEL_SIZE,
    PADDING,
    ROLE_SIZE,
    ROW_HEIGHT,
    STACK,
    TEXT_SIZE,
    TOGGLE_WIDTH,
    WORDS_SIZE,
    Panel,
    PanelStyle,
    Row,
    Subject,
    hook_label,
)
from hookviz._view.text.message import Text
from hookviz._view.text.width import width_in_em

_LEAST_LABEL = 102.0
"""Room for fifteen characters of a hook's label."""
_GAP = 10.0


class PanelBuilder:
    """Add rows from top to bottom and remember how wide each would like to be.

    Args:
        subject: The thing that the panel shows.
        fields: The texts of the picture.
        style: The sizes of the panel.
        title, role: The two texts of the head.
        labels: The labels that may stand in the rows.
        can_open: Whether a sign before the title opens and closes the panel.
    """

    def __init__(
        self,
        subject: Subject,
        fields: Fields,
        style: PanelStyle,
        *,
        title: Text,
        role: Text,
        labels: Iterable[Text] = (),
        can_open: bool = False,
    ) -> None:
        self._subject = subject
        self._fields = fields
        self._style = style
        self._title, self._role = title, role
        self._can_open = can_open
        self._rows: list[Row] = []
        self._longest = style.longest - 2 * PADDING
        widest = max((room_for(label) * LABEL_SIZE for label in labels), default=0.0)
        self._label_width = widest + style.label_gap
        start = TOGGLE_WIDTH if can_open else 0.0
        name, second = start + room_for(title) * style.title_size, room_for(role) * ROLE_SIZE
        together = name + style.title_gap + second
        self._is_role_below = together > self._longest
        head = max(name, start + second) if self._is_role_below else together
        self._widths = [style.shortest - 2 * PADDING, head]
        self._head = style.head_height + (style.second_height if self._is_role_below else 0.0)
        self._top = self._head

    def add_text(self, kind: str, label: Text, text: Text) -> None:
        """Add a row with a text that no step changes."""
        size = TEXT_SIZE if isinstance(text, str) else WORDS_SIZE
        self._widths.append(self._label_width + room_for(text) * size)
        self._add(Row(kind=kind, height=ROW_HEIGHT, label=label, text=text))

    def add_field(self, kind: str, label: Text) -> None:
        """Add a row with the field that has the name of the row's kind."""
        self._widths.append(self._label_width + self._room(kind))
        self._add(Row(kind=kind, height=ROW_HEIGHT, label=label))

    def add_gradient(self, label: Text = "") -> None:
        """Add a row with the gradient that arrived and the gradient that hooks made of it."""
        incoming = self._label_width + self._room("incoming")
        rewritten = self._room("rewritten")
        together = incoming + (ARROW_WIDTH + rewritten if rewritten else 0.0)
        is_wrapped = rewritten > 0 and together > self._longest
        wrapped = max(incoming, self._label_width + ARROW_WIDTH + rewritten)
        self._widths.append(wrapped if is_wrapped else together)
        self._widths.append(self._label_width + self._room("flow"))
        height = ROW_HEIGHT * (2 if is_wrapped else 1)
        self._add(Row(kind="gradient", height=height, label=label, is_wrapped=is_wrapped))

    def add_small(self, kind: Literal["note", "ghost"]) -> None:
        """Add a row without a label, if any step has a text for it."""
        width = self._fields.room(self._subject.id, kind, ROLE_SIZE)
        if width:
            self._widths.append(width)
            self._add(Row(kind=kind, height=ROW_HEIGHT - 2))

    def add_hook(self, hook: HookRecord, number: int) -> None:
        """Add a row with a hook and its place in the chain."""
        label = width_in_em(hook_label(hook)) * HOOK_SIZE
        result = self._fields.room(self._subject.id, f"hook:{hook.id}", HOOK_SIZE)
        behind = _GAP + result if result else 0.0
        # A long label may lose its end, as long as enough is left to tell hooks apart.
        least = BADGE_WIDTH + min(label, _LEAST_LABEL) + behind
        together = BADGE_WIDTH + label + behind
        is_wrapped = least > self._longest
        if is_wrapped:
            self._widths.append(BADGE_WIDTH + max(label, result))
        else:
            self._widths.append(together if together <= self._longest else least)
        height = HOOK_HEIGHT + (HOOK_SECOND_LINE if is_wrapped else 0.0)
        self._add(Row(kind="hook", height=height, hook=hook, number=number, is_wrapped=is_wrapped))

    def add_gap(self, height: float) -> None:
        """Leave room below the last row."""
        self._top += height

    def build(self, *, use: int = 0, is_open: bool = False) -> Panel:
        """Return the panel, wide enough for its rows at any step in any language."""
        panel = Panel(
            subject=self._subject,
            title=self._title,
            role=self._role,
            style=self._style,
            rows=tuple(self._rows),
            width=float(round(min(max(self._widths), self._longest) + 2 * PADDING)),
            height=float(round(self._top + (self._style.below_rows if self._rows else 0.0))),
            label_width=float(round(self._label_width)),
            head_height=self._head,
            is_role_below=self._is_role_below,
            use=use,
            can_open=self._can_open,
            is_open=is_open,
        )
        stack = panel.sheets * STACK
        return replace(panel, width=panel.width + stack, height=panel.height + stack)

    def _room(self, field: str) -> float:
        return self._fields.room(self._subject.id, field, TEXT_SIZE, WORDS_SIZE)

    def _add(self, row: Row) -> None:
        if not self._rows:
            self._top += self._style.above_rows
        self._rows.append(replace(row, top=self._top))
        self._top += row.height
