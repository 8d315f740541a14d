"""Know every hook on the modules of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from msgspec import structs
from msgspec.structs import replace
from torch.utils.hooks import RemovableHandle

from hookviz._live.forward.log import Seat
from hookviz._live.forward.part import ForwardPart, LiveModule
from hookviz._live.hooks.chains import Chains
from hookviz._live.hooks.hook import LiveHook
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.places import places_of
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.table import Hook, HookTable, table_of
from hookviz._records import AnyEvent, HookKind, HookRecord
from hookviz.errors import HookvizError


class ModuleChains(Chains[LiveModule]):
    """The hooks of the modules of one graph, those of each module in the order in which they run.

    Args:
        forward: The modules.
        ids: Gives hooks their ids.
    """

    def __init__(self, forward: ForwardPart, ids: HookIds) -> None:
        super().__init__(ids, forward.registers)
        self._forward = forward
        self.tables: dict[int, HookTable] = {}
        """Every dictionary with hooks that was seen, so that it can be restored."""

    def refresh(self) -> None:
        """Take in hooks that were registered or removed since the last look."""
        self._by_owner = {}
        for live in self._forward.modules:
            for place in () if live.module is None else places_of(live.module):
                if place.hooks:
                    table = self.tables[id(place.hooks)] = table_of(place.hooks)
                    self._list(live, place.kind, table, live.module)

    def add(
        self,
        live: LiveModule,
        kind: HookKind,
        function: Hook,
        source: HookSource,
        *,
        with_kwargs: bool,
    ) -> LiveHook[LiveModule]:
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
        hook = self._added(live, kind, handle.id, source)
        table_of(hook.table.hooks).found.pop(hook.key)
        return hook

    def records_of(self, live: LiveModule) -> tuple[HookRecord, ...]:
        """Return the records of a module's hooks; of a module that is gone, the last ones."""
        if live.module is not None:
            return tuple(hook.record for hook in self.of(live))
        return tuple(self.renamed(record, seat) for record, seat in live.hooks)

    def seat(self, where: object, key: int) -> tuple[str, bool]:
        """Return the id of a hook by its dictionary and key, and whether a call registered it."""
        return self._ids.id_at(where, key), self._registers(key)

    def renamed(self, record: HookRecord, seat: Seat | None) -> HookRecord:
        """Return a record of a watched block with the id that the hook has in this graph."""
        hooks, key = (None, -1) if seat is None else (seat[0](), seat[1])
        # Of a dictionary that is gone, the reference itself stands for the place.
        where: object = hooks if hooks is not None else seat[0] if seat is not None else record
        hook_id, in_forward = self.seat(where, key)
        return replace(record, id=hook_id, in_forward=in_forward)


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
