"""Make the panel of a tensor."""

from __future__ import annotations

from hookviz._records import TensorRecord
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.measure import PanelBuilder
from hookviz._view.scene.panel import Panel, PanelStyle
from hookviz._view.text.message import Message
from hookviz._view.text.numbers import short_text
from hookviz._view.text.width import clean

CARD_STYLE = PanelStyle(
    title_size=15.0,
    title_line=22.0,
    role_line=22.0,
    second_line=38.0,
    head_height=31.0,
    second_height=16.0,
    title_gap=16.0,
    label_gap=6.0,
    above_rows=0.0,
    below_rows=9.0,
    shortest=132.0,
    longest=264.0,
)

_VALUE, _GRADIENT, _GRAD = (Message(f"card.{row}") for row in ("value", "gradient", "grad"))


def measure_card(tensor: TensorRecord, fields: Fields, *, use: int = 0, uses: int = 1) -> Panel:
    """Return the card of a tensor.

    The second and later copies of a leaf that is drawn once per use carry only `.grad`: the rest
    would be said as often as the leaf is used.
    """
    builder = PanelBuilder(
        tensor,
        fields,
        CARD_STYLE,
        title=clean(tensor.label),
        role=_role(tensor, use=use, uses=uses),
        labels=(_VALUE, _GRADIENT, _GRAD),
    )
    if use:
        builder.add_field("grad", _GRAD)
        return builder.build(use=use)
    builder.add_text("value", _VALUE, short_text(tensor.value))
    builder.add_gradient(_GRADIENT)
    builder.add_small("ghost")
    _add_hooks(builder, tensor, after_accumulation=False)
    builder.add_field("grad", _GRAD)
    _add_hooks(builder, tensor, after_accumulation=True)
    builder.add_small("note")
    return builder.build()


def _add_hooks(builder: PanelBuilder, tensor: TensorRecord, *, after_accumulation: bool) -> None:
    added = [
        (hook, number)
        for number, hook in enumerate(tensor.hooks, start=1)
        if (hook.kind == "post_accumulate_hook") == after_accumulation
    ]
    for hook, number in added:
        builder.add_hook(hook, number)
    if added:
        builder.add_gap(3.0)


def _role(tensor: TensorRecord, *, use: int, uses: int) -> Message:
    if uses > 1:
        return Message("role.leaf_use", {"number": str(use + 1), "count": str(uses)})
    if tensor.is_root:
        kind = "root_leaf" if tensor.is_leaf else "root"
    else:
        kind = "leaf" if tensor.is_leaf else "non_leaf"
    is_kept = tensor.retains_grad and not tensor.is_leaf
    return Message(f"role.{kind}_retained" if is_kept else f"role.{kind}", {})
