"""Read an attribute of a user's object, and never raise."""

from __future__ import annotations

from typing import Any


def attribute_of(thing: object, name: str, default: Any = None) -> Any:
    """Return an attribute, or the default where there is none.

    `getattr` takes only an `AttributeError` for that; a proxy may raise anything.
    """
    try:
        return getattr(thing, name, default)
    except Exception:  # noqa: BLE001 - it is the user's class
        return default
