"""Measure the card of a tensor: its rows, where they stand, and how wide it has to be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hookviz._records import HookRecord, TensorRecord
from hookviz._view.scene.fields import Fields, room_for
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import short_text
from hookviz._view.text.width import clean, width_in_em

PADDING = 14.0
TITLE_HEIGHT = 31.0
ROW_HEIGHT = 20.0
HOOK_HEIGHT = 23.0
LONGEST_WIDTH = 264.0
SHORTEST_WIDTH = 132.0

TITLE_SIZE = 15.0
TEXT_SIZE = 13.0
WORDS_SIZE = 12.0
"""Words in the place of a number, such as `not computed yet`."""
LABEL_SIZE = 11.5
ROLE_SIZE = 11.0
HOOK_SIZE = 11.5
BADGE_WIDTH = 22.0
"""Room for a hook's number, with the gap after it."""
LEAST_LABEL = 102.0
"""Room for fifteen characters of a hook's label."""
ARROW_WIDTH = 22.0
"""Room for the arrow between two gradients."""

HOOK_SECOND_LINE = 15.0

_INNER = LONGEST_WIDTH - 2 * PADDING
_BOTTOM = 9.0
_GAP = 10.0
_LABEL_GAP = 6.0
_LAMBDA = re.compile(r"lambda\b[^:]*:\s*")

RowKind = Literal[
    "value",
    "gradient",
    "grad",
    "input",
    "output",
    "grad_output",
    "grad_input",
    "hook",
    "note",
    "ghost",
]

