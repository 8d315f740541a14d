"""Repeat what somebody gave only as far as anybody reads."""

from __future__ import annotations

MOST = 200


def shortened(text: str) -> str:
    """Return the text, or its beginning and an ellipsis if it is long."""
    return text if len(text) <= MOST else text[: MOST - 1] + "…"


def shortened_around(text: str, place: int) -> tuple[str, int]:
    """Return what is around a place of a long line, and where the place is in that.

    Args:
        text: The line.
        place: From 0.
    """
    if len(text) <= MOST:
        return text, place
    begin = max(0, min(place - MOST // 2, len(text) - MOST))
    before = "…" if begin else ""
    after = "…" if begin + MOST < len(text) else ""
    return f"{before}{text[begin : begin + MOST]}{after}", place - begin + len(before)
