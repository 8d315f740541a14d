"""Make the panel of a module or fold: a closed box, or the head of an open frame."""

from __future__ import annotations

from hookviz._view.groups.tree import Group
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.measure import PanelBuilder
from hookviz._view.scene.panel import Panel, PanelStyle
from hookviz._view.text.message import Message, Text

BOX_STYLE = PanelStyle(
    title_size=14.0,
    title_line=20.0,
    role_line=19.5,
    second_line=36.0,
    head_height=30.0,
    second_height=15.0,
    title_gap=14.0,
    label_gap=8.0,
    above_rows=4.0,
    below_rows=7.0,
    shortest=96.0,
    longest=360.0,
)

_ROWS: tuple[tuple[str, Text, str], ...] = (
    ("input", Message("box.input"), "module_forward_pre_hook"),
    ("output", Message("box.output"), "module_forward_hook"),
    # PyTorch's own names, in every language.
    ("grad_output", "grad_output", "module_backward_pre_hook"),
    ("grad_input", "grad_input", "module_backward_hook"),
)
"""A field, its label, and the kind of the hooks that see it next, in the order of events."""


def measure_box(group: Group, fields: Fields, *, can_open: bool, is_open: bool = False) -> Panel:
    """Return the box of a group.

    The head of a frame has rows only where the module has hooks: without any, what goes in and
    out stands on what is inside.
    """
    used = {kind for kind, _, _ in _ROWS if fields.room(group.id, kind)}
    builder = PanelBuilder(
        group,
        fields,
        BOX_STYLE,
        title=group.title,
        role=_role(group),
        labels=[label for kind, label, _ in _ROWS if kind in used],
        can_open=can_open,
    )
    hooks = group.module.hooks if group.module is not None else ()
    if hooks or not is_open:
        for kind, label, hook_kind in _ROWS:
            if kind in used:
                builder.add_field(kind, label)
            for number, hook in enumerate(
                (hook for hook in hooks if hook.kind == hook_kind), start=1
            ):
                builder.add_hook(hook, number)
        builder.add_small("note")
    return builder.build(is_open=is_open)


def _role(group: Group) -> Text:
    if group.kind in ("fold", "range"):
        return Message("box.times", {"type": group.type, "count": str(group.count)})
    if group.is_called_again and group.call is not None:
        number = str(group.call.number + 1)
        return Message("box.call", {"type": group.type, "number": number})
    return group.type