ROW_LABELS: dict[RowKind, str] = {
    "value": "card.value",
    "gradient": "card.gradient",
    "grad": "card.grad",
}
"""Keys of the language tables for the labels at the left of a card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a card, or of the box of a module.

    Attributes:
        kind: What stands in it. On a card: the tensor's value, the gradient that arrived and what
            hooks made of it, what `.grad` holds. On a box: what went into the forward and came
            out, what arrived in backward and left. On both: one hook, or a note.
        top: Distance from the top of the card or box.
        height: Of the row; a wrapped row is two lines high.
        hook: The hook, for a row of kind `hook`.
        number: The hook's place in the chain, from 1.
        is_wrapped: Whether the second half of the row stands on a line of its own.
    """

    kind: RowKind
    top: float
    height: float
    hook: HookRecord | None = None
    number: int = 0
    is_wrapped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A tensor as it is drawn.

    Attributes:
        tensor: The tensor.
        title, role: The two texts of the first line.
        value: Text of the tensor's value.
        rows: From top to bottom, which is the order in which things happen.
        width, height: Size in pixels.
        label_width: Width of the column of labels.
        is_role_below: Whether the role has a line of its own, since the name takes the first.
        use: Which of its copies this is, from 0.
        uses: How many copies are drawn.
    """

    tensor: TensorRecord
    title: str
    role: Message
    value: Text
    rows: tuple[Row, ...]
    width: float
    height: float
    label_width: float
    is_role_below: bool = False
    use: int = 0
    uses: int = 1


def measure_card(tensor: TensorRecord, fields: Fields, *, use: int = 0, uses: int = 1) -> Card:
    """Return the card of a tensor, wide enough for what it shows at any step in any language.

    The second and later copies of a leaf that is drawn once per use carry only `.grad`: the rest
    would be said as often as the leaf is used.
    """
    title = clean(tensor.label)
    role = _role(tensor, use=use, uses=uses)
    value = short_text(tensor.value)
    measure = _Measure(tensor, fields)
    measure.add_head(title, role)
    if use == 0:
        measure.add_value(value)
        measure.add_gradient()
        measure.add_ghost()
        measure.add_hooks(after_accumulation=False)
    measure.add_grad()
    if use == 0:
        measure.add_hooks(after_accumulation=True)
        measure.add_note()
    width = min(max(*measure.widths, SHORTEST_WIDTH - 2 * PADDING), _INNER) + 2 * PADDING
    return Card(
        tensor=tensor,
        title=title,
        role=role,
        value=value,
        rows=tuple(measure.rows),
        width=float(round(width)),
        height=float(round(measure.top + _BOTTOM)),
        label_width=float(round(measure.label_width)),
        is_role_below=measure.is_role_below,
        use=use,
        uses=uses,
    )


class _Measure:
    """Add rows from top to bottom and remember how wide each would like to be."""

    def __init__(self, tensor: TensorRecord, fields: Fields) -> None:
        self.tensor = tensor
        self.fields = fields
        self.rows: list[Row] = []
        self.widths: list[float] = []
        self.top = TITLE_HEIGHT
        self.is_role_below = False
        labels = [Message(key) for key in ROW_LABELS.values()]
        self.label_width = max(map(room_for, labels)) * LABEL_SIZE + _LABEL_GAP

    def add_head(self, title: str, role: Message) -> None:
        name = width_in_em(title) * TITLE_SIZE
        together = name + 16 + room_for(role) * ROLE_SIZE
        self.is_role_below = together > _INNER
        self.widths.append(name if self.is_role_below else together)
        if self.is_role_below:
            self.top += ROLE_SIZE + 5

    def add_value(self, value: Text) -> None:
        size = TEXT_SIZE if isinstance(value, str) else WORDS_SIZE
        self.widths.append(self.label_width + room_for(value) * size)
        self._add("value", ROW_HEIGHT)

    def add_gradient(self) -> None:
        incoming = self.label_width + self._room("incoming")
        rewritten = self._room("rewritten")
        together = incoming + (ARROW_WIDTH + rewritten if rewritten else 0.0)
        is_wrapped = rewritten > 0 and together > _INNER
        wrapped = max(incoming, self.label_width + ARROW_WIDTH + rewritten)
        self.widths.append(wrapped if is_wrapped else together)
        self.widths.append(self.label_width + self._room("flow"))
        self._add("gradient", ROW_HEIGHT * (2 if is_wrapped else 1), is_wrapped=is_wrapped)

    def add_hooks(self, *, after_accumulation: bool) -> None:
        rows = len(self.rows)
        for number, hook in enumerate(self.tensor.hooks, start=1):
            if (hook.kind == "post_accumulate_hook") == after_accumulation:
                self._add_hook(hook, number)
        if len(self.rows) > rows:
            self.top += 3

    def add_grad(self) -> None:
        self.widths.append(self.label_width + self._room("grad"))
        self._add("grad", ROW_HEIGHT)

    def add_ghost(self) -> None:
        width = self.fields.room(self.tensor.id, "ghost", ROLE_SIZE)
        if width:
            self.widths.append(width)
            self._add("ghost", ROW_HEIGHT - 2)

    def add_note(self) -> None:
        width = self.fields.room(self.tensor.id, "note", ROLE_SIZE)
        if width:
            self.widths.append(width)
            self._add("note", ROW_HEIGHT - 2)

    def _add_hook(self, hook: HookRecord, number: int) -> None:
        label = width_in_em(hook_label(hook)) * HOOK_SIZE
        result = self.fields.room(self.tensor.id, f"hook:{hook.id}", HOOK_SIZE)
        together = BADGE_WIDTH + label + (_GAP + result if result else 0.0)
        # A long label may lose its end, as long as enough is left to tell hooks apart.
        least = BADGE_WIDTH + min(label, LEAST_LABEL) + (_GAP + result if result else 0.0)
        is_wrapped = least > _INNER
        if is_wrapped:
            self.widths.append(BADGE_WIDTH + max(label, result))
        else:
            self.widths.append(together if together <= _INNER else least)
        height = HOOK_HEIGHT + (HOOK_SECOND_LINE if is_wrapped else 0)
        self._add("hook", height, hook=hook, number=number, is_wrapped=is_wrapped)

    def _room(self, field: str) -> float:
        return self.fields.room(self.tensor.id, field, TEXT_SIZE, WORDS_SIZE)

    def _add(
        self,
        kind: RowKind,
        height: float,
        *,
        hook: HookRecord | None = None,
        number: int = 0,
        is_wrapped: bool = False,
    ) -> None:
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


def hook_label(hook: HookRecord) -> str:
    """Return a hook's label as a card shows it: `λ grad + 100` for `lambda grad: grad + 100`."""
    return _LAMBDA.sub("λ ", clean(hook.label), count=1)


def _role(tensor: TensorRecord, *, use: int, uses: int) -> Message:
    if uses > 1:
        return Message("role.leaf_use", {"number": str(use + 1), "count": str(uses)})
    if tensor.is_root:
        kind = "root_leaf" if tensor.is_leaf else "root"
    else:
        kind = "leaf" if tensor.is_leaf else "non_leaf"
    is_kept = tensor.retains_grad and not tensor.is_leaf
    return Message(f"role.{kind}_retained" if is_kept else f"role.{kind}", {})
