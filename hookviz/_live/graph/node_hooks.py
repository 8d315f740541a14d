"""Hold the hooks that an explorer puts on backward functions (`torch.autograd.graph.Node`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from msgspec import Struct
from torch.autograd.graph import Node
from torch.utils.hooks import RemovableHandle

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.hooks.chains import Chains
from hookviz._live.hooks.hook import LiveHook
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.stand_in import Listener, StandIn
from hookviz._live.hooks.table import Hook, HookEntry, turned_off
from hookviz._records import HookKind

NODE_KINDS: tuple[HookKind, ...] = ("node_prehook", "node_hook")


class NodeHooks:
    """The hooks of one kind on one node, without the node itself.

    The node holds its hooks, so a way back would be a circle that no collector can see.

    Attributes:
        entries: The hooks by key, in the order in which they run.
        listener: Records a pass now; `None` between recordings.
    """

    def __init__(self, node_id: str, kind: HookKind) -> None:
        self.node_id = node_id
        self.kind = kind
        self.entries: dict[int, HookEntry] = {}
        self.listener: Listener | None = None


class NodeStandIn(StandIn):
    """The function that is registered on the node; it runs the hook that has its key now."""

    __slots__ = ("hooks", "key")

    def __init__(self, hook: Hook, hooks: NodeHooks, key: int) -> None:
        super().__init__(hook)
        self.hooks = hooks
        self.key = key

    @property
    def listener(self) -> Listener | None:
        """The recording of a pass through the graph, if the hook is on."""
        return None if self.standing is turned_off else self.hooks.listener

    @property
    def standing(self) -> Hook:
        """The function that runs now."""
        entry = self.hooks.entries.get(self.key)
        return turned_off if entry is None else entry.standing

    @property
    def place(self) -> int:
        """Its place among those that are on."""
        on = [key for key, entry in self.hooks.entries.items() if entry.enabled]
        return on.index(self.key)


class NodeTable:
    """The hooks of one kind on one node, and the ways to change them (see `Table`)."""

    def __init__(self, node: Node, hooks: NodeHooks) -> None:
        self._node = node
        self.hooks = hooks
        self.entries = hooks.entries
        self._handles: dict[int, RemovableHandle] = {}

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


class NodeName(Struct, frozen=True):
    """A node as the owner of hooks."""

    id: str

    @property
    def label(self) -> str:
        """Its id."""
        return self.id


_keys = itertools.count(1)


class NodeChains(Chains[NodeName]):
    """The hooks of an explorer on the nodes of one graph, those of each node pre-hooks first."""

    def __init__(self, live: LiveGraph, ids: HookIds) -> None:
        super().__init__(ids)
        self._live = live
        self._tables: dict[tuple[str, HookKind], NodeTable] = {}

    def tables(self) -> Iterable[NodeTable]:
        """Return the tables of the nodes with hooks."""
        return self._tables.values()

    def refresh(self) -> None:
        """Take in hooks that were registered or removed since the last look."""
        self._by_owner = {}
        for kind in NODE_KINDS:
            for (node_id, other), table in self._tables.items():
                if other == kind:
                    self._list(NodeName(node_id), kind, table)

    def add(
        self, node_id: str, kind: HookKind, function: Hook, source: HookSource
    ) -> LiveHook[NodeName]:
        """Register a hook for real, at the end of its kind."""
        entry = HookEntry(function)
        entry.source = source
        return self.put_entry(node_id, kind, entry)

    def put_entry(self, node_id: str, kind: HookKind, entry: HookEntry) -> LiveHook[NodeName]:
        """Register what an entry says, at the end of its kind."""
        table = self._tables.get((node_id, kind))
        if table is None:
            table = NodeTable(self._live.nodes[node_id], NodeHooks(node_id, kind))
            self._tables[node_id, kind] = table
        key = next(_keys)
        table.register(key, entry)
        self.refresh()
        return self._added(NodeName(node_id), kind, key, entry.source)

    def adopt(self, hook: LiveHook[NodeName], hook_id: str) -> None:
        """Give a hook the id of its counterpart in another graph."""
        self._ids.adopt(hook.table.hooks, hook.key, hook_id)

    def remove_all(self) -> None:
        """Take every hook off."""
        for table in self._tables.values():
            for key in table.listed():
                table.take_off(key)
        self._tables.clear()
        self.refresh()
