"""Turn a live graph into the plain record of it."""

from __future__ import annotations

from hookviz.live import internals
from hookviz.live.chain import HookChains
from hookviz.live.grads import read_grad
from hookviz.live.graph import NOWHERE, LiveGraph, LiveTensor, Slot
from hookviz.live.node_names import annotation, plain_name
from hookviz.live.take import Keep, take
from hookviz.records import GraphRecord, NodeRecord, TensorRecord


def describe(live: LiveGraph, chains: HookChains, *, keep: Keep) -> GraphRecord:
    """Read everything about a graph that is known before backward runs.

    Args:
        live: The captured graph; it is only read.
        chains: Its hooks.
        keep: See `take`.
    """
    leaf_ids = {owner.slot[0]: owner.id for owner in live.tensors if owner.slot[0] in live.leaves}
    slots = _known_slots(live)
    nodes = tuple(
        NodeRecord(
            id=node_id,
            name=plain_name(node),
            edges=live.out_edges(node_id),
            num_outputs=max(internals.num_outputs(node), slots.get(node_id, 1)),
            leaf=leaf_ids.get(node_id),
            annotation=annotation(node),
        )
        for node_id, node in live.nodes.items()
    )
    first_in_slot: dict[Slot, str] = {}
    tensors = tuple(
        _describe_tensor(owner, live, chains, first_in_slot, keep=keep) for owner in live.tensors
    )
    return GraphRecord(nodes=nodes, edges=live.edges, tensors=tensors)


def _known_slots(live: LiveGraph) -> dict[str, int]:
    """Return how many slots of each node an edge or a tensor is known for."""
    known = [(edge.target, edge.input_nr) for edge in live.edges]
    known += [owner.slot for owner in live.tensors]
    slots: dict[str, int] = {}
    for node_id, output_nr in known:
        slots[node_id] = max(slots.get(node_id, 1), output_nr + 1)
    return slots


def _describe_tensor(
    owner: LiveTensor,
    live: LiveGraph,
    chains: HookChains,
    first_in_slot: dict[Slot, str],
    *,
    keep: Keep,
) -> TensorRecord:
    tensor = owner.tensor
    first = first_in_slot.setdefault(owner.slot, owner.id) if owner.slot != NOWHERE else owner.id
    grad = read_grad(tensor)
    return TensorRecord(
        id=owner.id,
        names=owner.names,
        node=owner.slot[0],
        output_nr=owner.slot[1],
        is_leaf=tensor.is_leaf,
        is_root=tensor is live.root,
        retains_grad=tensor.retains_grad and not tensor.is_leaf,
        value=take(tensor, keep=keep),
        grad=None if grad is None else take(grad, keep=keep),
        hooks=tuple(hook.record for hook in chains.of(owner)),
        shares_slot_with=None if first == owner.id else first,
    )
