"""Count who may have changed a hook dictionary; the last to leave puts it back."""

from __future__ import annotations

from hookviz.live.chain import HookChains
from hookviz.live.table import HookEntry, HookTable


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

    def release(self) -> None:
        """Take off what this explorer added; restore what nobody else holds."""
        self.renew()
        for table, key, entry in self._added:
            if table.entries.get(key) is entry:
                table.take_off(key)
        for table in self._held.values():
            table.holders -= 1
            if table.holders == 0:
                table.restore()
        self._held.clear()
