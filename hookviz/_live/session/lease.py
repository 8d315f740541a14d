"""Put a hook dictionary back when the last explorer that may have changed it closes."""

from __future__ import annotations

from hookviz._live.graph.hooks import HookChains
from hookviz._live.hooks.table import HookEntry, HookTable


class HookLease:
    """The right of one explorer to change the hook dictionaries of its graph, until it closes."""

    def __init__(self, chains: HookChains) -> None:
        self._chains = chains
        self._held: dict[int, HookTable] = {}
        self._added: list[tuple[HookTable, int, HookEntry]] = []
        self.renew()

    def renew(self) -> None:
        """Take in dictionaries that have come up since."""
        for number, table in self._chains.tables.items():
            if number not in self._held:
                self._held[number] = table
                table.holders += 1

    def note_added(self, table: HookTable, key: int) -> None:
        """Remember a hook that this explorer has registered."""
        self._added.append((table, key, table.entries[key]))

    def move_to(self, chains: HookChains) -> None:
        """Go over to another graph, and let go of the dictionaries that only the old one has."""
        self._chains = chains
        gone = [number for number in self._held if number not in chains.tables]
        left = {id(self._held[number]) for number in gone}
        self._take_off_added(left)
        for number in gone:
            self._leave(self._held.pop(number))
        self.renew()

    def release(self) -> None:
        """Take off the hooks that this explorer added, and let go of every dictionary."""
        self.renew()
        self._take_off_added({id(table) for table in self._held.values()})
        for table in self._held.values():
            self._leave(table)
        self._held.clear()
        self._chains.nodes.remove_all()

    def _take_off_added(self, tables: set[int]) -> None:
        for table, key, entry in self._added:
            if id(table) in tables and table.entries.get(key) is entry:
                table.take_off(key)
        self._added = [added for added in self._added if id(added[0]) not in tables]

    def _leave(self, table: HookTable) -> None:
        table.holders -= 1
        if table.holders == 0:
            table.restore()
