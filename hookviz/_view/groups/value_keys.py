"""Give the values of a call their keys among the patches."""

from __future__ import annotations

MOST_VALUES = 8
"""More arguments or outputs of one call than this are not drawn one by one."""


def value_key(call: str, side: str, place: int) -> str:
    """Return the key of a value among the patches, `k0.i0` for the first argument of a call."""
    return f"{call}.{side}{place}"
