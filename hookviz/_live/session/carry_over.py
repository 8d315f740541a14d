"""Make an explorer's changes of hooks again in the graph of a new forward."""

from __future__ import annotations

from collections.abc import Sequence

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import dictionaries
from hookviz._live.graph.node_names import plain_name
from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.maker import HookMaker
from hookviz._live.hooks.table import HookEntry, HookTable, table_of
from hookviz._live.session.ready_graph import ReadyGraph
from hookviz._records import HookKind


class CarryOver:
    """The changes of hooks in one graph, to be made again in another one of the same function.

    Hooks on modules and on leaves that last stay where they are. A tensor that the function makes
    anew has the hooks that the function gives it; what the explorer has added, edited, turned off,
    moved or removed on the tensor in the same place is done to it as well.

    Attributes:
        dropped: The labels of the hooks that have no place in the new graph.
        added: The hooks that were registered on tensors of the new graph.
    """

    def __init__(self, old: ReadyGraph, new: ReadyGraph, *, maker: HookMaker) -> None:
        """Take two graphs.

        Args:
            old: The graph in which hooks were changed.
            new: The graph in which to change them.
            maker: Makes hooks from text anew, with the variables of the function's new run.
        """
        self._old, self._new = old, new
        self._maker = maker
        self.dropped: list[str] = []
        self.added: list[tuple[HookTable, int]] = []

    def carry(self) -> None:
        """Change the hooks of the new graph."""
        alike = has_same_structure(self._old.live, self._new.live)
        lasting = {id(owner.tensor) for owner in self._new.live.tensors}
        for owner in self._old.live.tensors:
            if id(owner.tensor) not in lasting:
                for kind, hooks in dictionaries(owner):
                    self._carry_hooks(owner, kind, table_of(hooks), alike=alike)
        for hook in self._old.chains.nodes.all():
            if not alike:
                self.dropped.append(f"{hook.entry.source.label} ({hook.owner.label})")
                continue
            added = self._new.chains.nodes.put_entry(hook.owner.id, hook.kind, hook.entry)
            self._new.chains.nodes.adopt(added, hook.id)

    def change_again(
        self, entries: Sequence[HookEntry], table: HookTable | None, keys: Sequence[int], where: str
    ) -> None:
        """Change hooks that the function has registered anew as the explorer changed those before.

        Args:
            entries: The hooks that an earlier run of the function has registered.
            table: The dictionary with the new hooks; `None` where there is none.
            keys: Their keys: the first one stands for the first entry, and so on.
            where: The owner of the hooks, for the label of one that has no place.
        """
        for place, entry in enumerate(entries):
            if not (entry.is_gone or entry.is_changed):
                continue
            if table is None or place >= len(keys):
                self.dropped.append(f"{entry.source.label} ({where})")
            elif entry.is_gone:
                table.take_off(keys[place])
            else:
                self._change(table, keys[place], entry)

    def _carry_hooks(
        self, owner: LiveTensor, kind: HookKind, table: HookTable, *, alike: bool
    ) -> None:
        other = _counterpart(owner, self._new.live, alike=alike)
        if other is None:
            self.dropped += [f"{label} ({owner.label})" for label in _changed(table)]
            return
        hooks = dict(dictionaries(other)).get(kind)
        to_table = None if hooks is None else table_of(hooks)
        to_keys = [] if to_table is None else list(to_table.found)
        entries = [_found_entry(table, key) for key in table.found]
        self.change_again(entries, to_table, to_keys, owner.label)
        keys = dict(zip(table.found, to_keys, strict=False))
        ids = {hook.key: hook.id for hook in self._old.chains.of(owner) if hook.table is table}
        for key, entry in table.entries.items():
            if entry.origin != "explorer":
                continue
            added = self._new.chains.add(other, entry.function, entry.source, kind)
            added.entry.enabled = entry.enabled
            added.table.put(added.key)
            self.added.append((table_of(added.table.hooks), added.key))
            keys[key] = added.key
        hooks = dict(dictionaries(other)).get(kind)
        if hooks is None:
            return
        self._new.chains.refresh()
        to_table = table_of(hooks)
        for key, to_key in keys.items():
            if key in ids:
                self._new.chains.adopt(hooks, to_key, ids[key])
        order = [keys[key] for key in table.order() if key in keys]
        to_table.reorder(order)
        self._new.chains.refresh()

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


def _found_entry(table: HookTable, key: int) -> HookEntry:
    """Return the entry of a hook of the user's, also of one that was removed."""
    entry = table.entries.get(key)
    if entry is None:
        entry = HookEntry(table.found[key])
        entry.is_gone = key in table.taken_off
    return entry


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
    """Return the labels of the hooks that the explorer has added or changed."""
    return [
        entry.source.label
        for entry in table.entries.values()
        if entry.origin == "explorer" or entry.is_changed
    ]
