"""Find things in a graph by name, id, or slot, and say what to call them."""

from __future__ import annotations

from collections import defaultdict

from hookviz._records import Event
from hookviz._records.graph import EdgeRecord, GraphRecord, NodeRecord, TensorRecord

Slot = tuple[str, int]
"""A node's id and one of its output slots: the place where a gradient arrives."""

HOOK_NODE = "BackwardHookFunction"
"""How the names of the nodes begin that full backward hooks of a module put into the graph."""


class GraphIndex:
    """A graph with one look-up per question; built once, never changed.

    Attributes:
        graph: The graph itself.
        nodes, edges, tensors: By id.
        tensors_at: The tensors on each slot, in the order of the graph.
        edges_into: The edges that bring a gradient to each slot.
    """

    def __init__(self, graph: GraphRecord) -> None:
        self.graph = graph
        self.nodes: dict[str, NodeRecord] = {node.id: node for node in graph.nodes}
        self.edges: dict[str, EdgeRecord] = {edge.id: edge for edge in graph.edges}
        self.tensors: dict[str, TensorRecord] = {tensor.id: tensor for tensor in graph.tensors}
        self.tensors_at: dict[Slot, list[TensorRecord]] = defaultdict(list)
        self.edges_into: dict[Slot, list[EdgeRecord]] = defaultdict(list)
        # As in GraphRecord.find: a name wins over an id, and the first tensor over later ones.
        self._by_label: dict[str, TensorRecord] = dict(self.tensors)
        for tensor in reversed(graph.tensors):
            self._by_label.update((name, tensor) for name in tensor.names)
        modules = {module.id: module.name for module in graph.modules}
        self._modules = {call.id: modules.get(call.module, "") for call in graph.calls}
        for tensor in graph.tensors:
            self.tensors_at[tensor.node, tensor.output_nr].append(tensor)
        for edge in graph.edges:
            self.edges_into[edge.target, edge.input_nr].append(edge)

    def tensor_of(self, label: str | None) -> TensorRecord | None:
        """Return the tensor that an event names, if this graph has it."""
        return None if label is None else self._by_label.get(label)

    def slot_of(self, event: Event) -> Slot | None:
        """Return the slot at which an event on a tensor or on a slot of a node happened."""
        tensor = self.tensor_of(event.tensor)
        if tensor is not None and event.node in (None, tensor.node):
            return tensor.node, tensor.output_nr
        if event.node is not None and event.node in self.nodes:
            return event.node, event.slot or 0
        return None

    def sent_along(self, node_id: str | None) -> list[tuple[int, EdgeRecord]]:
        """Return the node's edges with the place of each in `Event.outgoing`."""
        node = self.nodes.get(node_id or "")
        if node is None:
            return []
        return [(i, self.edges[edge]) for i, edge in enumerate(node.edges) if edge is not None]

    def is_on_screen(self, tensor: TensorRecord) -> bool:
        """Whether the tensor has a card of its own, so that a sentence may name it."""
        named = bool(tensor.names or tensor.hooks)
        return named or tensor.is_root or tensor.is_leaf or tensor.retains_grad

    def tensors_named_at(self, slot: Slot) -> list[TensorRecord]:
        """Return the tensors on a slot that a sentence may name."""
        tensors = self.tensors_at.get(slot, ())
        return [tensor for tensor in tensors if self.is_on_screen(tensor)]

    def name_of_slot(self, slot: Slot) -> str:
        """Return what to call a place where a gradient arrives: its tensor, else its node."""
        named = self.tensors_named_at(slot)
        return named[0].label if named else self.name_of_node(slot[0])

    def name_of_node(self, node_id: str | None) -> str:
        """Return PyTorch's name of a node, or the id when the graph does not have it.

        What a module's backward hooks put into the graph goes by the name of the module.
        """
        node = self.nodes.get(node_id or "")
        if node is None:
            return node_id or ""
        module = self._modules.get(node.call or "") if node.name.startswith(HOOK_NODE) else ""
        return module or node.name
