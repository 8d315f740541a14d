"""Hold the tree of groups: each can be drawn as one box."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from hookviz._records import CallRecord, GraphRecord, ModuleRecord
from hookviz._view.text.message import Text

GroupKind = Literal["call", "fold", "range", "repeat", "stretch"]

TOP = ""
"""The id that stands for the whole graph, which is no box."""


class Group(Struct, frozen=True, kw_only=True):
    """Nodes that are drawn as one box until it is opened.

    Attributes:
        id: `k0`, ... of a module's call; `g0`, ... of everything that hookviz itself put together.
        kind: `call` of a module; `fold` of repetitions that are alike; `range` of some of those;
            one `repeat` of several items; `stretch` of functions that are not alike.
        parent: Id of the group around it, or `TOP`.
        title: The title of its box.
        type: The class of the module; of a fold, the repeated part.
        items: Ids of the nodes and groups directly inside, in an order in which forward can have
            made them.
        count: How many repetitions a fold or range holds; else 1.
        first: Number of the first of them, from 1.
        size: How many functions are inside, at any depth.
        call, module: Present for kind `call`.
        is_called_again: Whether its module was called more than once.
    """

    id: str
    kind: GroupKind
    parent: str
    title: Text
    type: Text
    items: tuple[str, ...]
    count: int = 1
    first: int = 1
    size: int = 0
    call: CallRecord | None = None
    module: ModuleRecord | None = None
    is_called_again: bool = False

    @property
    def name(self) -> str:
        """The name that a user types: the name of the module, else the id."""
        return self.module.name if self.module is not None else self.id


class GroupTree:
    """The groups of one graph; built once, never changed.

    Attributes:
        groups: By id, outer ones first.
        top: Ids of the nodes and groups that are in no group.
        owner: Id of the innermost group of each node, or `TOP`. The node of a parameter's leaf
            belongs where the parameter is used.
        tensor_owner: The same for tensors that are not at `TOP`.
        through: The nodes of backward hooks of modules, which are never drawn on their own.
    """

    def __init__(
        self,
        graph: GraphRecord,
        groups: Mapping[str, Group],
        top: Sequence[str],
        owner: Mapping[str, str],
        tensor_owner: Mapping[str, str],
        through: Collection[str],
    ) -> None:
        self.groups = groups
        self.top = tuple(top)
        self.owner = owner
        self.tensor_owner = tensor_owner
        self.through = frozenset(through)
        self._chains: dict[str, tuple[str, ...]] = {TOP: ()}
        names = {module.id: module.name for module in graph.modules}
        self._calls = {(names.get(call.module, ""), call.number): call for call in graph.calls}
        self._parents = {call.id: call.parent for call in graph.calls}

    def items(self, group_id: str) -> tuple[str, ...]:
        """Return the nodes and groups directly inside a group, or in no group for `TOP`."""
        return self.top if group_id == TOP else self.groups[group_id].items

    def inner(self, group_id: str) -> Iterator[Group]:
        """Yield the groups directly inside a group."""
        for item in self.items(group_id):
            if item in self.groups:
                yield self.groups[item]

    def chain(self, group_id: str) -> tuple[str, ...]:
        """Return the groups around and including this one, from the outside in."""
        known = self._chains.get(group_id)
        if known is None:
            known = (*self.chain(self.groups[group_id].parent), group_id)
            self._chains[group_id] = known
        return known

    def call_of(self, module: str | None, number: int | None) -> str:
        """Return the box of a call by its module's name and its number.

        A call that left nothing to draw has none; then it is the box around it, or `TOP`.
        """
        call = self._calls.get((module or "", number or 0))
        inside = None if call is None else call.id
        while inside is not None and inside not in self.groups:
            inside = self._parents.get(inside)
        return inside or TOP

    def common(self, one: str, other: str) -> str:
        """Return the innermost group that holds both groups."""
        shared = TOP
        for first, second in zip(self.chain(one), self.chain(other), strict=False):
            if first != second:
                break
            shared = first
        return shared

    def is_inside(self, group_id: str, outer: str) -> bool:
        """Return whether a group is another or lies in it."""
        return outer == TOP or outer in self.chain(group_id)

    def openable(self, expanded: Collection[str]) -> frozenset[str]:
        """Return the ids, out of some, of boxes with something to see inside."""
        return frozenset(one for one in expanded if one in self.groups and self.can_open(one))

    def can_open(self, group_id: str) -> bool:
        """Return whether there is anything to be seen inside a group."""
        return any(item not in self.through for item in self.groups[group_id].items)

    def shown(self, group_id: str, expanded: Collection[str]) -> str:
        """Return the outermost group around and including this one that is closed, or `TOP`."""
        return next((one for one in self.chain(group_id) if one not in expanded), TOP)
