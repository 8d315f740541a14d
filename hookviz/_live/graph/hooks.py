"""Know every hook of a graph: its tensor, its place in its chain, and how to swap it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hookviz._live import internals
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.module_hooks import ModuleChains, ModuleHook
from hookviz._live.graph.node_hooks import NodeChains, NodeHook
from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.places import entry_record
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.table import Hook, HookEntry, HookTable, table_of
from hookviz._live.internals import HookDict
from hookviz._records import HookKind, HookRecord


@dataclass(slots=True)
class LiveHook:
    """One hook of a graph: its tensor, the dictionary of PyTorch it stands in, and its entry."""

    id: str
    kind: HookKind
    owner: LiveTensor
    table: HookTable
    key: int
    entry: HookEntry
    in_forward: bool = False
    """Whether the call of a module has registered it."""

    @property
    def function(self) -> Hook:
        """What runs when it is on."""
        return self.entry.function

    @property
    def record(self) -> HookRecord:
        """The plain data of it."""
        return entry_record(self.id, self.kind, self.entry, in_forward=self.in_forward)


AnyHook = LiveHook | ModuleHook | NodeHook


class HookChains:
    """All hooks on the tensors and modules of one graph, found again before each use.

    Attributes:
        modules: Those on modules.
        nodes: Those that were put on nodes.
    """

    def __init__(self, live: LiveGraph, *, ids: HookIds | None = None) -> None:
        """Find the hooks of a graph.

        Args:
            live: The graph.
            ids: Gives hooks their ids; those of an earlier graph go on counting.
        """
        self._live = live
        self._hooks: dict[str, LiveHook] = {}
        self._ids = HookIds() if ids is None else ids
        self.modules = ModuleChains(live.forward, self._ids)
        self.nodes = NodeChains(live, self._ids)
        self.tables: dict[int, HookTable] = {}
        """Every dictionary that was seen, so that it can be restored."""
        self.refresh()

    def refresh(self) -> None:
        """Take in hooks that were registered or removed since the last look."""
        self._hooks = {}
        for owner in self._live.tensors:
            for kind, hooks in dictionaries(owner):
                table = self.tables[id(hooks)] = table_of(hooks)
                for key in table.listed():
                    hook_id = self._ids.id_at(hooks, key)
                    in_forward = self._live.forward.registers(key)
                    self._hooks[hook_id] = LiveHook(
                        hook_id, kind, owner, table, key, table.entries[key], in_forward
                    )
        self.modules.refresh()
        self.tables.update(self.modules.tables)

    def all(self) -> tuple[LiveHook, ...]:
        """Return every hook on a tensor, tensor by tensor, in the order in which they run."""
        return tuple(self._hooks.values())

    def of(self, owner: LiveTensor) -> tuple[LiveHook, ...]:
        """Return the hooks of one tensor in the order in which they run."""
        return tuple(hook for hook in self._hooks.values() if hook.owner is owner)

    def get(self, hook_id: str) -> AnyHook | None:
        """Return the hook with this id, on whatever it stands."""
        others = (hook for hook in self.others() if hook.id == hook_id)
        return self._hooks.get(hook_id) or next(others, None)

    def adopt(self, hooks: HookDict, key: int, hook_id: str) -> None:
        """Give a hook the id of the one of another graph that it stands for."""
        self._ids.adopt(hooks, key, hook_id)

    def others(self) -> tuple[ModuleHook | NodeHook, ...]:
        """Return every hook on a module or on a node."""
        return (*self.modules.all(), *self.nodes.all())

    def add(
        self,
        owner: LiveTensor,
        function: Hook,
        source: HookSource,
        kind: HookKind = "tensor_hook",
    ) -> LiveHook:
        """Register a hook of a tensor for real, at the end of the chain."""
        if kind == "tensor_hook":
            handle = owner.tensor.register_hook(function)
            hooks = internals.tensor_hooks(owner.tensor)
        else:
            handle = owner.tensor.register_post_accumulate_grad_hook(function)
            hooks = internals.post_accumulate_hooks(owner.tensor)
        self.refresh()
        (hook,) = [
            hook for hook in self.of(owner) if hook.table.hooks is hooks and hook.key == handle.id
        ]
        hook.table.found.pop(hook.key)
        hook.entry.source, hook.entry.origin = source, "explorer"
        return hook

    @contextmanager
    def replaced(self, wrap: Callable[[LiveHook, int], Hook]) -> Iterator[None]:
        """Run each hook that is on through a wrapper, and put every one back afterwards.

        Replacing the value under a key keeps its place in PyTorch's order.

        Args:
            wrap: Is given a hook and its place among those of its tensor that are on.
        """
        self.refresh()
        wrappers: list[tuple[LiveHook, Hook, Hook]] = []
        places: dict[str, int] = {}
        try:
            for hook in self.all():
                if not hook.entry.enabled:
                    continue
                place = places[hook.owner.id] = places.get(hook.owner.id, -1) + 1
                wrapper, standing = wrap(hook, place), hook.table.hooks[hook.key]
                wrappers.append((hook, wrapper, standing))
                hook.table.hooks[hook.key] = wrapper
            yield
        finally:
            for hook, wrapper, standing in wrappers:
                # A hook that removed or replaced itself while it ran stays as it left things.
                if hook.table.hooks.get(hook.key) is wrapper:
                    hook.table.hooks[hook.key] = standing


@contextmanager
def switched_off(hooks: Iterable[AnyHook]) -> Iterator[None]:
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
