"""Shorten a user's text to one line."""

from __future__ import annotations

_MOST = 60


def short(text: str, *, most: int = _MOST) -> str:
    r"""Return a text on one line, without its end where it is long.

    Example:
        >>> short("def double(grad):\n    return grad * 2")
        'def double(grad): return grad * 2'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
