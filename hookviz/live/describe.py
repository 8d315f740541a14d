"""Turn a live graph into the plain record of it."""

from __future__ import annotations

from hookviz.live import internals
from hookviz.live.chain import HookChains
from hookviz.live.forward_part import ForwardPart
from hookviz.live.grads import read_grad
from hookviz.live.graph import NOWHERE, LiveGraph, LiveTensor, Slot
from hookviz.live.node_names import annotation, plain_name
from hookviz.live.take import Keep, take
from hookviz.records import GraphRecord, ModuleRecord, NodeRecord, TensorRecord


def describe(live: LiveGraph, chains: HookChains, *, keep: Keep) -> GraphRecord:
    """Read everything about a graph that is known before backward runs.

    Args:
        live: The captured graph; it is only read.
        chains: Its hooks.
        keep: See `take`.
    """
    leaf_ids = {owner.slot[0]: owner.id for owner in live.tensors if owner.slot[0] in live.leaves}
    slots = _known_slots(live)
    forward = live.forward
    nodes = tuple(
        NodeRecord(
            id=node_id,
            name=plain_name(node),
            edges=live.out_edges(node_id),
            num_outputs=max(internals.num_outputs(node), slots.get(node_id, 1)),
            leaf=leaf_ids.get(node_id),
            annotation=annotation(node),
            call=forward.node_calls.get(node_id),
            **forward.node_code.get(node_id, {}),
        )
        for node_id, node in live.nodes.items()
    )
    first_in_slot: dict[Slot, str] = {}
    owners = _owners(forward)
    tensors = tuple(
        _describe_tensor(
            owner, live, chains, first_in_slot, module=owners.get(id(owner.tensor)), keep=keep
        )
        for owner in live.tensors
    )
    return GraphRecord(
        nodes=nodes,
        edges=live.edges,
        tensors=tensors,
        modules=describe_modules(forward, chains),
        calls=tuple(call.record for call in forward.calls),
        sources=forward.sources,
        notes=forward.notes,
    )


def describe_modules(forward: ForwardPart, chains: HookChains) -> tuple[ModuleRecord, ...]:
    """Read what is known of the modules of a graph, with their hooks as they stand now."""
    return tuple(
        ModuleRecord(
            id=module.id,
            name=module.name,
            type=module.type,
            hooks=chains.modules.records_of(module),
            notes=module.notes,
        )
        for module in forward.modules
    )


def _owners(forward: ForwardPart) -> dict[int, str]:
    """Return for each parameter the id of the first module that has it as its own."""
    owners: dict[int, str] = {}
    for live in forward.modules:
        if live.module is not None:
            for parameter in live.module.parameters(recurse=False):
                owners.setdefault(id(parameter), live.id)
    return owners


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
    module: str | None,
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
        module=module,
    )
