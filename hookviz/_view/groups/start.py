"""Decide which boxes are open when a picture is first shown."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence

from hookviz._records import GraphRecord
from hookviz._view.groups.tree import TOP, GroupTree

MOST_AT_START = 30
"""About as many cards, shapes and boxes as can be read at once."""

MOST_WHOLE = 22
"""A graph of at most so many starts with everything open."""

MOST_OF_ONE_LEVEL = 64
"""The outermost level is shown even where it alone is more than `MOST_AT_START`."""

MOST_OPEN = 400
"""Beyond so many, opening everything goes on no further: neither layout nor reader could follow."""


def start_expanded(graph: GraphRecord, tree: GroupTree) -> tuple[str, ...]:
    """Return the ids of the boxes that are open at the start, outer ones first.

    A small graph is shown whole. A larger one is opened level by level while it stays readable;
    repetitions stay folded, and so does a module that calls no other. First of all it is opened
    where something of the reader's own is: a hook, a tensor that keeps its gradient.
    """
    drawn = _Drawn(graph, tree)
    if sum(drawn.inside.values()) <= MOST_WHOLE:
        return tuple(tree.groups)
    opened = _Opened(tree, drawn, MOST_AT_START)
    for target in _of_interest(graph, tree):
        opened.open_all(tree.chain(target))
    level = [group.id for group in tree.inner(TOP)]
    most = MOST_OF_ONE_LEVEL
    while level:
        worth_it = [group_id for group_id in level if _has_groups(tree, group_id)]
        if not opened.open_all(worth_it, most=most):
            break
        level = [group.id for group_id in worth_it for group in tree.inner(group_id)]
        most = MOST_AT_START
    return opened.in_order()


def all_expanded(graph: GraphRecord, tree: GroupTree) -> tuple[str, ...]:
    """Return the ids of all boxes, level by level, as far as the picture can still be drawn."""
    opened = _Opened(tree, _Drawn(graph, tree), MOST_OPEN)
    queue = deque(group.id for group in tree.inner(TOP))
    while queue:
        group_id = queue.popleft()
        if opened.open_all((group_id,)):
            queue.extend(group.id for group in tree.inner(group_id))
    return opened.in_order()


class _Drawn:
    """How many things are drawn directly inside each group when it is open."""

    def __init__(self, graph: GraphRecord, tree: GroupTree) -> None:
        self.inside: Counter[str] = Counter(
            {TOP: len(tree.top), **{group.id: len(group.items) for group in tree.groups.values()}}
        )
        self.inside.subtract(tree.owner[node_id] for node_id in tree.through)
        leaves = {tensor.node for tensor in graph.tensors if tensor.is_leaf}
        for edge in graph.edges:
            if edge.target in leaves:
                self.inside[tree.owner.get(edge.source, TOP)] += 1
        for tensor in graph.tensors:
            if not tensor.is_leaf and (tensor.names or tensor.hooks or tensor.retains_grad):
                self.inside[tree.tensor_owner.get(tensor.id, TOP)] += 1


class _Opened:
    """The boxes opened so far, as long as no more than `most` things are drawn."""

    def __init__(self, tree: GroupTree, drawn: _Drawn, most: int) -> None:
        self._tree = tree
        self._inside = drawn.inside
        self._most = most
        self._count = drawn.inside[TOP]
        self._open: set[str] = set()

    def open_all(self, groups: Sequence[str], *, most: int | None = None) -> bool:
        """Open some groups that lie in open ones, all or none; say whether they are open."""
        new = [group_id for group_id in groups if group_id not in self._open]
        count = self._count + sum(self._inside[group_id] - 1 for group_id in new)
        if count > (most or self._most):
            return False
        self._open.update(new)
        self._count = count
        return True

    def in_order(self) -> tuple[str, ...]:
        return tuple(group_id for group_id in self._tree.groups if group_id in self._open)


def _of_interest(graph: GraphRecord, tree: GroupTree) -> Iterator[str]:
    """Yield the groups that have to be open for the reader's own things to be seen."""
    for group in tree.groups.values():
        if group.module is not None and group.module.hooks:
            yield group.parent
    for tensor in graph.tensors:
        if tensor.hooks or tensor.retains_grad:
            yield (
                tree.owner.get(tensor.node, TOP)
                if tensor.is_leaf
                else tree.tensor_owner.get(tensor.id, TOP)
            )


def _has_groups(tree: GroupTree, group_id: str) -> bool:
    return tree.groups[group_id].kind == "call" and any(tree.inner(group_id))
