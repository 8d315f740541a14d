"""Know every hook on the modules of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from msgspec import structs
from torch.utils.hooks import RemovableHandle

from hookviz._live.forward.log import Seat
from hookviz._live.forward.part import ForwardPart, LiveModule
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.places import HookPlace, entry_record, places_of, with_flags
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.table import Hook, HookEntry, HookTable, table_of
from hookviz._live.internals import HookDict
from hookviz._records import AnyEvent, HookKind, HookRecord
from hookviz.errors import HookvizError


@dataclass(slots=True)
class ModuleHook:
    """One hook of a module, or of all modules: the dictionary it stands in, and its entry."""

    id: str
    kind: HookKind
    owner: LiveModule
    """The module; of a hook that is common to all modules, one of them."""
    table: HookTable
    key: int
    entry: HookEntry
    is_global: bool
    in_forward: bool = False
    """Whether the call of a module has registered it."""

    @property
    def function(self) -> Hook:
        """What runs when it is on."""
        return self.entry.function

    @property
    def record(self) -> HookRecord:
        """The plain data of it."""
        record = entry_record(self.id, self.kind, self.entry, in_forward=self.in_forward)
        module = self.owner.module
        return record if module is None else with_flags(record, module, self.table.hooks, self.key)


class ModuleChains:
    """The hooks of the modules of one graph, those of each module in the order in which they run.

    Args:
        forward: The modules.
        ids: Gives hooks their ids.
    """

    def __init__(self, forward: ForwardPart, ids: HookIds) -> None:
        self._forward = forward
        self._ids = ids
        self._by_module: dict[str, tuple[ModuleHook, ...]] = {}
        self.tables: dict[int, HookTable] = {}
        """Every dictionary with hooks that was seen, so that it can be restored."""

    def refresh(self) -> None:
        """Take in hooks that were registered or removed since the last look."""
        self._by_module = {
            live.id: tuple(
                hook
                for place in places_of(live.module)
                if place.hooks
                for hook in self._hooks_at(place, live)
            )
            for live in self._forward.modules
            if live.module is not None
        }

    def _hooks_at(self, place: HookPlace, live: LiveModule) -> list[ModuleHook]:
        table = self.tables[id(place.hooks)] = table_of(place.hooks)
        return [
            ModuleHook(
                self._ids.id_at(place.hooks, key),
                place.kind,
                live,
                table,
                key,
                table.entries[key],
                place.is_global,
                self._forward.registers(key),
            )
            for key in table.listed()
        ]

    def add(
        self,
        live: LiveModule,
        kind: HookKind,
        function: Hook,
        source: HookSource,
        *,
        with_kwargs: bool,
    ) -> ModuleHook:
        """Register a hook for real, at the end of the module's hooks of its kind.

        Raises:
            HookvizError: If PyTorch refuses it.
        """
        module = live.module
        if module is None:
            raise HookvizError(f"the module {live.name} is gone, so no hook can be put on it.")
        try:
            handle = _register(module, kind, function, with_kwargs=with_kwargs)
        except RuntimeError as error:
            raise HookvizError(f"PyTorch refuses this hook: {error}") from error
        self.refresh()
        (hook,) = [hook for hook in self.of(live) if hook.kind == kind and hook.key == handle.id]
        hook.table.found.pop(hook.key)
        hook.entry.source, hook.entry.origin = source, "explorer"
        return hook

    def all(self) -> tuple[ModuleHook, ...]:
        """Return every hook of every module that is still there."""
        return tuple(hook for hooks in self._by_module.values() for hook in hooks)

    def of(self, live: LiveModule) -> tuple[ModuleHook, ...]:
        """Return the hooks of one module, kind by kind in the order in which they run."""
        return self._by_module.get(live.id, ())

    def records_of(self, live: LiveModule) -> tuple[HookRecord, ...]:
        """Return the plain data of a module's hooks; of one that is gone, as they were last."""
        if live.module is not None:
            return tuple(hook.record for hook in self.of(live))
        return tuple(self.renamed(record, seat) for record, seat in live.hooks)

    def record_at(self, hooks: HookDict, key: int, kind: HookKind, entry: HookEntry) -> HookRecord:
        """Return the plain data of a hook by where it stands, or stood."""
        in_forward = self._forward.registers(key)
        return entry_record(self._ids.id_at(hooks, key), kind, entry, in_forward=in_forward)

    def renamed(self, record: HookRecord, seat: Seat | None) -> HookRecord:
        """Return a record of a watched block with the id that the hook has in this graph."""
        hooks, key = (None, -1) if seat is None else (seat[0](), seat[1])
        # Of a dictionary that is gone, the reference itself stands for the place.
        where: object = hooks if hooks is not None else seat[0] if seat is not None else record
        in_forward = self._forward.registers(key)
        return replace(record, id=self._ids.id_at(where, key), in_forward=in_forward)


def _register(
    module: torch.nn.Module, kind: HookKind, function: Hook, *, with_kwargs: bool
) -> RemovableHandle:
    if kind == "module_forward_pre_hook":
        return module.register_forward_pre_hook(function, with_kwargs=with_kwargs)
    if kind == "module_forward_hook":
        return module.register_forward_hook(function, with_kwargs=with_kwargs)
    if kind == "module_backward_pre_hook":
        return module.register_full_backward_pre_hook(function)
    return module.register_full_backward_hook(function)


def forward_events(forward: ForwardPart, chains: ModuleChains) -> Iterator[AnyEvent]:
    """Yield the forward events of a graph, numbered, their hooks with their ids in it."""
    for index, (event, seat) in enumerate(forward.events):
        changes: dict[str, Any] = {"index": index}
        if event.hook is not None:
            hook = changes["hook"] = chains.renamed(event.hook, seat)
            if event.error is not None and event.error.hook is not None:
                changes["error"] = replace(event.error, hook=hook)
        yield structs.replace(event, **changes)
