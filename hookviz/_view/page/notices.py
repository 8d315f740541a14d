"""Turn an exception into the message that the widget shows."""

from __future__ import annotations

from typing import Any

from hookviz._view.lookup.titles import is_forward_alone
from hookviz._view.text.message import Message, to_json_data
from hookviz.errors import HookRunError, HookSourceError, HookvizError


def notice_for(error: BaseException, *, serial: int, target: str, hook: str) -> dict[str, Any]:
    """Describe an error for the reader: what happened, where, and what to do.

    Args:
        error: What was raised by an action.
        serial: A number that grows, so that the same error twice is seen as new.
        target: Id of the tensor that was meant, or empty.
        hook: Id of the hook that was meant, or empty.
    """
    title, detail, hint = _words(error)
    return {
        "kind": "error",
        "title": to_json_data(title),
        "detail": detail,
        "hint": to_json_data(hint),
        "target": target,
        "hook": hook,
        "serial": serial,
    }


def info_notice(key: str, values: dict[str, str], *, serial: int) -> dict[str, Any]:
    """Tell the reader something that is no error.

    Args:
        key: Of the language tables.
        values: What stands for its placeholders.
        serial: A number that grows.
    """
    return {
        "kind": "info",
        "title": to_json_data(Message(key, dict(values))),
        "detail": "",
        "hint": "",
        "target": "",
        "hook": "",
        "serial": serial,
    }


def _words(error: BaseException) -> tuple[Message, str, Message | str]:
    if isinstance(error, HookRunError) and error.trace.error is not None:
        record = error.trace.error
        detail = f"{record.type}: {record.message}"
        if record.traceback:
            detail += f"\n\n{record.traceback}"
        is_forward = is_forward_alone(error.trace.graph, error.trace.events)
        title = "notice.forward_failed" if is_forward else "notice.run_failed"
        return Message(title), detail, Message(record.explanation)
    if isinstance(error, KeyboardInterrupt):
        return Message("notice.interrupted"), "", Message("error.interrupted")
    if isinstance(error, HookSourceError):
        values = {name: value for name, value in error.values.items() if name != "detail"}
        return Message(error.key, values), error.values["detail"], Message(error.expected)
    if isinstance(error, HookvizError):
        return Message("notice.refused"), str(error), ""
    return Message("notice.unexpected"), f"{type(error).__name__}: {error}", ""
