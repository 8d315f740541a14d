"""Make the panel of a value that went into a call or came out of it."""

from __future__ import annotations

from hookviz._view.scene.fields import Fields
from hookviz._view.scene.measure import PanelBuilder
from hookviz._view.scene.panel import Panel, PanelStyle, Value
from hookviz._view.text.width import clean, cut

VALUE_STYLE = PanelStyle(
    title_size=11.5,
    title_line=17.0,
    head_height=20.0,
    below_rows=4.0,
    shortest=56.0,
    longest=236.0,
    is_centered=True,
)
_LONGEST_EM = 20.0


def measure_value(key: str, path: str, fields: Fields) -> Panel:
    """Return the card of a value: its path, the value at first, and what hooks made of it."""
    value = Value(key, clean(path))
    title = cut(value.path, _LONGEST_EM)
    builder = PanelBuilder(value, fields, VALUE_STYLE, title=title, role="")
    builder.add_gradient()
    return builder.build()
