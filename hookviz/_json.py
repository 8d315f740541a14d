"""Write a recorded pass as JSON, and read it again."""

from __future__ import annotations

from hookviz._records import TraceRecord
from hookviz.errors import TraceFormatError

SCHEMA = 2
"""Version of the format; raised when an older reader would misread it."""


def to_json(record: TraceRecord) -> str:
    """Return a pass as JSON text with the version of the format."""
    import msgspec

    return msgspec.json.encode({"schema": SCHEMA, "trace": record}).decode()


def from_json(text: str) -> TraceRecord:
    """Return the pass that `to_json` wrote as text.

    Raises:
        TraceFormatError: If it is no such text, or was written in another version's format.
    """
    import msgspec

    try:
        envelope = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        schema = msgspec.json.decode(envelope["schema"], type=int)
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise TraceFormatError(f"this is not a trace written by to_json(): {error}") from error
    if schema < SCHEMA:
        raise TraceFormatError(
            f"this trace has schema {schema}, from an older hookviz; this one reads schema "
            f"{SCHEMA}. Record the pass again."
        )
    if schema > SCHEMA:
        raise TraceFormatError(
            f"this trace has schema {schema}, and this hookviz reads {SCHEMA}. "
            "Install a newer hookviz to read it."
        )
    try:
        return msgspec.json.decode(envelope["trace"], type=TraceRecord)
    except (msgspec.MsgspecError, KeyError) as error:
        raise TraceFormatError(f"this trace cannot be read: {error}") from error
