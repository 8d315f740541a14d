"""Measure and shorten text without a font, so that a drawing is the same on every machine."""

from __future__ import annotations

import re

from wcwidth import wcwidth

ELLIPSIS = "…"

_NARROW_EM = 0.6
_WIDE_EM = 1.0
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
# What XML 1.0 cannot hold at all, control characters that no font draws, and those that turn the
# text around them: a name must not rearrange the line it stands in.
_UNDRAWABLE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """Return `text` as one line that every XML parser accepts; undrawable characters become �."""
    if text.isascii() and text.isprintable():
        return text
    return _UNDRAWABLE.sub("\ufffd", _BREAKS.sub(" ", text))


def width_in_em(text: str) -> float:
    """Return the room to leave for `text`, in units of its font size.

    A wide (Chinese, say) character counts 1 and any other 0.6, which is what a monospace font
    takes and a little more than a proportional one does. Combining marks count nothing.
    """
    if text.isascii() and text.isprintable():
        return _NARROW_EM * len(text)
    return sum(_character_em(character) for character in text)


def cut(text: str, limit: float) -> str:
    """Return `text`, shortened to `limit` em with an ellipsis if it is wider than that."""
    if width_in_em(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - _NARROW_EM
    for character in text:
        room -= _character_em(character)
        # The tolerance keeps sums of 0.6 from losing a character to binary rounding.
        if room < -1e-9:
            break
        kept.append(character)
    return "".join(kept).rstrip() + ELLIPSIS


def _character_em(character: str) -> float:
    columns = wcwidth(character)
    if columns == 0:
        return 0.0
    return _WIDE_EM if columns > 1 else _NARROW_EM
