"""Carry what an explorer has made of hooks over to the graph of another forward."""

from __future__ import annotations

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import HookChains, dictionaries
from hookviz._live.graph.node_names import plain_name
from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.maker import HookMaker
from hookviz._live.hooks.table import HookEntry, HookTable, table_of
from hookviz._live.internals import HookDict
from hookviz._records import HookKind


class Carrier:
    """Take the hooks of one graph to another one that was made by the same function.

    Hooks on modules and on leaves that last stay where they are. A tensor that the function makes
    anew has the hooks that the function gives it; what the explorer has added, edited, turned off,
    moved or removed on the tensor in the same place is done to it as well.

    Attributes:
        dropped: What the hooks are called that have no place in the new graph.
        added: Those that were registered on tensors of the new graph.
    """

    def __init__(
        self,
        live: LiveGraph,
        chains: HookChains,
        to: tuple[LiveGraph, HookChains],
        *,
        maker: HookMaker,
    ) -> None:
        """Prepare.

        Args:
            live: The graph of before.
            chains: Its hooks.
            to: The new graph, and its hooks.
            maker: Makes typed hooks anew, with the variables of the function's new run.
        """
        self._live, self._chains = live, chains
        self._to, self._to_chains = to
        self._maker = maker
        self.dropped: list[str] = []
        self.added: list[tuple[HookTable, int]] = []

    def carry(self) -> None:
        """Do it."""
        alike = has_same_structure(self._live, self._to)
        lasting = {id(owner.tensor) for owner in self._to.tensors}
        for owner in self._live.tensors:
            if id(owner.tensor) not in lasting:
                for kind, hooks in dictionaries(owner):
                    self._carry_hooks(owner, kind, table_of(hooks), alike=alike)
        for hook in self._chains.nodes.all():
            if not alike:
                self.dropped.append(f"{hook.entry.source.label} ({hook.owner.label})")
                continue
            added = self._to_chains.nodes.put_entry(hook.owner.id, hook.kind, hook.entry)
            self._to_chains.nodes.adopt(added, hook.id)

    def carry_registered(self, table: HookTable, entries: list[HookEntry], keys: list[int]) -> None:
        """Do to hooks that the function has registered on a lasting tensor what was done before.

        Args:
            table: The hooks of the tensor.
            entries: Those that the run before has registered.
            keys: Those that the new run has registered instead.
        """
        for entry, key in zip(entries, keys, strict=False):
            if entry.is_gone:
                table.take_off(key)
            elif entry.is_changed:
                self._change(table, key, entry)
        self.dropped += [e.source.label for e in entries[len(keys) :] if e.is_changed]
        self._to_chains.refresh()

    def _carry_hooks(
        self, owner: LiveTensor, kind: HookKind, table: HookTable, *, alike: bool
    ) -> None:
        other = _counterpart(owner, self._to, alike=alike)
        if other is None:
            self.dropped += [f"{label} ({owner.label})" for label in _changed(table)]
            return
        keys = self._match_users(owner, table, _hooks_of(other, kind))
        ids = {hook.key: hook.id for hook in self._chains.of(owner) if hook.table is table}
        for key, entry in table.entries.items():
            if entry.origin != "explorer":
                continue
            added = self._to_chains.add(other, entry.function, entry.source, kind)
            added.entry.enabled = entry.enabled
            added.table.put(added.key)
            self.added.append((table_of(added.table.hooks), added.key))
            keys[key] = added.key
        hooks = _hooks_of(other, kind)
        if hooks is None:
            return
        self._to_chains.refresh()
        to_table = table_of(hooks)
        for key, to_key in keys.items():
            if key in ids:
                self._to_chains.adopt(hooks, to_key, ids[key])
        order = [keys[key] for key in table.order() if key in keys]
        to_table.reorder(order)
        self._to_chains.refresh()

    def _match_users(
        self, owner: LiveTensor, table: HookTable, hooks: HookDict | None
    ) -> dict[int, int]:
        """Do to the hooks that the function has registered what was done to those of before.

        Returns:
            The new key for each old one: the first hook stands for the first, and so on.
        """
        to_table = None if hooks is None else table_of(hooks)
        to_keys = [] if to_table is None else list(to_table.found)
        keys = dict(zip(table.found, to_keys, strict=False))
        for key in table.found:
            entry = table.entries.get(key)
            is_gone = key in table.taken_off
            if to_table is None or key not in keys:
                if is_gone or (entry is not None and entry.is_changed):
                    label = "" if entry is None else entry.source.label
                    self.dropped.append(f"{label} ({owner.label})".strip())
                continue
            if is_gone:
                to_table.take_off(keys[key])
            elif entry is not None and entry.is_changed:
                self._change(to_table, keys[key], entry)
        return keys

    def _change(self, table: HookTable, key: int, entry: HookEntry) -> None:
        to_entry = table.entries[key]
        if entry.function is not entry.original:
            original = to_entry.original
            to_entry.function = self._maker.made_again(entry.function, entry.source, original)
            to_entry.source = entry.source
        to_entry.enabled = entry.enabled
        table.put(key)


def has_same_structure(one: LiveGraph, other: LiveGraph) -> bool:
    """Return whether two graphs have the same functions, with the same edges between them."""
    return one.edges == other.edges and [plain_name(node) for node in one.nodes.values()] == [
        plain_name(node) for node in other.nodes.values()
    ]


def _hooks_of(owner: LiveTensor, kind: HookKind) -> HookDict | None:
    return dict(dictionaries(owner)).get(kind)


def _counterpart(owner: LiveTensor, live: LiveGraph, *, alike: bool) -> LiveTensor | None:
    """Return the tensor that has the place of another graph's.

    Of two graphs of one structure it is the one in the same slot, of the same name if there are
    more. Of others it is the only one that a variable of the same name in the same function holds.
    """
    if not alike:
        named = [other for other in live.tensors if set(other.names) & set(owner.names)]
        return named[0] if len(named) == 1 else None
    there = [other for other in live.tensors if other.slot == owner.slot]
    named = [other for other in there if other.names == owner.names]
    return next(iter(named or there), None)


def _changed(table: HookTable) -> list[str]:
    """Return what the hooks are called of which the explorer has made something."""
    return [
        entry.source.label
        for entry in table.entries.values()
        if entry.origin == "explorer" or entry.is_changed
    ]
