"""Hold the forward behind a graph: its modules, calls, lines and events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import torch
from msgspec import Struct

from hookviz._live.forward.book import CallMark, ModuleEntry
from hookviz._live.forward.log import Seat
from hookviz._records import AnyEvent, CallRecord, ErrorRecord, HookRecord, SourceRecord


class LiveModule(Struct, eq=False):
    """A module of a graph.

    Attributes:
        id, name, type: See `ModuleRecord`.
        module: The module itself, if it is still there.
        entry: Its entry in the book of the watched block.
        count: How many calls of it belong to the graph.
        hooks: Its hooks at its last call; where it is still there, it can be asked.
        notes: See `ModuleRecord`.
    """

    id: str
    name: str
    type: str
    module: torch.nn.Module | None
    entry: ModuleEntry
    count: int = 0
    hooks: tuple[tuple[HookRecord, Seat | None], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its name."""
        return self.name


class LiveCall(Struct, frozen=True):
    """A call that belongs to a graph, and its mark on its backward hooks."""

    record: CallRecord
    module: LiveModule
    mark: CallMark | None


class ForwardPart(Struct):
    """The forward behind a graph, as far as it was watched.

    Attributes:
        modules, calls: In the order of the calls.
        events: The forward events, each with the seat of its hook.
        node_calls: Of each node the innermost call that made it, by ids.
        node_code: Of each node the fields `code_file`, `code_line` and `code_text`.
        sources: The code around all of those.
        names: Names of inner variables, with their tensors.
        notes: Keys of the language tables: limits of the watch.
        registered: Numbers of the hooks that its calls have registered.
        error: What the code around the modules raised, with its line, and what it had printed;
            `None` where nothing was raised, or a call has told it.
    """

    modules: list[LiveModule] = msgspec.field(default_factory=list)
    calls: list[LiveCall] = msgspec.field(default_factory=list)
    events: list[tuple[AnyEvent, Seat | None]] = msgspec.field(default_factory=list)
    node_calls: dict[str, str] = msgspec.field(default_factory=dict)
    node_code: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    sources: tuple[SourceRecord, ...] = ()
    names: list[tuple[str, torch.Tensor]] = msgspec.field(default_factory=list)
    notes: tuple[str, ...] = ()
    registered: list[range] = msgspec.field(default_factory=list)
    error: tuple[ErrorRecord, str] | None = None

    def registers(self, key: int) -> bool:
        """Return whether a call has registered the hook with this number."""
        return any(key in numbers for numbers in self.registered)

    def parameters(self) -> Iterator[tuple[LiveModule, str, torch.Tensor]]:
        """Yield every parameter that is left with its name and the module that has it as its own.

        Found anew each time: a list of them would keep what the graph does not need.
        """
        for module in self.modules:
            for name, parameter in module.entry.parameters_left():
                yield module, name, parameter
