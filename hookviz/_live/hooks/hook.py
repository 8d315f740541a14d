"""Know one hook of a graph: its owner, the table in which it stands, and its entry there."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

import torch
from msgspec import Struct

from hookviz._live.hooks.places import MODULE_KINDS, hook_record
from hookviz._live.hooks.table import Hook, HookEntry
from hookviz._records import HookKind, HookRecord


class Owner(Protocol):
    """An object that hooks stand on: a tensor, a module, a call of a module, or a node."""

    @property
    def id(self) -> str:
        """Its id in the graph, such as `t0`, `m0` or `n0`."""

    @property
    def label(self) -> str:
        """The name that a reader knows it by."""


class CallName(Struct, frozen=True):
    """One call of a module, as events name it: the name of the module, and the call's number."""

    module: str
    number: int

    @property
    def label(self) -> str:
        """The name of the module."""
        return self.module

    id = label


class Table(Protocol):
    """The hooks of one kind on one owner, and the ways to change them."""

    @property
    def entries(self) -> dict[int, HookEntry]:
        """The hooks by key."""

    @property
    def hooks(self) -> Any:
        """PyTorch's dictionary, or the object that takes its place on a node."""

    def put(self, key: int) -> None:
        """Have PyTorch run what the entry says."""

    def take_off(self, key: int) -> HookEntry:
        """Remove a hook and return its entry."""

    def put_back(self, key: int, entry: HookEntry, order: list[int]) -> None:
        """Undo `take_off`; `order` are the keys as they were."""

    def listed(self) -> list[int]:
        """Return the keys of the hooks that are there, in the order in which they run."""

    def order(self) -> list[int]:
        """Return all keys as `put_back` wants them."""

    def reorder(self, keys: list[int]) -> None:
        """Put the hooks into another order."""


OwnerT_co = TypeVar("OwnerT_co", bound=Owner, covariant=True)


class LiveHook(Generic[OwnerT_co], Struct, eq=False):
    """One hook of a graph, on a tensor, a module or a node."""

    id: str
    kind: HookKind
    owner: OwnerT_co
    """What it stands on; of a hook that is common to all modules, one of them."""
    table: Table
    key: int
    entry: HookEntry
    in_forward: bool = False
    """Whether the call of a module has registered it."""
    module: torch.nn.Module | None = None
    """The module it stands on, while that is still there."""

    @property
    def function(self) -> Hook:
        """The function that runs when the hook is on."""
        return self.entry.function

    @property
    def is_on_module(self) -> bool:
        """Whether it stands on a module."""
        return self.kind in MODULE_KINDS

    @property
    def record(self) -> HookRecord:
        """The plain data of it."""
        return hook_record(
            self.id,
            self.kind,
            self.entry,
            in_forward=self.in_forward,
            module=self.module,
            hooks=self.table.hooks,
            key=self.key,
        )
