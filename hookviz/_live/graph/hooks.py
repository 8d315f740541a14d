"""Know every hook of a graph: its owner, its place in its chain, and how to swap it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from hookviz._live import internals
from hookviz._live.forward.part import LiveModule
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.module_hooks import ModuleChains
from hookviz._live.graph.node_hooks import NodeChains, NodeName
from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.chains import Chains
from hookviz._live.hooks.hook import LiveHook
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.stand_in import StandIn
from hookviz._live.hooks.table import Hook, HookTable, table_of
from hookviz._live.internals import HookDict
from hookviz._records import HookKind

AnyHook: TypeAlias = LiveHook[LiveTensor] | LiveHook[LiveModule] | LiveHook[NodeName]


class HookChains(Chains[LiveTensor]):
    """The hooks on the tensors of one graph, and beside them those on its modules and nodes.

    Attributes:
        modules: The hooks on modules.
        nodes: The hooks that an explorer has put on nodes.
    """

    def __init__(self, live: LiveGraph, *, ids: HookIds | None = None) -> None:
        """Find the hooks of a graph.

        Args:
            live: The graph.
            ids: Gives hooks their ids; those of an earlier graph go on counting.
        """
        super().__init__(HookIds() if ids is None else ids, live.forward.registers)
        self._live = live
        self.modules = ModuleChains(live.forward, self._ids)
        self.nodes = NodeChains(live, self._ids)
        self.tables: dict[int, HookTable] = {}
        """Every dictionary that was seen, so that it can be restored."""
        self.refresh()

    def refresh(self) -> None:
        """Take in hooks that were registered or removed since the last look."""
        self._by_owner = {}
        for owner in self._live.tensors:
            for kind, hooks in dictionaries(owner):
                table = self.tables[id(hooks)] = table_of(hooks)
                self._list(owner, kind, table)
        self.modules.refresh()
        self.nodes.refresh()
        self.tables.update(self.modules.tables)

    def others(self) -> tuple[LiveHook[LiveModule] | LiveHook[NodeName], ...]:
        """Return every hook on a module or on a node."""
        return (*self.modules.all(), *self.nodes.all())

    def get(self, hook_id: str) -> AnyHook | None:
        """Return the hook with this id: on a tensor, a module or a node."""
        hooks: tuple[AnyHook, ...] = (*self.all(), *self.others())
        return next((hook for hook in hooks if hook.id == hook_id), None)

    def adopt(self, hooks: HookDict, key: int, hook_id: str) -> None:
        """Give a hook the id of its counterpart in another graph."""
        self._ids.adopt(hooks, key, hook_id)

    def add(
        self,
        owner: LiveTensor,
        function: Hook,
        source: HookSource,
        kind: HookKind = "tensor_hook",
    ) -> LiveHook[LiveTensor]:
        """Register a hook of a tensor for real, at the end of the chain."""
        if kind == "tensor_hook":
            handle = owner.tensor.register_hook(function)
        else:
            handle = owner.tensor.register_post_accumulate_grad_hook(function)
        self.refresh()
        hook = self._added(owner, kind, handle.id, source)
        table_of(hook.table.hooks).found.pop(hook.key)
        return hook

    @contextmanager
    def replaced(self, wrap: Callable[[LiveHook[LiveTensor], int], StandIn]) -> Iterator[None]:
        """Have a stand-in run for each hook that is on, and put every one back afterwards.

        Args:
            wrap: Is given a hook and its place among those of its tensor that are on.
        """
        self.refresh()
        entered: list[tuple[StandIn, HookDict, int]] = []
        places: dict[str, int] = {}
        try:
            for hook in self.all():
                if not hook.entry.enabled:
                    continue
                place = places[hook.owner.id] = places.get(hook.owner.id, -1) + 1
                stand_in = wrap(hook, place)
                entered.append((stand_in, hook.table.hooks, hook.key))
                stand_in.enter(hook.table.hooks, hook.key)
            yield
        finally:
            for stand_in, hooks, key in entered:
                stand_in.leave(hooks, key)


@contextmanager
def switched_off(hooks: Iterable[LiveHook[Any]]) -> Iterator[None]:
    """Keep hooks from running within the block; those that are off already stay off after it."""
    chosen = [hook for hook in hooks if hook.entry.enabled]
    try:
        for hook in chosen:
            hook.entry.enabled = False
            hook.table.put(hook.key)
        yield
    finally:
        for hook in chosen:
            hook.entry.enabled = True
            if hook.key in hook.table.entries:
                hook.table.put(hook.key)


def dictionaries(owner: LiveTensor) -> Iterator[tuple[HookKind, HookDict]]:
    """Yield the dictionaries of a tensor in which hooks stand, with their kind."""
    hooks = internals.tensor_hooks(owner.tensor)
    if hooks:
        yield "tensor_hook", hooks
    if not owner.is_leaf:
        return
    hooks = internals.post_accumulate_hooks(owner.tensor)
    if hooks:
        yield "post_accumulate_hook", hooks
