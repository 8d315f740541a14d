"""Find the groups of a graph: the calls of modules, and repeated parts."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from hookviz._records import CallRecord, GraphRecord
from hookviz._view.groups.alike import Alike
from hookviz._view.groups.folding import Folder
from hookviz._view.groups.forward_order import crossings, forward_order
from hookviz._view.groups.runs import FEWEST_REPEATS
from hookviz._view.groups.tree import TOP, Group, GroupTree
from hookviz._view.lookup.index import HOOK_NODE

MOST_DRAWN_WHOLE = 22
"""A graph of at most so many cards and shapes is drawn as it is, and nothing in it is folded."""


def group_tree(graph: GraphRecord) -> GroupTree:
    """Return the groups of a graph."""
    return _Grouping(graph).tree()


class _Grouping:
    def __init__(self, graph: GraphRecord) -> None:
        self.graph = graph
        self.modules = {module.id: module for module in graph.modules}
        self.calls = {call.id: call for call in graph.calls if call.module in self.modules}
        self.leaves = {tensor.node for tensor in graph.tensors if tensor.is_leaf}
        self.nodes = {node.id: node for node in graph.nodes if node.id not in self.leaves}
        self.call_of = {
            node_id: node.call if node.call in self.calls else TOP
            for node_id, node in self.nodes.items()
        }
        self.through = {
            node_id
            for node_id, node in self.nodes.items()
            if node.name.startswith(HOOK_NODE) and self.call_of[node_id] != TOP
        }
        self.chains: dict[str, tuple[str, ...]] = {TOP: ()}

    def tree(self) -> GroupTree:
        contents, inputs = self._contents(), self._inputs()
        order = {
            group: forward_order(items, inputs.get(group, {})) for group, items in contents.items()
        }
        self._add_calls_without_nodes(order)
        folder = self._fold(order, inputs)
        groups, top = self._groups(order, folder)
        owner = dict.fromkeys(self.nodes, TOP)
        for group in groups.values():
            owner.update((item, group.id) for item in group.items if item in self.nodes)
        tree = GroupTree(self.graph, groups, top, owner, {}, self.through)
        return _with_tensors(self.graph, tree, self.leaves)

    def _fold(
        self, order: dict[str, list[str]], inputs: Mapping[str, Mapping[str, Sequence[str]]]
    ) -> Folder:
        """Fold the items of each call, in place."""
        alike = Alike(
            self.graph, self.nodes, self.modules, self.calls, order=order, through=self.through
        )
        folder = Folder(self.nodes, self.modules, self.calls, alike)
        if self._drawn_whole() > MOST_DRAWN_WHOLE:
            for group, items in order.items():
                if len(items) >= FEWEST_REPEATS:
                    order[group] = folder.fold(items, crossings(items, inputs.get(group, {})))
        return folder

    def _groups(
        self, order: Mapping[str, Sequence[str]], folder: Folder
    ) -> tuple[dict[str, Group], Sequence[str]]:
        """Return all groups, outer ones first, and the items that are in no group."""
        counts = Counter(call.module for call in self.calls.values())
        groups: dict[str, Group] = {}
        queue = deque((item, TOP) for item in order[TOP])
        while queue:
            item, parent = queue.popleft()
            if item in folder.folded:
                groups[item] = replace(folder.folded[item], parent=parent)
            elif item in self.calls:
                call = self.calls[item]
                module = self.modules[call.module]
                groups[item] = Group(
                    id=item,
                    kind="call",
                    parent=parent,
                    title=module.name,
                    type=module.type,
                    items=tuple(order.get(item, ())),
                    size=folder.sizes.get(item, 0),
                    call=call,
                    module=module,
                    is_called_again=counts[call.module] > 1,
                )
            else:
                continue
            queue.extend((inner, item) for inner in groups[item].items)
        return groups, order[TOP]

    def _chain(self, call: str) -> tuple[str, ...]:
        """Return the calls around and including one, from the outside in."""
        known = self.chains.get(call)
        if known is None:
            parent = self.calls[call].parent
            known = (*self._chain(parent if parent in self.calls else TOP), call)
            self.chains[call] = known
        return known

    def _contents(self) -> dict[str, list[str]]:
        """Return the nodes and calls directly in each call, from the root on."""
        contents: dict[str, list[str]] = {TOP: []}
        for node_id, call in self.call_of.items():
            around = TOP
            for inner in self._chain(call):
                if inner not in contents:
                    contents[inner] = []
                    contents[around].append(inner)
                around = inner
            contents[call].append(node_id)
        return contents

    def _inputs(self) -> dict[str, dict[str, list[str]]]:
        """Return, for each call, the inputs of each item directly in it."""
        found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for edge in self.graph.edges:
            source, target = edge.source, edge.target
            if source not in self.call_of or target not in self.call_of:
                continue
            one, other = self.call_of[source], self.call_of[target]
            if one == other:
                found[one][source].append(target)
                continue
            first, second = (*self._chain(one), source), (*self._chain(other), target)
            place = 0
            while first[place] == second[place]:
                place += 1
            around = first[place - 1] if place else TOP
            found[around][first[place]].append(second[place])
        return found

    def _add_calls_without_nodes(self, order: dict[str, list[str]]) -> None:
        """Give calls that left no node a place, where they are all there is or have hooks."""
        for call in self.calls.values():
            if call.id in order:
                continue
            if self.nodes and not self.modules[call.module].hooks:
                continue
            around = TOP
            for inner in self._chain(call.id):
                if inner not in order:
                    order[inner] = []
                    _insert(order[around], self.calls[inner], self.calls)
                around = inner

    def _drawn_whole(self) -> int:
        """Return how many cards and shapes there are when everything is open."""
        uses = sum(edge.target in self.leaves for edge in self.graph.edges)
        named = sum(bool(tensor.names) and not tensor.is_leaf for tensor in self.graph.tensors)
        calls = 0 if self.nodes else len(self.calls)
        return len(self.nodes) - len(self.through) + uses + named + calls


def _insert(items: list[str], call: CallRecord, calls: dict[str, CallRecord]) -> None:
    """Put a call behind the calls that began before it."""
    order = list(calls)
    place = order.index(call.id)
    earlier = [i for i, item in enumerate(items) if item in calls and order.index(item) < place]
    items.insert(earlier[-1] + 1 if earlier else 0, call.id)


def _with_tensors(graph: GraphRecord, tree: GroupTree, leaves: set[str]) -> GroupTree:
    """Return the tree with a place for each tensor: where it is used, never outside of that."""
    users: dict[tuple[str, int], set[str]] = defaultdict(set)
    for edge in graph.edges:
        users[edge.target, edge.input_nr].add(tree.owner.get(edge.source, TOP))
    owner = dict(tree.owner)
    tensor_owner: dict[str, str] = {}
    modules = {module.id for module in graph.modules}
    for tensor in graph.tensors:
        used = users.get((tensor.node, tensor.output_nr), set())
        if tensor.is_root:
            home = TOP
        elif tensor.is_leaf:
            # A leaf that is no parameter was given to the modules from outside, so it stays there.
            home = _shared(tree, used) if tensor.module in modules else TOP
        else:
            home = _shared(tree, {*used, tree.owner.get(tensor.node, TOP)})
        if tensor.node in leaves:
            owner[tensor.node] = home
        if home != TOP:
            tensor_owner[tensor.id] = home
    return GroupTree(graph, tree.groups, tree.top, owner, tensor_owner, tree.through)


def _shared(tree: GroupTree, groups: set[str]) -> str:
    shared: str | None = None
    for group in groups:
        shared = group if shared is None else tree.common(shared, group)
    return shared or TOP
