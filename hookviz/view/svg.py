"""Build SVG from plain values; nothing that a user wrote can become markup."""

from __future__ import annotations

import json
import math
import re
from xml.etree import ElementTree

from hookviz.view.message import Message, Text, render, to_json_data
from hookviz.view.text_width import clean, cut

Element = ElementTree.Element

_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def element(tag: str, /, *children: Element, text: str = "", **attributes: str | float) -> Element:
    """Return an element; `data_hv_key="t2"` becomes `data-hv-key`, `class_` becomes `class`.

    Text and attributes are cleaned of what XML cannot hold, and escaped when they are written.
    """
    made = ElementTree.Element(
        tag,
        {
            name.rstrip("_").replace("_", "-"): number(value)
            if isinstance(value, float | int)
            else clean(value)
            for name, value in attributes.items()
        },
    )
    if text:
        made.text = clean(text)
    made.extend(children)
    return made


def title(text: str) -> Element:
    """Return a tooltip; its lines stay lines."""
    made = element("title")
    made.text = "\n".join(clean(line) for line in _LINE_BREAK.split(text))
    return made


def words(
    tag: str, content: Text, lang: str, /, *, limit: float = math.inf, **attributes: str | float
) -> Element:
    """Return an element with text that can be put into another language later.

    Args:
        tag: `text` or `tspan`.
        content: A literal or a message.
        lang: The language to show now.
        limit: Width in em beyond which it is cut.
        **attributes: As for `element`.
    """
    if isinstance(content, Message):
        attributes["data_hv_message"] = json.dumps(
            to_json_data(content), ensure_ascii=False, separators=(",", ":")
        )
    return element(tag, text=cut(clean(render(content, lang)), limit), **attributes)


def to_markup(root: Element) -> str:
    """Return the text of an element and all within it."""
    return ElementTree.tostring(root, encoding="unicode")


def number(value: float) -> str:
    """Return a length with at most one decimal: finer is not seen and not the same everywhere."""
    return f"{value:.1f}".removesuffix(".0")
