"""Stand in for a hook while hookviz listens to it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]


class StandIn:
    """Stand under a hook's key in its place, and answer to all but a call as the hook does.

    PyTorch's messages read a hook's `__name__` and its text. A copy or a pickle of a module or a
    hook dictionary, made in the middle of a call or a pass, holds the hook and no stand-in.
    """

    __slots__ = ("hook", "is_over", "stood_before")

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.stood_before: Hook = hook
        """What stood there before: the hook, or the stand-in of another call of the module."""
        self.is_over = False
        """Whether the call for which it stands there has ended."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hook."""
        return self.hook(*args, **kwargs)

    @property
    def __wrapped__(self) -> Hook:
        """The hook itself, for whoever looks for its source."""
        return self.hook

    def __getattr__(self, name: str) -> Any:
        return getattr(self.hook, name)

    def __repr__(self) -> str:
        return repr(self.hook)

    def __eq__(self, other: object) -> bool:
        return bool(plain(self) == (plain(other) if isinstance(other, StandIn) else other))

    def __hash__(self) -> int:
        return hash(plain(self))

    def __copy__(self) -> Any:
        return plain(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.hook, memo)

    def __reduce__(self) -> tuple[Any, ...]:
        # Loading gives the hook, and needs no hookviz.
        return copy.copy, (self.hook,)

    def leave(self) -> Hook:
        """End its time, and return what is to stand there from now on."""
        self.is_over = True
        hook = self.stood_before
        # In another thread a call of the same module may have begun earlier and be over.
        while isinstance(hook, StandIn) and hook.is_over:
            hook = hook.stood_before
        return hook


def plain(hook: Hook) -> Hook:
    """Return the hook that a stand-in stands for, and any other hook as it is."""
    while isinstance(hook, StandIn):
        hook = hook.hook
    return hook
