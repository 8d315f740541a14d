"""Know which hook an exception out of backward comes from."""

from __future__ import annotations

from typing import Any

from hookviz._live.hooks.hook import LiveHook
from hookviz._records import AnyEvent

_POST = "post_accumulate_hook"


class Blame:
    """The hook that runs, and the last one that has returned a result that PyTorch may refuse.

    PyTorch looks at a result when the hook is over, and at those of post-accumulate hooks when all
    of them are.

    Attributes:
        hook: The hook that runs, or whose result PyTorch is looking at.
    """

    def __init__(self, events: list[AnyEvent]) -> None:
        self.hook: LiveHook[Any] | None = None
        self._events = events
        self._refusable: tuple[LiveHook[Any], AnyEvent] | None = None

    def nothing_runs(self) -> None:
        """Note that the engine is at work, and no hook."""
        self.hook = None

    def runs(self, hook: LiveHook[Any]) -> None:
        """Note that a hook begins, so that PyTorch has taken the results of those before it."""
        self.hook = hook
        if hook.kind != _POST or not self._waits_for(hook.owner):
            self._refusable = None

    def told(self, hook: LiveHook[Any], event: AnyEvent, *, is_accepted: bool) -> None:
        """Note the event of a hook that has returned.

        Args:
            hook: The hook.
            event: Its event.
            is_accepted: Whether PyTorch has no reason to refuse the result.
        """
        self.hook = None if is_accepted or hook.kind == _POST else hook
        # Of several post-accumulate hooks PyTorch complains about the first that returned.
        if not is_accepted and (hook.kind != _POST or self._refusable is None):
            self._refusable = (hook, event)

    def verdict(self) -> tuple[LiveHook[Any] | None, AnyEvent | None]:
        """Return the hook that an exception comes from, and its event if its result was refused."""
        # A hook that still runs has raised itself, whatever one before it has returned.
        if self._refusable is not None and self.hook in (None, self._refusable[0]):
            hook, event = self._refusable
            if self._events[-1] is event:
                self._events.pop()
                return hook, event
            if self.hook is None and self._waits_for(hook.owner):
                return hook, event
        return self.hook, None

    def _waits_for(self, owner: object) -> bool:
        """Return whether a post-accumulate hook of this leaf has returned a result just now."""
        if self._refusable is None:
            return False
        hook, event = self._refusable
        if hook.owner is not owner or hook.kind != _POST:
            return False
        for later in reversed(self._events):
            if later is event or later.tensor != event.tensor:
                return later is event
        return False
