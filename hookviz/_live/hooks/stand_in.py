"""Stand in for a hook while hookviz listens to it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Protocol

from hookviz._live.internals import HookDict

Hook = Callable[..., Any]


class Listener(Protocol):
    """An object that is told when a hook begins to run, and how the hook ends.

    The first argument of each method is the stand-in of the hook. No method may raise: the caller
    is PyTorch, in the middle of a forward or a backward.
    """

    def before(self, hook: Any, args: tuple[Any, ...], /) -> Any:
        """Note what the hook is given; what is returned comes back at the end."""

    def after(self, hook: Any, before: Any, result: Any, /) -> None:
        """Note what the hook has returned."""

    def failed(self, hook: Any, before: Any, error: BaseException, /) -> None:
        """Note that the hook has raised."""


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

    @property
    def listener(self) -> Listener | None:
        """The object that is told of the hook's runs now, if there is one."""
        return None

    @property
    def standing(self) -> Hook:
        """The function that runs now: the hook, or what an explorer has put in its place."""
        return self.hook

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hook, and tell the listener before and after."""
        listener = self.listener
        if listener is None:
            return self.run(args, kwargs)
        before = listener.before(self, args)
        try:
            result = self.run(args, kwargs)
        except BaseException as error:
            listener.failed(self, before, error)
            raise
        listener.after(self, before, result)
        return result

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the hook alone."""
        return self.standing(*args, **kwargs)

    @property
    def __wrapped__(self) -> Hook:
        """The hook itself, where `inspect` looks for its source."""
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

    def enter(self, hooks: HookDict, key: int) -> None:
        """Take the place under a key; replacing the value keeps PyTorch's order."""
        self.stood_before = hooks[key]
        hooks[key] = self

    def leave(self, hooks: HookDict, key: int) -> None:
        """Give the place back, unless the hook has removed or replaced itself while it ran."""
        self.is_over = True
        hook = self.stood_before
        # In another thread a call of the same module may have begun earlier and be over.
        while isinstance(hook, StandIn) and hook.is_over:
            hook = hook.stood_before
        if hooks.get(key) is self:
            hooks[key] = hook


def plain(hook: Hook) -> Hook:
    """Return the hook that a stand-in stands for, and any other hook as it is."""
    while isinstance(hook, StandIn):
        hook = hook.hook
    return hook
