"""Keep the book of modules and their calls while they run: plain data, and weak references."""

from __future__ import annotations

import weakref
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from types import CodeType

import msgspec
import torch
from msgspec import Struct
from torch.utils.hooks import RemovableHandle
from torch.utils.weak import TensorWeakRef

from hookviz._live import internals
from hookviz._live.forward.module_names import ModuleNames
from hookviz._live.hooks.stand_in import Listener
from hookviz._live.user.names import Namespace
from hookviz._records import HookRecord

CodePlace = tuple[CodeType, int]
"""A line of code: the function it stands in, and its number."""


class CallMark:
    """The mark of one call on its backward hooks, for as long as its graph lives.

    Attributes:
        listener: Records a pass through that graph now; `None` between recordings.
        has_input_grad: Whether a positional argument of the call requires grad.
        hooks: Where its backward hooks stand, by dictionary and key.
    """

    __slots__ = ("__weakref__", "has_input_grad", "hooks", "listener")

    def __init__(self) -> None:
        self.listener: Listener | None = None
        self.has_input_grad = True
        self.hooks: set[tuple[int, int]] = set()


class ModuleEntry(Struct, eq=False):
    """One module that was called."""

    name: str
    type: str
    module: weakref.ref[torch.nn.Module]
    count: int = 0
    """How many calls of it have begun."""
    hooks: tuple[HookRecord, ...] = ()
    """Its hooks as they were at its last call."""
    notes: dict[str, None] = msgspec.field(default_factory=dict)
    parameters: dict[str, TensorWeakRef] = msgspec.field(default_factory=dict)
    """Its own at its first call: a graph keeps them when the module itself is gone."""

    def parameters_left(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the parameters of the module, or of its first call if the module is gone."""
        module = self.module()
        if module is not None:
            yield from module.named_parameters(recurse=False)
            return
        for name, reference in self.parameters.items():
            parameter = reference()
            if parameter is not None:
                yield name, parameter


class CallEntry(Struct, eq=False):
    """One call of a module."""

    module: ModuleEntry
    number: int
    parent: CallEntry | None
    place: CodePlace | None
    begin: int
    """Number of the first node that can be made in it, in its thread."""
    end: int | None = None
    """Number of the first node after it; `None` while it runs."""
    mark: weakref.ref[CallMark] | None = None
    first_hook: int = 0
    """Number of the first hook that can be registered in it."""
    registered: range = range(0)
    """Numbers of the hooks that were registered in it, once it is over."""
    inside: int | None = None
    """Number of the node of a custom function in whose forward it runs, without a graph."""

    def finish(self) -> None:
        """Note that the call is over."""
        self.end = internals.sequence_number()
        self.registered = range(self.first_hook, RemovableHandle.next_id)

    def made(self, number: int) -> bool:
        """Return whether the call made the node with a number, counted in its thread."""
        return self.begin <= number and (self.end is None or number < self.end)

    def belongs_to(self, numbers: Sequence[int]) -> bool:
        """Return whether the call made one of some nodes (in ascending order), or is inside one."""
        if self.inside is not None and self.inside in numbers:
            return True
        place = bisect_left(numbers, self.begin)
        return place < len(numbers) and self.made(numbers[place])

    @property
    def outermost(self) -> CallEntry:
        """The outermost watched call around this one."""
        call = self
        while call.parent is not None:
            call = call.parent
        return call


class CallBook:
    """The modules and calls of one block, in the order in which the calls began."""

    def __init__(self) -> None:
        self.modules: list[ModuleEntry] = []
        self.calls: list[CallEntry] = []
        self.names = ModuleNames()
        self._by_id: dict[int, ModuleEntry] = {}

    def entry_of(self, module: torch.nn.Module) -> ModuleEntry | None:
        """Return the entry of a module."""
        entry = self._by_id.get(id(module))
        return entry if entry is not None and entry.module() is module else None

    def add_module(self, module: torch.nn.Module, name: str) -> ModuleEntry:
        """Make an entry for a new module."""
        entry = ModuleEntry(name, type(module).__name__, weakref.ref(module))
        for path, parameter in module.named_parameters(recurse=False):
            entry.parameters[path] = TensorWeakRef(parameter)
        self.modules.append(entry)
        self._by_id[id(module)] = entry
        return entry

    def name_module(
        self,
        module: torch.nn.Module,
        around: tuple[torch.nn.Module, ...],
        spaces: tuple[Namespace, ...],
    ) -> ModuleEntry:
        """Return the entry of a module; a new module gets a name and an entry."""
        entry = self.entry_of(module)
        if entry is None:
            entry = self.add_module(module, self.names.name(module, around, spaces))
        return entry

    def begin(
        self, module: ModuleEntry, parent: CallEntry | None, place: CodePlace | None
    ) -> CallEntry:
        """Note that a call of a module begins."""
        call = CallEntry(module, module.count, parent, place, internals.sequence_number())
        call.first_hook = RemovableHandle.next_id
        module.count += 1
        self.calls.append(call)
        return call
