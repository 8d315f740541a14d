"""Measure the card of a value that went into a call or came out of it."""

from __future__ import annotations

from dataclasses import dataclass

from hookviz._view.scene.card import ARROW_WIDTH, PADDING, TEXT_SIZE, WORDS_SIZE
from hookviz._view.scene.fields import Fields
from hookviz._view.text.width import clean, cut, width_in_em

LABEL_SIZE = 11.5
_HEIGHT = 44.0
_LONGEST_EM = 20.0
_LONGEST = 236.0
_SHORTEST = 56.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueCard:
    """An argument or an output of an outermost call.

    Attributes:
        key: Its key among the patches, such as `k0.i0`.
        path: How the module was given it, such as `args[0]`.
        width, height: Size in pixels.
    """

    key: str
    path: str
    shown: str
    width: float
    height: float = _HEIGHT


def measure_value(key: str, path: str, fields: Fields) -> ValueCard:
    """Return the card of a value, wide enough for what it shows at any step."""
    path = clean(path)
    shown = cut(path, _LONGEST_EM)
    first = fields.room(key, "incoming", TEXT_SIZE, WORDS_SIZE)
    second = fields.room(key, "rewritten", TEXT_SIZE, WORDS_SIZE)
    room = max(first + (ARROW_WIDTH + second if second else 0), width_in_em(shown) * LABEL_SIZE)
    width = min(max(room + 2 * PADDING, _SHORTEST), _LONGEST)
    return ValueCard(key=key, path=path, shown=shown, width=float(round(width)))
