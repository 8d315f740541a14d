"""Hold the hooks that an explorer puts on backward functions (`torch.autograd.graph.Node`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.places import entry_record
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.stand_in import StandIn
from hookviz._live.hooks.table import Hook, HookEntry
from hookviz._records import HookKind, HookRecord

NODE_KINDS: tuple[HookKind, ...] = ("node_prehook", "node_hook")


class Listener(Protocol):
    """Who records a pass through the graph."""

    def run(self, hook: NodeStandIn, args: tuple[Any, ...]) -> Any:
        """Run the hook, and write down what it did."""


class NodeHooks:
    """What the hooks of one kind on one node know of each other; nothing of the node itself.

    The node holds its hooks, so that a way back would be a circle that nobody can see.

    Attributes:
        entries: The hooks by key, in the order in which they run.
        listener: Who records a pass now; `None` between recordings.
    """

    def __init__(self, node_id: str, kind: HookKind) -> None:
        self.node_id = node_id
        self.kind = kind
        self.entries: dict[int, HookEntry] = {}
        self.listener: Listener | None = None


class NodeStandIn(StandIn):
    """What is registered on the node: it runs what stands under its key by now."""

    __slots__ = ("hooks", "key")

    def __init__(self, hook: Hook, hooks: NodeHooks, key: int) -> None:
        super().__init__(hook)
        self.hooks = hooks
        self.key = key

    @property
    def entry(self) -> HookEntry:
        """What is known of the hook."""
        return self.hooks.entries[self.key]

    @property
    def place(self) -> int:
        """Its place among those that are on."""
        on = [key for key, entry in self.hooks.entries.items() if entry.enabled]
        return on.index(self.key)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hook, and let a recording of this graph note it."""
        entry = self.hooks.entries.get(self.key)
        if entry is None or not entry.enabled:
            return None
        listener = self.hooks.listener
        return entry.function(*args) if listener is None else listener.run(self, args)


class NodeTable:
    """The hooks of one kind on one node, with what `HookTable` offers to change them."""

    def __init__(self, node: Node, hooks: NodeHooks) -> None:
        self._node = node
        self.hooks = hooks
        self._handles: dict[int, RemovableHandle] = {}

    @property
    def entries(self) -> dict[int, HookEntry]:
        """The hooks by key."""
        return self.hooks.entries

    def register(self, key: int, entry: HookEntry) -> None:
        """Register a hook for real, after those that are there."""
        self.entries[key] = entry
        stand_in = NodeStandIn(entry.function, self.hooks, key)
        is_pre = self.hooks.kind == "node_prehook"
        register = self._node.register_prehook if is_pre else self._node.register_hook
        self._handles[key] = register(stand_in)

    def put(self, key: int) -> None:
        """Have PyTorch run what the entry says: the stand-in looks it up each time."""

    def take_off(self, key: int) -> HookEntry:
        """Remove a hook and return its entry."""
        self._handles.pop(key).remove()
        return self.entries.pop(key)

    def listed(self) -> list[int]:
        """Return the keys in the order in which the hooks run."""
        return list(self.entries)

    order = listed

    def put_back(self, key: int, entry: HookEntry, order: list[int]) -> None:
        """Undo `take_off`; `order` are the keys as they were."""
        self.register(key, entry)
        self.reorder(order)

    def reorder(self, keys: list[int]) -> None:
        """Put the hooks into another order: the node runs them as they were registered."""
        entries = {key: self.take_off(key) for key in self.listed()}
        for key in [*keys, *(key for key in entries if key not in keys)]:
            if key in entries:
                self.register(key, entries[key])


@dataclass(frozen=True, slots=True)
class NodeName:
    """A node as the owner of hooks."""

    id: str

    @property
    def label(self) -> str:
        """Its id."""
        return self.id


@dataclass(slots=True)
class NodeHook:
    """One hook of an explorer on a node."""

    id: str
    kind: HookKind
    owner: NodeName
    table: NodeTable
    key: int
    entry: HookEntry

    @property
    def function(self) -> Hook:
        """What runs when it is on."""
        return self.entry.function

    @property
    def record(self) -> HookRecord:
        """The plain data of it."""
        return entry_record(self.id, self.kind, self.entry)


_keys = itertools.count(1)


class NodeChains:
    """The hooks of an explorer on the nodes of one graph."""

    def __init__(self, live: LiveGraph, ids: HookIds) -> None:
        self._live = live
        self._ids = ids
        self._tables: dict[tuple[str, HookKind], NodeTable] = {}

    def tables(self) -> Iterable[NodeTable]:
        """Return what is known of each node with hooks."""
        return self._tables.values()

    def all(self) -> tuple[NodeHook, ...]:
        """Return every hook, node by node, pre-hooks first."""
        return tuple(
            self._hook(table, key)
            for _, table in sorted(self._tables.items(), key=lambda item: item[0][1] == "node_hook")
            for key in table.listed()
        )

    def of(self, node_id: str) -> tuple[NodeHook, ...]:
        """Return the hooks of one node."""
        return tuple(hook for hook in self.all() if hook.owner.id == node_id)

    def add(self, node_id: str, kind: HookKind, function: Hook, source: HookSource) -> NodeHook:
        """Register a hook for real, at the end of its kind."""
        entry = HookEntry(function)
        entry.source, entry.origin = source, "explorer"
        return self.put_entry(node_id, kind, entry)

    def put_entry(self, node_id: str, kind: HookKind, entry: HookEntry) -> NodeHook:
        """Register what an entry says, at the end of its kind."""
        table = self._tables.get((node_id, kind))
        if table is None:
            table = NodeTable(self._live.nodes[node_id], NodeHooks(node_id, kind))
            self._tables[node_id, kind] = table
        key = next(_keys)
        table.register(key, entry)
        return self._hook(table, key)

    def adopt(self, hook: NodeHook, hook_id: str) -> None:
        """Give a hook the id of the one that it stands for."""
        self._ids.adopt(hook.table.hooks, hook.key, hook_id)

    def remove_all(self) -> None:
        """Take every hook off."""
        for table in self._tables.values():
            for key in table.listed():
                table.take_off(key)
        self._tables.clear()

    def _hook(self, table: NodeTable, key: int) -> NodeHook:
        hooks = table.hooks
        return NodeHook(
            self._ids.id_at(hooks, key),
            hooks.kind,
            NodeName(hooks.node_id),
            table,
            key,
            table.entries[key],
        )
