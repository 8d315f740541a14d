"""Keep text apart from its language: a key with arguments, rendered when it is shown."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Struct

from hookviz._languages import table

STYLES = frozenset(
    {
        "tensor",
        "hook",
        "node",
        "module",
        "incoming",
        "outgoing",
        "before",
        "after",
        "gradient",
        "error",
    }
)
"""Placeholders that give their text a meaning; the others only give sentences their shape."""

_VALUES = frozenset(
    {
        "hook.in_place",
        "hook.value",
        "value.arrow",
        "value.at",
        "value.maximum",
        "value.mean",
        "value.minimum",
        "value.named",
        "value.norm",
        "value.several",
        "value.shaped",
        "value.summary",
    }
)
"""Messages that tell numbers."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Message(Struct, frozen=True):
    """A sentence that is looked up in a language table when it is shown.

    Attributes:
        key: Key of the language tables.
        args: The text for each placeholder: a literal (a number, a name, source text), another
            message, or a tuple of those, joined by the language's own separator.
    """

    key: str
    args: Mapping[str, Argument] = msgspec.field(default_factory=dict)


Text: TypeAlias = "str | Message"
Argument: TypeAlias = "Text | tuple[Text, ...]"


def render(text: Text, lang: str) -> str:
    """Return the text in one language.

    Example:
        >>> render(Message("sent", {"outgoing": "8", "tensor": "c"}), "en")
        '8 to c'
    """
    if isinstance(text, str):
        return text
    return "".join([part for _, part in _segments(text, table(lang), "")])


def segments(text: Text, lang: str) -> list[tuple[str, str]]:
    """Return the text in one language, cut into `(style, part)` pairs.

    The style is the placeholder that the part stands for, or empty for the words in between. In
    a message inside a message the outermost of `STYLES` counts: every part of a long gradient is
    a gradient.
    """
    return list(_segments(text, table(lang), ""))


def to_json_data(text: Argument) -> object:
    """Return the text as JSON data: a string, `{"key", "args"}`, or a list of them."""
    if isinstance(text, str):
        return text
    if isinstance(text, tuple):
        return [to_json_data(item) for item in text]
    return {
        "key": text.key,
        "args": {name: to_json_data(value) for name, value in text.args.items()},
    }


def is_words(text: Text) -> bool:
    """Return whether words stand where a value would: `not computed yet`, but not `[3] norm 2`."""
    return isinstance(text, Message) and text.key not in _VALUES


def keys_in(text: Argument) -> Iterable[str]:
    """Yield the key of the message and of every message inside it."""
    if isinstance(text, tuple):
        for item in text:
            yield from keys_in(item)
    elif isinstance(text, Message):
        yield text.key
        for value in text.args.values():
            yield from keys_in(value)


@functools.cache
def _parts(template: str) -> list[str]:
    return _PLACEHOLDER.split(template)


def _segments(
    text: Argument, templates: Mapping[str, str], style: str
) -> Iterable[tuple[str, str]]:
    if isinstance(text, str):
        yield style, text
    elif isinstance(text, tuple):
        for index, item in enumerate(text):
            if index:
                yield style, templates["list.separator"]
            yield from _segments(item, templates, style)
    else:
        # A missing key must not break the user's cell; the test of the tables finds it instead.
        template = templates.get(text.key, text.key)
        for index, part in enumerate(_parts(template)):
            if index % 2 == 0:
                if part:
                    yield style, part
            else:
                inner = style if style in STYLES else part
                # Text from the user is never read as a template: only the table's is.
                yield from _segments(text.args.get(part, f"{{{part}}}"), templates, inner)
