"""Measure the card of a tensor: its rows, where they stand, and how wide it has to be."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hookviz.records import HookRecord, TensorRecord
from hookviz.view.fields import Fields, room_for
from hookviz.view.message import Message, Text
from hookviz.view.numbers import short_text
from hookviz.view.text_width import clean, width_in_em

PADDING = 14.0
TITLE_HEIGHT = 31.0
ROW_HEIGHT = 20.0
HOOK_HEIGHT = 23.0
LONGEST_WIDTH = 256.0
SHORTEST_WIDTH = 132.0

TITLE_SIZE = 15.0
TEXT_SIZE = 13.0
WORDS_SIZE = 11.5
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

_BOTTOM = 9.0
_GAP = 10.0
_LABEL_GAP = 6.0
_LAMBDA = re.compile(r"lambda\b[^:]*:\s*")

RowKind = Literal["value", "gradient", "hook", "grad", "note"]

ROW_LABELS: dict[RowKind, str] = {
    "value": "card.value",
    "gradient": "card.gradient",
    "grad": "card.grad",
}
"""Keys of the language tables for the labels at the left of a card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a card.

    Attributes:
        kind: What stands in it: the tensor's value, the gradient that arrived and what hooks made
            of it, one hook, what `.grad` holds, or a note.
        top: Distance from the top of the card.
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
    key = tensor.id
    title = clean(tensor.label)
    role = _role(tensor, uses=uses, use=use)
    value = short_text(tensor.value)
    labels = [Message(key) for key in ROW_LABELS.values()]
    label_width = max(room_for(label) for label in labels) * LABEL_SIZE + _LABEL_GAP

    def on_label(field: str) -> float:
        return label_width + fields.room(key, field, TEXT_SIZE, WORDS_SIZE)

    inner = LONGEST_WIDTH - 2 * PADDING
    name_width = width_in_em(title) * TITLE_SIZE
    head = name_width + 16 + room_for(role) * ROLE_SIZE
    is_role_below = head > inner
    widths = [name_width if is_role_below else head, on_label("grad")]
    rows: list[Row] = []
    top = TITLE_HEIGHT + (ROLE_SIZE + 5 if is_role_below else 0)

    def add(kind: RowKind, height: float, **more: object) -> None:
        nonlocal top
        rows.append(Row(kind=kind, top=top, height=height, **more))  # type: ignore[arg-type]
        top += height

    def add_hook(hook: HookRecord, number: int) -> None:
        label = BADGE_WIDTH + width_in_em(hook_label(hook)) * HOOK_SIZE
        result = fields.room(key, f"hook:{hook.id}", HOOK_SIZE)
        together = label + (result + _GAP if result else 0.0)
        # A long label may lose its end, as long as enough is left to tell hooks apart.
        least = BADGE_WIDTH + min(label - BADGE_WIDTH, LEAST_LABEL) + _GAP + result
        is_wrapped = together > inner and least > inner
        widths.append(max(label, BADGE_WIDTH + result) if is_wrapped else together)
        add(
            "hook",
            HOOK_HEIGHT + (15 if is_wrapped else 0),
            hook=hook,
            number=number,
            is_wrapped=is_wrapped,
        )

    if use == 0:
        size = TEXT_SIZE if isinstance(value, str) else WORDS_SIZE
        widths.append(label_width + room_for(value) * size)
        add("value", ROW_HEIGHT)
        arrived = on_label("incoming")
        rewritten = fields.room(key, "rewritten", TEXT_SIZE, WORDS_SIZE)
        together = arrived + (ARROW_WIDTH + rewritten if rewritten else 0.0)
        is_wrapped = rewritten > 0 and together > inner
        widths.append(on_label("flow"))
        widths.append(max(arrived, label_width + ARROW_WIDTH + rewritten) if is_wrapped else together)
        add("gradient", ROW_HEIGHT * (2 if is_wrapped else 1), is_wrapped=is_wrapped)
        chain = list(enumerate(tensor.hooks, start=1))
        for number, hook in chain:
            if hook.kind != "post_accumulate_hook":
                add_hook(hook, number)
        if rows[-1].kind == "hook":
            top += 3
        add("grad", ROW_HEIGHT)
        for number, hook in chain:
            if hook.kind == "post_accumulate_hook":
                add_hook(hook, number)
        if fields.room(key, "note"):
            widths.append(fields.room(key, "note", ROLE_SIZE))
            add("note", ROW_HEIGHT - 2)
    else:
        add("grad", ROW_HEIGHT)

    width = min(max(*widths, SHORTEST_WIDTH - 2 * PADDING), inner) + 2 * PADDING
    return Card(
        tensor=tensor,
        title=title,
        role=role,
        value=value,
        rows=tuple(rows),
        width=float(round(width)),
        height=float(round(top + _BOTTOM)),
        label_width=float(round(label_width)),
        is_role_below=is_role_below,
        use=use,
        uses=uses,
    )


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
