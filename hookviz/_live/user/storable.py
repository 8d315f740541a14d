"""Make any text of user code safe to keep."""

from __future__ import annotations


def storable(text: str) -> str:
    """Return the text with lone surrogates spelled out; they cannot be written or sent."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def text_of(error: BaseException) -> str:
    """Return an exception's message, also where its own `__str__` fails."""
    try:
        return storable(str(error))
    except Exception as failure:  # noqa: BLE001 - it is the user's class
        return f"(its message could not be read: {type(failure).__name__})"
