"""List the hooks on owners of one sort: the tensors, the modules or the nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import torch

from hookviz._live.hooks.hook import LiveHook, Owner, Table
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.source import HookSource
from hookviz._records import HookKind

OwnerT = TypeVar("OwnerT", bound=Owner)


class Chains(Generic[OwnerT]):
    """The hooks on owners of one sort, as they stood when they were last listed."""

    def __init__(self, ids: HookIds, registers: Callable[[int], bool] | None = None) -> None:
        """Start with no hooks.

        Args:
            ids: Gives hooks their ids.
            registers: Returns whether the call of a module has registered the hook under a key.
        """
        self._ids = ids
        self._registers = registers or (lambda _: False)
        self._by_owner: dict[str, list[LiveHook[OwnerT]]] = {}

    def all(self) -> tuple[LiveHook[OwnerT], ...]:
        """Return every hook, owner by owner, in the order in which they run."""
        return tuple(hook for hooks in self._by_owner.values() for hook in hooks)

    def of(self, owner: OwnerT) -> tuple[LiveHook[OwnerT], ...]:
        """Return the hooks of one owner in the order in which they run."""
        return tuple(self._by_owner.get(owner.id, ()))

    def _list(
        self, owner: OwnerT, kind: HookKind, table: Table, module: torch.nn.Module | None = None
    ) -> None:
        """Append the hooks of a table to those of an owner."""
        self._by_owner.setdefault(owner.id, []).extend(
            LiveHook(
                self._ids.id_at(table.hooks, key),
                kind,
                owner,
                table,
                key,
                table.entries[key],
                self._registers(key),
                module,
            )
            for key in table.listed()
        )

    def _added(
        self, owner: OwnerT, kind: HookKind, key: int, source: HookSource
    ) -> LiveHook[OwnerT]:
        """Return a hook that an explorer has just registered, and note that it has."""
        (hook,) = [hook for hook in self.of(owner) if hook.kind == kind and hook.key == key]
        hook.entry.source, hook.entry.origin = source, "explorer"
        return hook
