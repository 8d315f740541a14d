"""Measure the box of a module or fold: its rows, where they stand, and how wide it has to be."""

from __future__ import annotations

from dataclasses import dataclass

from hookviz._records import HookRecord
from hookviz._view.groups.tree import Group
from hookviz._view.scene.card import (
    BADGE_WIDTH,
    HOOK_HEIGHT,
    HOOK_SECOND_LINE,
    HOOK_SIZE,
    LABEL_SIZE,
    LEAST_LABEL,
    PADDING,
    ROLE_SIZE,
    ROW_HEIGHT,
    TEXT_SIZE,
    WORDS_SIZE,
    Row,
    RowKind,
    hook_label,
)
from hookviz._view.scene.fields import Fields, room_for
from hookviz._view.text.message import Message, Text
from hookviz._view.text.width import width_in_em

HEAD_HEIGHT = 30.0
TITLE_SIZE = 14.0
TOGGLE_WIDTH = 23.0
"""Room for the sign that opens and closes, with the gap after it."""
STACK = 4.0
"""How far the sheets of a fold stand out behind each other."""

LONGEST_WIDTH = 360.0
_INNER = LONGEST_WIDTH - 2 * PADDING
_SHORTEST_WIDTH = 96.0
_GAP = 10.0
_LABEL_GAP = 8.0
_BOTTOM = 7.0
_TOP = 4.0

_ORDER: tuple[tuple[RowKind, str], ...] = (
    ("input", "module_forward_pre_hook"),
    ("output", "module_forward_hook"),
    ("grad_output", "module_backward_pre_hook"),
    ("grad_input", "module_backward_hook"),
)
"""What is known, and the hooks that see it next: the order in which things happen."""

ROW_LABELS: dict[RowKind, Text] = {
    "input": Message("box.input"),
    "output": Message("box.output"),
    # PyTorch's own names, in every language.
    "grad_output": "grad_output",
    "grad_input": "grad_input",
}
"""The labels at the left of a box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleBox:
    """A group as it is drawn: a box, or the head of an open frame.

    Attributes:
        group: The group.
        title, role: The two texts of the first line.
        rows: From top to bottom.
        width, height: Size in pixels.
        label_width: Width of the column of labels.
        head_height: Height of the part with title and role.
        is_role_below: Whether the role has a line of its own.
        can_open: Whether there is anything inside to be looked at.
        is_open: Whether this is the head of a frame.
    """

    group: Group
    title: Text
    role: Text
    rows: tuple[Row, ...]
    width: float
    height: float
    label_width: float
    head_height: float
    is_role_below: bool
    can_open: bool
    is_open: bool


def measure_box(
    group: Group, fields: Fields, *, can_open: bool, is_open: bool = False
) -> ModuleBox:
    """Return the box of a group, wide enough for what it shows at any step in any language.

    The head of a frame has rows only where the module has hooks: without any, what goes in and
    out stands on what is inside.
    """
    measure = _Measure(group, fields)
    hooks = group.module.hooks if group.module is not None else ()
    measure.add_head(_role(group), can_open=can_open)
    if hooks or not is_open:
        for field, kind in _ORDER:
            measure.add_value(field)
            measure.add_hooks([hook for hook in hooks if hook.kind == kind])
        measure.add_note()
    width = min(max(*measure.widths, _SHORTEST_WIDTH - 2 * PADDING), _INNER) + 2 * PADDING
    stack = 2 * STACK if group.count > 1 and not is_open else 0.0
    return ModuleBox(
        group=group,
        title=group.title,
        role=_role(group),
        rows=tuple(measure.rows),
        width=float(round(width)) + stack,
        height=float(round(measure.top + (_BOTTOM if measure.rows else 0))) + stack,
        label_width=float(round(measure.label_width)),
        head_height=measure.head_height,
        is_role_below=measure.is_role_below,
        can_open=can_open,
        is_open=is_open,
    )


class _Measure:
    """Add rows from top to bottom and remember how wide each would like to be."""

    def __init__(self, group: Group, fields: Fields) -> None:
        self.key = group.id
        self.title = group.title
        self.fields = fields
        self.rows: list[Row] = []
        self.widths: list[float] = []
        self.top = 0.0
        self.head_height = 0.0
        self.is_role_below = False
        labels = [
            room_for(label) * LABEL_SIZE
            for field, label in ROW_LABELS.items()
            if fields.room(self.key, field)
        ]
        self.label_width = max(labels, default=0.0) + _LABEL_GAP

    def add_head(self, role: Text, *, can_open: bool) -> None:
        start = TOGGLE_WIDTH if can_open else 0.0
        name = start + room_for(self.title) * TITLE_SIZE
        role_width = room_for(role) * ROLE_SIZE
        together = name + 14 + role_width
        self.is_role_below = together > _INNER
        self.widths.append(max(name, start + role_width) if self.is_role_below else together)
        self.top = self.head_height = HEAD_HEIGHT + (ROLE_SIZE + 4 if self.is_role_below else 0)

    def add_value(self, field: RowKind) -> None:
        room = self.fields.room(self.key, field, TEXT_SIZE, WORDS_SIZE)
        if room:
            self.widths.append(self.label_width + room)
            self._add(field, ROW_HEIGHT)

    def add_hooks(self, hooks: list[HookRecord]) -> None:
        for number, hook in enumerate(hooks, start=1):
            label = width_in_em(hook_label(hook)) * HOOK_SIZE
            result = self.fields.room(self.key, f"hook:{hook.id}", HOOK_SIZE)
            gap = _GAP if result else 0.0
            together = BADGE_WIDTH + label + gap + result
            # A long label may lose its end, as long as enough is left to tell hooks apart.
            least = BADGE_WIDTH + min(label, LEAST_LABEL) + gap + result
            is_wrapped = least > _INNER
            if is_wrapped:
                self.widths.append(BADGE_WIDTH + max(label, result))
            else:
                self.widths.append(together if together <= _INNER else least)
            height = HOOK_HEIGHT + (HOOK_SECOND_LINE if is_wrapped else 0.0)
            self._add("hook", height, hook=hook, number=number, is_wrapped=is_wrapped)

    def add_note(self) -> None:
        width = self.fields.room(self.key, "note", ROLE_SIZE)
        if width:
            self.widths.append(width)
            self._add("note", ROW_HEIGHT - 2)

    def _add(
        self,
        kind: RowKind,
        height: float,
        *,
        hook: HookRecord | None = None,
        number: int = 0,
        is_wrapped: bool = False,
    ) -> None:
        if not self.rows:
            self.top += _TOP
        self.rows.append(
            Row(
                kind=kind,
                top=self.top,
                height=height,
                hook=hook,
                number=number,
                is_wrapped=is_wrapped,
            )
        )
        self.top += height


def _role(group: Group) -> Text:
    if group.kind in ("fold", "range"):
        return Message("box.times", {"type": group.type, "count": str(group.count)})
    if group.is_called_again and group.call is not None:
        number = str(group.call.number + 1)
        return Message("box.call", {"type": group.type, "number": number})
    return group.type
