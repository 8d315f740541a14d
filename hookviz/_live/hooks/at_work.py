"""Name the hook that runs, for the case that it raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hookviz._records import HookKind, HookRecord


@dataclass(frozen=True, slots=True)
class CallName:
    """What a call is called in events: the name of its module, and its number."""

    module: str
    number: int

    @property
    def label(self) -> str:
        """The name of the module."""
        return self.module


class Labelled(Protocol):
    """Anything that has hooks: a tensor or a module."""

    @property
    def label(self) -> str:
        """What a reader calls it."""


class HookAtWork(Protocol):
    """A hook that runs, or whose result PyTorch is looking at."""

    @property
    def kind(self) -> HookKind:
        """Which of PyTorch's registration methods it belongs to."""

    @property
    def owner(self) -> Labelled:
        """What it stands on."""

    @property
    def record(self) -> HookRecord:
        """The plain data of it."""


@dataclass(frozen=True, slots=True)
class ModuleHookAtWork:
    """A backward hook of a module during one call's backward."""

    record: HookRecord
    call: CallName

    @property
    def kind(self) -> HookKind:
        """Which of PyTorch's registration methods it belongs to."""
        return self.record.kind

    @property
    def owner(self) -> CallName:
        """The module it stands on."""
        return self.call
