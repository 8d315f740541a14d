"""Stand in for a module's backward hook in the graph that a watched call has made."""

from __future__ import annotations

from hookviz._live.forward.book import CallMark
from hookviz._live.hooks.stand_in import Hook, Listener, StandIn
from hookviz._live.hooks.table import HookEntry, HookTable
from hookviz._live.internals import HookDict
from hookviz._records import HookKind


class BackwardStandIn(StandIn):
    """A backward hook of a module in the graph that one call of the module has made.

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
        # Kept, so that a later look at the dictionary finds the same entries.
        self.table = table
        self._entry = entry
        self.hook_index = hook_index
        self.is_full = is_full

    @property
    def hooks(self) -> HookDict:
        """The dictionary of PyTorch from which the call took the hook."""
        return self.table.hooks

    @property
    def entry(self) -> HookEntry:
        """The entry of the hook now; of a hook that is gone, its last one."""
        return self.table.entries.get(self.key, self._entry)

    @property
    def listener(self) -> Listener | None:
        """The recording of a pass through the graph, if the hook is on."""
        return self.mark.listener if self.entry.enabled else None

    @property
    def standing(self) -> Hook:
        """The function that runs now: the explorer's, or the one that the graph has taken."""
        is_changed = self.entry.is_changed and not isinstance(self.hook, StandIn)
        return self.entry.standing if is_changed else self.hook
