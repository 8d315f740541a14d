"""Tell objects apart by what they are: a stand-in of hookviz equals the hook that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Itself:
    """An object that equals nothing but itself."""

    def __init__(self, one: Any) -> None:
        self.one = one

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.one is other.one

    def __hash__(self) -> int:
        return id(self.one)

    def __repr__(self) -> str:
        return f"<{type(self.one).__name__} {self.one!r}>"


def entries(hooks: Mapping[int, Any] | None) -> list[tuple[int, Itself]]:
    """Return a dictionary of hooks as a list: each key, and which object stands there."""
    return [(key, Itself(hook)) for key, hook in (hooks or {}).items()]
