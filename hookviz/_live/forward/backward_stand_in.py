"""Stand in for a module's backward hook in the graph that a watched call has made."""

from __future__ import annotations

from typing import Any, Protocol, cast

from hookviz._live.forward.book import CallMark
from hookviz._live.hooks.stand_in import Hook, StandIn
from hookviz._live.hooks.table import HookEntry, HookTable
from hookviz._live.internals import HookDict
from hookviz._records import HookKind


class Listener(Protocol):
    """Who records a pass through the graph."""

    def run(self, hook: BackwardStandIn, args: tuple[Any, ...]) -> Any:
        """Run the hook, and write down what it did."""


class BackwardStandIn(StandIn):
    """A full backward pre-hook or backward hook, as one call of its module has taken it.

    PyTorch puts these functions into the graph when the module is called. Long after the watched
    block they run with every backward: recorded, if that pass is recorded, and else as they are.

    Attributes:
        mark: The call it belongs to.
        kind, hooks, key: Where it stood when the module was called.
        hook_index: Its place among the hooks of its kind that this call will run.
        is_full: False for a hook of the old kind (`register_backward_hook`).
    """

    __slots__ = ("_entry", "hook_index", "is_full", "key", "kind", "mark", "table")

    def __init__(
        self,
        hook: Hook,
        mark: CallMark,
        kind: HookKind,
        key: int,
        *,
        table: HookTable,
        entry: HookEntry,
        hook_index: int,
        is_full: bool,
    ) -> None:
        super().__init__(hook)
        self.mark = mark
        self.kind = kind
        self.key = key
        # Kept, so that whoever looks at the dictionary later finds the same entries.
        self.table = table
        self._entry = entry
        self.hook_index = hook_index
        self.is_full = is_full

    @property
    def hooks(self) -> HookDict:
        """The dictionary it stood in."""
        return self.table.hooks

    @property
    def entry(self) -> HookEntry:
        """What an explorer has made of it since; of a hook that is gone, what it was."""
        return self.table.entries.get(self.key, self._entry)

    @property
    def is_off(self) -> bool:
        """Whether an explorer has turned it off."""
        return not self.entry.enabled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hook, and let a recording of this graph note it."""
        listener = cast("Listener | None", self.mark.listener)
        if listener is None or self.is_off:
            return self.run_plainly(args, kwargs)
        return listener.run(self, args)

    def run_plainly(self, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """Run what stands there now: what an explorer has put there, or what the graph took."""
        hook = self.hook
        if self.entry.is_changed and not isinstance(hook, StandIn):
            hook = self.entry.standing
        return hook(*args, **(kwargs or {}))
