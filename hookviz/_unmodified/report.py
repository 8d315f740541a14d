"""Say which calls of backward in unmodified code are shown, and which are not."""

from __future__ import annotations

from hookviz._live.unmodified.call import Calls
from hookviz._live.unmodified.caller import Caller
from hookviz._live.user.code import name_of_file
from hookviz._view.text.message import Message

MORE = "--calls 10"
"""The option that records more calls, as an example; the same for a cell and for a script."""


def headings(calls: Calls, *, file: str) -> tuple[Message, ...]:
    """Return the heading of each recorded call, in their order.

    Args:
        calls: The calls of the code.
        file: The file of the cell or script that was run; it is named where a call is elsewhere.
    """
    count = len(calls.recorded)
    return tuple(
        Message(
            "calls.heading",
            {
                "number": str(number),
                "count": str(count),
                "place": _place(caller, file),
                "code": caller.code,
            },
        )
        for number, (caller, _) in enumerate(calls.recorded, start=1)
    )


def notes(calls: Calls, *, file: str, limit: int) -> tuple[Message, ...]:
    """Return the notes on calls that are not shown, or that there was none at all.

    Args:
        calls: The calls of the code.
        file: As in `headings`.
        limit: How many calls were to be recorded.
    """
    said = [
        Message("calls.not_recorded", {"place": _place(call.caller, file), "reason": call.reason})
        for call in calls.not_recorded
    ]
    if calls.further:
        values = {"count": f"{calls.further:,}", "limit": str(limit), "option": MORE}
        said.append(Message("calls.further", values))
    if not (calls.recorded or said):
        said.append(Message("calls.none"))
    return tuple(said)


def _place(caller: Caller, file: str) -> Message:
    if caller.file == file:
        return Message("calls.place", {"line": str(caller.line)})
    values = {"line": str(caller.line), "file": name_of_file(caller.file)}
    return Message("calls.place_elsewhere", values)
