"""Count who may have changed a hook dictionary; the last to leave puts it back."""

from __future__ import annotations

from hookviz._live.graph.hooks import HookChains
from hookviz._live.hooks.table import HookEntry, HookTable


class Holding:
    """One explorer's hold on the hook dictionaries of its graph."""

    def __init__(self, chains: HookChains) -> None:
        self._chains = chains
        self._held: dict[int, HookTable] = {}
        self._added: list[tuple[HookTable, int, HookEntry]] = []
        self.renew()

    def renew(self) -> None:
        """Hold dictionaries that have come up since."""
        for number, table in self._chains.tables.items():
            if number not in self._held:
                self._held[number] = table
                table.holders += 1

    def note_added(self, table: HookTable, key: int) -> None:
        """Remember a hook that this explorer has registered."""
        self._added.append((table, key, table.entries[key]))

    def move_to(self, chains: HookChains) -> None:
        """Go over to another graph: what only the earlier one has is put back and let go."""
        self._chains = chains
        gone = [number for number in self._held if number not in chains.tables]
        left = {id(self._held[number]) for number in gone}
        self._take_off_added(left)
        for number in gone:
            self._leave(self._held.pop(number))
        self.renew()

    def release(self) -> None:
        """Take off what this explorer added; restore what nobody else holds."""
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
