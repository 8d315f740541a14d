"""Remember the hooks as they were found, and put them back."""

from __future__ import annotations

from hookviz.live.chain import Hook, HookChains, reorder
from hookviz.live.internals import HookDict


class Restorer:
    """The user's hook dictionaries as they were: same functions, same keys, same order."""

    def __init__(self, chains: HookChains) -> None:
        self._found: dict[int, tuple[HookDict, dict[int, Hook]]] = {}
        for hook in chains.all():
            _, entries = self._found.setdefault(id(hook.hooks), (hook.hooks, {}))
            entries[hook.key] = hook.function

    def restore(self, chains: HookChains) -> None:
        """Take off what was added, and put back what was edited, turned off, moved or removed.

        A hook whose handle the user removed meanwhile stays removed, and one that the user
        registered meanwhile stays.
        """
        chains.refresh()
        for hook in chains.all():
            if hook.origin == "explorer":
                hook.hooks.pop(hook.key, None)
        for hooks, entries in self._found.values():
            for key, function in entries.items():
                if key in hooks or (id(hooks), key) in chains.taken_off:
                    hooks[key] = function
            reorder(hooks, list(entries))
