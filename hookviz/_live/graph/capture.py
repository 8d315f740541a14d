"""Capture the autograd graph of a root: walk it, number it, and keep its nodes alive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import torch
from msgspec import Struct
from torch.autograd.graph import Node, get_gradient_edge

from hookviz._live import internals
from hookviz._live.forward.find import find_forward
from hookviz._live.forward.log import ForwardLog
from hookviz._live.forward.part import ForwardPart
from hookviz._live.graph.tensors import NOWHERE, RESULT, LiveTensor, _Tensors, check_names
from hookviz._live.graph.walk import _walk
from hookviz._live.user.names import Namespace, named_tensors
from hookviz._records import EdgeRecord
from hookviz.errors import FreedGraphError


class LiveGraph(Struct):
    """A graph with its live nodes and tensors; numbers are given by the walk, never by `id()`."""

    root: torch.Tensor
    nodes: dict[str, Node]
    edges: tuple[EdgeRecord, ...]
    out_edges: dict[str, tuple[EdgeRecord | None, ...]]
    """By node id: its edges in the order of `next_functions`, with its `None`s."""
    leaves: dict[str, torch.Tensor]
    """The tensor of each `AccumulateGrad` node, by node id."""
    tensors: list[LiveTensor] = msgspec.field(default_factory=list)
    forward: ForwardPart = msgspec.field(default_factory=ForwardPart)
    """What is known of the forward that made it."""


def capture_live(
    root: torch.Tensor,
    *,
    also: Iterable[torch.Tensor] = (),
    names: Mapping[str, torch.Tensor] | None = None,
    namespaces: Iterable[Namespace] = (),
    may_be_freed: bool = False,
    whole: ForwardLog | None = None,
) -> LiveGraph:
    """Walk the graph behind a root, running nothing.

    Args:
        root: A tensor that requires grad (see `check_root`), or one without a graph.
        also: Further tensors whose graphs belong to it.
        names: Names given by hand; they come before all others.
        namespaces: Where else to look for names, in order.
        may_be_freed: Whether a graph that cannot be run again will do.
        whole: See `find_forward`.

    Raises:
        FreedGraphError: If an earlier backward has freed what the graph saved.
    """
    roots = (root, *also)
    starts = [get_gradient_edge(tensor) for tensor in roots if tensor.requires_grad]
    nodes, out_edges = _walk(start.node for start in starts)
    edges = tuple(edge for row in out_edges.values() for edge in row if edge is not None)
    ids = {node: node_id for node_id, node in nodes.items()}
    leaves = {
        node_id: node.variable for node_id, node in nodes.items() if hasattr(node, "variable")
    }
    live = LiveGraph(
        root=root,
        nodes=nodes,
        edges=edges,
        out_edges=out_edges,
        leaves=leaves,
        forward=find_forward(nodes, whole=whole),
    )
    found = _Tensors(ids, leaves)
    if not starts:
        found.add(root, slot=NOWHERE)
    for tensor, start in zip((t for t in roots if t.requires_grad), starts, strict=True):
        found.add(tensor, slot=(ids[start.node], start.output_nr))
    given = check_names(names)
    for name, tensor in given.items():
        found.add(tensor, name=name, is_asked_for=True)
    for name, tensor in named_tensors(namespaces):
        # A name given by hand means that tensor only, whatever the caller's variable holds.
        if name not in given:
            found.add(tensor, name=name)
    # Variables of functions that have ended come after all that the caller can still name.
    for name, tensor in live.forward.names:
        found.add(tensor, name=name)
    for node_id, leaf in leaves.items():
        found.add(leaf, slot=(node_id, 0))
    # The model may be gone, or out of the caller's reach; what its modules are called is known.
    for module, name, parameter in live.forward.parameters():
        found.name_if_none(parameter, f"{name} ({module.name})")
    for node in nodes.values():
        try:
            for tensor in internals.saved_tensors(node):
                # Unnamed and without hooks it would be one more box that says nothing.
                if internals.tensor_hooks(tensor) or tensor.retains_grad:
                    found.add(tensor)
        except internals.FreedError as error:
            if may_be_freed:
                continue
            raise FreedGraphError(
                f"this graph was already used: {node.name()} has freed what it saved. A graph is "
                "good for one backward() unless it is called with retain_graph=True. Compute the "
                "tensor again, and give it to hookviz before you call backward()."
            ) from error
    live.tensors = found.numbered(nodes, given=given)
    if whole is not None and not live.tensors[0].names:
        live.tensors[0].names = (RESULT,)
    return live
