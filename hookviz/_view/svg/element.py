"""Build SVG from plain values; nothing that a user wrote can become markup."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Sequence
from xml.etree import ElementTree

from hookviz._languages import LANGUAGES
from hookviz._view.text.message import Message, Text, render, to_json_data
from hookviz._view.text.width import clean, cut, width_in_em

Element = ElementTree.Element

_LONGEST_TOOLTIP_EM = 1200.0
"""The gradients of thousands of edges fit on no screen."""

_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def element(tag: str, /, *children: Element, text: str = "", **attributes: str | float) -> Element:
    """Return an element; `data_hv_key="t2"` becomes `data-hv-key`, `class_` becomes `class`.

    Text and attributes are cleaned of what XML cannot hold, and escaped when they are written.
    """
    made = ElementTree.Element(
        tag,
        {
            _attribute(name): number(value) if isinstance(value, float | int) else clean(value)
            for name, value in attributes.items()
        },
    )
    if text:
        made.text = clean(text)
    made.extend(children)
    return made


@functools.cache
def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def title(text: str) -> Element:
    """Return a tooltip; its lines stay lines."""
    made = element("title")
    made.text = "\n".join(clean(line) for line in _LINE_BREAK.split(text))
    return made


def tooltip(lines: Sequence[Text], lang: str) -> Element:
    """Return a tooltip of several lines that can be put into another language later."""
    given = [line for line in lines if line != ""]
    made = title("\n".join(clean(render(line, lang)) for line in given))
    if any(isinstance(line, Message) for line in given):
        made.set("data-hv-lines", clean(_json([to_json_data(line) for line in given])))
    return made


def words(
    tag: str, content: Text, lang: str, /, *, limit: float = math.inf, **attributes: str | float
) -> Element:
    """Return an element with text that can be put into another language later.

    Args:
        tag: `text` or `tspan`.
        content: A literal or a message.
        lang: The language to show now.
        limit: Width in em beyond which it is cut; a tooltip then has all of it.
        **attributes: As for `element`.
    """
    if isinstance(content, Message):
        attributes["data_hv_message"] = _json(to_json_data(content))
        widths = (width_in_em(clean(render(content, language))) for language in LANGUAGES)
        if limit < math.inf and max(widths) > limit:
            # In another language it may be the one that has to be cut.
            attributes["data_hv_cut"] = f"{limit:.1f}"
    whole = clean(render(content, lang))
    shown = cut(whole, limit)
    # Behind the text: what reads the text of an element then finds the same as without.
    more = () if shown == whole else (title(cut(whole, _LONGEST_TOOLTIP_EM)),)
    return element(tag, *more, text=shown, **attributes)


# `json.dumps` would make one for each of thousands of texts.
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def to_markup(root: Element) -> str:
    """Return the text of an element and all within it."""
    return ElementTree.tostring(root, encoding="unicode")


def number(value: float) -> str:
    """Return a length with at most one decimal: finer is not seen and not the same everywhere."""
    return f"{value:.1f}".removesuffix(".0")
