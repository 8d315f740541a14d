"""Share one table for each of PyTorch's hook dictionaries among all explorers."""

from __future__ import annotations

import weakref
from typing import Any, Literal

from hookviz._live.hooks.source import HookSource, find_source
from hookviz._live.hooks.stand_in import Hook, plain
from hookviz._live.internals import HookDict

__all__ = ["Hook", "HookEntry", "HookTable", "table_of", "turned_off"]


def turned_off(*_: Any, **__: Any) -> None:
    """Stand in for a hook that is turned off, so that its handle and its place stay alive."""


def taken_off(*_: Any, **__: Any) -> None:
    """Stand in for a hook of the user's that an explorer has removed.

    Its handle still finds something to remove, so that a hook which the user has removed as well
    does not come back in the end.
    """


class HookEntry:
    """One hook under its key: its function, and whether it is on.

    Attributes:
        function: The user's function, or what was put in its place.
        original: The function that was registered.
        source: What can be said of it.
        origin: `"explorer"` for a hook that was added in hookviz.
        enabled: Whether it runs.
        is_gone: Whether an explorer has removed it.
    """

    __slots__ = ("enabled", "function", "is_gone", "origin", "original", "source")

    def __init__(self, function: Hook) -> None:
        self.function = self.original = function
        self.source: HookSource = find_source(function)
        self.origin: Literal["user", "explorer"] = "user"
        self.enabled = True
        self.is_gone = False

    @property
    def standing(self) -> Hook:
        """The function that PyTorch runs for it between recordings."""
        return self.function if self.enabled else turned_off

    @property
    def is_changed(self) -> bool:
        """Whether an explorer has put another function there or turned it off."""
        return self.function is not self.original or not self.enabled

    def reset(self) -> None:
        """Undo the changes of an explorer."""
        self.function, self.enabled = self.original, True


class HookTable:
    """One dictionary of hooks: its entries, and how it was found.

    Two explorers on one graph share it, so that neither takes what the other has put there for a
    hook of the user's.
    """

    def __init__(self, hooks: HookDict) -> None:
        self.hooks = hooks
        self.entries: dict[int, HookEntry] = {}
        self.found: dict[int, Hook] = {}
        """The user's own functions by key, in their order, as they were before any change."""
        self.taken_off: set[int] = set()
        """Keys of the user's own hooks that were removed in an explorer."""
        self.away: dict[int, Hook] = {}
        """What stands for hooks that are off or removed, while it is out of PyTorch's way."""
        self.holders = 0
        """How many open explorers may have changed it."""
        self.refresh()

    def refresh(self) -> None:
        """Take in hooks that were registered, replaced or removed since the last look."""
        there = {**self.away, **self.hooks}
        for key in [key for key in self.entries if key not in there]:
            del self.entries[key]
        self.taken_off = {
            key for key in self.taken_off if plain(there.get(key, turned_off)) is taken_off
        }
        for key, hook in list(self.hooks.items()):
            standing = plain(hook)
            if standing is taken_off:
                continue
            entry = self.entries.get(key)
            if entry is None:
                self.entries[key] = HookEntry(standing)
                self.found.setdefault(key, standing)
            elif standing is not entry.standing:
                # Somebody put another function under the same key: theirs counts.
                entry.function = entry.original = standing
                entry.source, entry.enabled = find_source(standing), True
                self.found[key] = standing

    def put(self, key: int) -> None:
        """Have PyTorch run what the entry says."""
        self.hooks[key] = self.entries[key].standing

    def take_off(self, key: int) -> HookEntry:
        """Remove a hook and return its entry."""
        entry = self.entries.pop(key)
        if entry.origin == "user" and key in self.hooks:
            self.taken_off.add(key)
            self.hooks[key] = taken_off
        else:
            self.hooks.pop(key, None)
        return entry

    def forget(self, key: int) -> HookEntry:
        """Take a hook away without a trace, and return its entry; `put_back` undoes it."""
        self.hooks.pop(key, None)
        function = self.found.pop(key, turned_off)
        entry = self.entries.pop(key, None)
        if entry is None:
            entry = HookEntry(function)
            entry.is_gone = True
        self.taken_off.discard(key)
        return entry

    def order(self) -> list[int]:
        """Return all keys, those of hooks that were taken off too, as `put_back` wants them."""
        return list(self.hooks)

    def take_placeholders(self) -> None:
        """Take the placeholders of hooks that are off or removed away for a while."""
        for key, hook in list(self.hooks.items()):
            if hook is turned_off or hook is taken_off:
                self.away[key] = self.hooks.pop(key)

    def put_placeholders(self, order: list[int]) -> None:
        """Undo `take_placeholders`; `order` are the keys as they were."""
        if self.away:
            self.hooks.update(self.away)
            self.away.clear()
            self.reorder(order)

    def listed(self) -> list[int]:
        """Return the keys of the hooks that are there, in the order in which they run."""
        return [key for key in self.hooks if key in self.entries]

    def put_back(self, key: int, entry: HookEntry, order: list[int]) -> None:
        """Undo `take_off`; `order` are the keys as they were."""
        self.entries[key] = entry
        self.taken_off.discard(key)
        self.put(key)
        self.reorder(order)

    def reorder(self, keys: list[int]) -> None:
        """Put the hooks into another order.

        `OrderedDict.move_to_end` has no effect on the order in which hooks run (tried on 2.13);
        clearing and inserting again has.
        """
        entries = dict(self.hooks)
        self.hooks.clear()
        for key in [*keys, *(key for key in entries if key not in keys)]:
            if key in entries:
                self.hooks[key] = entries[key]

    def restore(self) -> None:
        """Put the user's hooks back as they were found.

        A hook whose handle the user removed meanwhile stays removed, and one that the user
        registered meanwhile stays.
        """
        self.refresh()
        for key, function in self.found.items():
            entry = self.entries.get(key)
            if key in self.taken_off or (entry is not None and entry.origin == "user"):
                self.hooks[key] = function
        self.reorder(list(self.found))
        for entry in self.entries.values():
            # A graph made meanwhile may hold on to it: backward hooks of modules are its own.
            entry.reset()
        self.entries.clear()
        self.taken_off.clear()
        self.found.clear()
        self.refresh()


# By identity of the dictionary; a table holds its dictionary, so the number stays its own.
_tables: weakref.WeakValueDictionary[int, HookTable] = weakref.WeakValueDictionary()


def table_of(hooks: HookDict) -> HookTable:
    """Return the table of a dictionary; as long as it is held it is the same one."""
    table = _tables.get(id(hooks))
    if table is None:
        table = _tables[id(hooks)] = HookTable(hooks)
    else:
        table.refresh()
    return table
