"""Hold panels, which are drawn with a head and rows: tensors, boxes of modules, values."""

from __future__ import annotations

import re
from typing import TypeAlias

from msgspec import Struct

from hookviz._records import HookRecord, TensorRecord
from hookviz._view.groups.tree import Group
from hookviz._view.text.message import Text
from hookviz._view.text.width import clean

PADDING = 14.0
ROW_HEIGHT = 20.0
HOOK_HEIGHT = 23.0
HOOK_SECOND_LINE = 15.0

TEXT_SIZE = 13.0
WORDS_SIZE = 12.0
"""Words in the place of a number, such as `not computed yet`."""
LABEL_SIZE = 11.5
ROLE_SIZE = 11.0
HOOK_SIZE = 11.5
BADGE_WIDTH = 22.0
"""Room for a hook's number, with the gap after it."""
ARROW_WIDTH = 22.0
"""Room for the arrow between two gradients."""
TOGGLE_WIDTH = 23.0
"""Room for the sign that opens and closes a box, with the gap after it."""
STACK = 4.0
"""How far the sheets of a fold stand out behind each other."""

_LAMBDA = re.compile(r"lambda\b[^:]*:\s*")


class Row(Struct, frozen=True, kw_only=True):
    """One row of a panel.

    Attributes:
        kind: `value`, `gradient`, `grad` of a tensor; `input`, `output`, `grad_output`,
            `grad_input` of a box; `hook`, `note` of both; `ghost` for the value in another pass.
        height: Height of the row; a wrapped row has two lines.
        top: Distance from the top of the panel.
        label: The words at the left.
        text: The content, where no step changes it.
        hook: The hook, for a row of kind `hook`.
        number: The hook's place in the chain, from 1.
        is_wrapped: Whether the second half of the row stands on a line of its own.
    """

    kind: str
    height: float
    top: float = 0.0
    label: Text = ""
    text: Text | None = None
    hook: HookRecord | None = None
    number: int = 0
    is_wrapped: bool = False


class PanelStyle(Struct, frozen=True, kw_only=True):
    """The sizes in which the panels of tensors, boxes and values differ.

    Attributes:
        title_size: Font size of the title.
        title_line, role_line, second_line: The baselines of the title, of a role beside it, and of
            a role below it.
        head_height, second_height: Height of the head, and the height that a role below adds.
        title_gap, label_gap: Room behind the title and behind the column of labels.
        above_rows, below_rows: Room around the rows.
        shortest, longest: Limits of the width.
        is_centered: Whether the texts stand in the middle.
    """

    title_size: float
    title_line: float
    role_line: float = 0.0
    second_line: float = 0.0
    head_height: float
    second_height: float = 0.0
    title_gap: float = 0.0
    label_gap: float = 0.0
    above_rows: float = 0.0
    below_rows: float
    shortest: float
    longest: float
    is_centered: bool = False


class Value(Struct, frozen=True):
    """An argument or an output of an outermost call.

    Attributes:
        id: Its key among the patches, such as `k0.i0`.
        path: The way in which the module was given it, such as `args[0]`.
    """

    id: str
    path: str


Subject: TypeAlias = TensorRecord | Group | Value


class Panel(Struct, frozen=True, kw_only=True):
    """A tensor, a group of functions, or a value, as it is drawn.

    Attributes:
        subject: The tensor, the group or the value.
        title, role: The two texts of the head.
        style: Its sizes.
        rows: From top to bottom, which is the order in which things happen.
        width, height: Size in pixels, with the sheets behind a fold.
        label_width: Width of the column of labels.
        head_height: Height of the part with title and role.
        is_role_below: Whether the role has a line of its own, because the title takes the first.
        use: The number of this copy of a tensor, from 0.
        can_open: Whether a box has content to look at.
        is_open: Whether this is the head of the frame around an open box.
    """

    subject: Subject
    title: Text
    role: Text
    style: PanelStyle
    rows: tuple[Row, ...]
    width: float
    height: float
    label_width: float
    head_height: float
    is_role_below: bool = False
    use: int = 0
    can_open: bool = False
    is_open: bool = False

    @property
    def key(self) -> str:
        """The key of the panel among the patches."""
        return self.subject.id

    @property
    def tensor(self) -> TensorRecord | None:
        """The tensor, if this is a card."""
        return self.subject if isinstance(self.subject, TensorRecord) else None

    @property
    def group(self) -> Group | None:
        """The group, if this is a box."""
        return self.subject if isinstance(self.subject, Group) else None

    @property
    def inner_width(self) -> float:
        """The width without the sheets behind a fold."""
        return self.width - self.sheets * STACK

    @property
    def sheets(self) -> int:
        """The number of sheets behind a closed fold."""
        group = self.group
        return 2 if group is not None and group.count > 1 and not self.is_open else 0


def hook_label(hook: HookRecord) -> str:
    """Return a hook's label as a panel shows it: `λ grad + 100` for `lambda grad: grad + 100`."""
    return _LAMBDA.sub("λ ", clean(hook.label), count=1)
