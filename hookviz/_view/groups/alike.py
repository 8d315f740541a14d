"""Tell which items of a graph are alike, and how large they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hookviz._records import CallRecord, GraphRecord, ModuleRecord, NodeRecord


class Alike:
    """The facts about single nodes and calls by which they are folded.

    Attributes:
        tokens: A number for each node and call; equal for those that are alike. Nodes are if
            they are the same function on leaves of the same shapes. Calls are if the modules and
            those called inside are of the same classes and use leaves of the same shapes; which
            functions they are made of depends on whether their input requires grad.
        kinds: The same without the leaves of nodes.
        sizes: How many functions each is made of.
        weights: How many functions and leaves.
    """

    def __init__(
        self,
        graph: GraphRecord,
        nodes: Mapping[str, NodeRecord],
        modules: Mapping[str, ModuleRecord],
        calls: Mapping[str, CallRecord],
        *,
        order: Mapping[str, Sequence[str]],
        through: Collection[str],
    ) -> None:
        self.tokens: dict[str, int] = {}
        self.kinds: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.weights: dict[str, int] = {}
        shapes = {tensor.node: tensor.value.shape for tensor in graph.tensors if tensor.is_leaf}
        targets = {edge.id: edge.target for edge in graph.edges if edge.target in shapes}
        numbers: dict[object, int] = {}
        shapes_used: dict[str, tuple[tuple[int, ...], ...]] = {}
        for node_id, node in nodes.items():
            used = tuple(shapes[targets[edge]] for edge in node.edges if edge in targets)
            self.tokens[node_id] = numbers.setdefault((node.name, used), len(numbers))
            self.kinds[node_id] = numbers.setdefault(node.name, len(numbers))
            self.sizes[node_id] = 0 if node_id in through else 1
            self.weights[node_id] = self.sizes[node_id] + len(used)
            shapes_used[node_id] = used
        # A call begins before those in it, so from the last to the first the inner ones are known.
        for call in reversed(list(calls.values())):
            inside = order.get(call.id)
            if inside is None:
                continue
            mark = (
                modules[call.module].type,
                tuple(sorted(shape for item in inside for shape in shapes_used.get(item, ()))),
                tuple(self.tokens[item] for item in inside if item in calls),
            )
            self.tokens[call.id] = numbers.setdefault(mark, len(numbers))
            self.kinds[call.id] = self.tokens[call.id]
            self.sizes[call.id] = sum(self.sizes[item] for item in inside)
            self.weights[call.id] = max(1, sum(self.weights[item] for item in inside))
