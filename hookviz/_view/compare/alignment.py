"""Find for each part of a graph its counterpart in another graph that the same code has made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from hookviz._records import GraphRecord, TensorRecord

Key = tuple[object, ...]


class Alignment(Struct, frozen=True):
    """The counterparts in the other graph.

    Attributes:
        tensors: By the id of a tensor in this graph.
        edges: Ids, by the id of an edge in this graph.
    """

    tensors: Mapping[str, TensorRecord]
    edges: Mapping[str, str]


def align(graph: GraphRecord, other: GraphRecord) -> Alignment:
    """Return the counterpart of each tensor and edge.

    Two graphs of the same structure correspond part by part. Otherwise a tensor corresponds to the
    one with its name, and a function to the one of its name that has the same place among those of
    the same call of the same module; so a function that a hook has added in one module shifts
    nothing in another.
    """
    if _structure(graph) == _structure(other):
        return Alignment(
            {one.id: two for one, two in zip(graph.tensors, other.tensors, strict=True)},
            {edge.id: edge.id for edge in graph.edges},
        )
    here, beyond = _node_keys(graph), _node_keys(other)
    tensors = {_tensor_key(tensor, beyond): tensor for tensor in other.tensors}
    edges = {key: edge for edge, key in _edge_keys(other, beyond).items()}
    return Alignment(
        {
            tensor.id: tensors[key]
            for tensor in graph.tensors
            if (key := _tensor_key(tensor, here)) in tensors
        },
        {edge: edges[key] for edge, key in _edge_keys(graph, here).items() if key in edges},
    )


def _structure(graph: GraphRecord) -> object:
    nodes = tuple((node.id, node.name) for node in graph.nodes)
    tensors = tuple((tensor.id, tensor.node, tensor.output_nr) for tensor in graph.tensors)
    return nodes, graph.edges, tensors


def _node_keys(graph: GraphRecord) -> dict[str, Key]:
    modules = {module.id: module.name for module in graph.modules}
    calls = {call.id: (modules.get(call.module), call.number) for call in graph.calls}
    leaves = {tensor.node: tensor.label for tensor in graph.tensors if tensor.is_leaf}
    seen: Counter[Key] = Counter()
    keys: dict[str, Key] = {}
    for node in graph.nodes:
        if node.id in leaves:
            keys[node.id] = ("leaf", leaves[node.id])
            continue
        kind: Key = (calls.get(node.call or ""), node.name)
        keys[node.id] = (*kind, seen[kind])
        seen[kind] += 1
    return keys


def _tensor_key(tensor: TensorRecord, nodes: Mapping[str, Key]) -> Key:
    if tensor.is_root:
        return ("root",)
    if tensor.names:
        return ("name", tensor.names[0])
    return ("slot", nodes.get(tensor.node), tensor.output_nr)


def _edge_keys(graph: GraphRecord, nodes: Mapping[str, Key]) -> dict[str, Key]:
    return {
        edge.id: (nodes[edge.source], edge.source_index, nodes[edge.target], edge.input_nr)
        for edge in graph.edges
    }
