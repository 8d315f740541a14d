"""Say which calls of backward were recorded, and which were not."""

from __future__ import annotations

from hookviz.view.message import Message

MORE = "--calls 10"
"""The option that records more calls, as an example; the same for a cell and for a script."""


def heading(*, line: int, code: str, number: int, count: int) -> Message:
    """Say which call is shown: the `number`-th of `count` that are."""
    values = {"number": str(number), "count": str(count), "line": str(line), "code": code}
    return Message("cell.heading", values)


def not_recorded(*, line: int, reason: str) -> Message:
    """Say that one call could not be recorded, and why."""
    return Message("cell.not_recorded", {"line": str(line), "reason": reason})


def further(*, count: int, limit: int) -> Message:
    """Say how many calls came after the first `limit`."""
    return Message("cell.further", {"count": f"{count:,}", "limit": str(limit), "option": MORE})


def nothing() -> Message:
    """Say that backward was never called."""
    return Message("cell.none")
