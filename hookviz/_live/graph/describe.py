"""Turn a live graph into the plain record of it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from hookviz._live import internals
from hookviz._live.forward.part import ForwardPart
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.node_names import annotation, plain_name
from hookviz._live.graph.tensors import NOWHERE, LiveTensor, Slot
from hookviz._live.values.grads import read_grad
from hookviz._live.values.reading import Reader, Reading
from hookviz._parameters import Keep
from hookviz._records import (
    CallRecord,
    EdgeRecord,
    GraphRecord,
    HookRecord,
    ModuleRecord,
    NodeRecord,
    SourceRecord,
    TensorRecord,
)


class Description(Struct, frozen=True):
    """A graph before backward runs: readings, and no live object.

    Attributes:
        values, grads: Readings of each tensor and its `.grad`, in the order of the tensors.
        modules, calls, sources, notes: Those of the `GraphRecord`.
    """

    values: list[Reading]
    grads: list[Reading | None]
    modules: tuple[ModuleRecord, ...]
    calls: tuple[CallRecord, ...]
    sources: tuple[SourceRecord, ...]
    notes: tuple[str, ...]
    _edges: tuple[EdgeRecord, ...]
    _nodes: list[dict[str, Any]]
    _tensors: list[dict[str, Any]]

    def record(self) -> GraphRecord:
        """Return the plain record."""
        tensors = tuple(
            TensorRecord(
                value=value.snapshot, grad=None if grad is None else grad.snapshot, **fields
            )
            for value, grad, fields in zip(self.values, self.grads, self._tensors, strict=True)
        )
        nodes = tuple(NodeRecord(**fields) for fields in self._nodes)
        return GraphRecord(
            nodes=nodes,
            edges=self._edges,
            tensors=tensors,
            modules=self.modules,
            calls=self.calls,
            sources=self.sources,
            notes=self.notes,
        )


def describe(
    live: LiveGraph, chains: HookChains, *, keep: Keep, reads_large: bool = True
) -> GraphRecord:
    """Return the record of a graph before backward runs.

    Args:
        live: The captured graph; it is only read.
        chains: Its hooks.
        keep: See `Keep`.
        reads_large: See `Reader`.
    """
    return look_at(live, chains, Reader(keep, reads_large=reads_large)).record()


def look_at(live: LiveGraph, chains: HookChains, reader: Reader) -> Description:
    """Read a graph as `describe` does, and leave the making of the record for later."""
    leaf_ids = {owner.slot[0]: owner.id for owner in live.tensors if owner.slot[0] in live.leaves}
    slots: dict[str, int] | None = None
    forward = live.forward
    nodes = []
    hooks: dict[str, tuple[HookRecord, ...]] = {}
    for hook in chains.nodes.all():
        hooks[hook.owner.id] = (*hooks.get(hook.owner.id, ()), hook.record)
    for node_id, node in live.nodes.items():
        name = plain_name(node)
        edges = [None if edge is None else edge.id for edge in live.out_edges[node_id]]
        num_outputs = internals.num_outputs(node)
        if not num_outputs:
            slots = slots or _known_slots(live)
            num_outputs = slots.get(node_id, 1)
        fields = {
            "id": node_id,
            "name": name,
            "edges": tuple(edges),
            "num_outputs": num_outputs,
            "leaf": leaf_ids.get(node_id),
            "annotation": annotation(name),
            "call": forward.node_calls.get(node_id),
            "hooks": hooks.get(node_id, ()),
            **forward.node_code.get(node_id, {}),
        }
        nodes.append(fields)
    first_in_slot: dict[Slot, str] = {}
    grads = [read_grad(owner.tensor) for owner in live.tensors]
    owners = _owners(forward)
    return Description(
        values=[reader.read(owner.tensor) for owner in live.tensors],
        grads=[None if grad is None else reader.read(grad) for grad in grads],
        modules=describe_modules(forward, chains),
        calls=tuple(call.record for call in forward.calls),
        sources=forward.sources,
        notes=forward.notes,
        _edges=live.edges,
        _nodes=nodes,
        _tensors=[
            _fields(owner, live, chains, first_in_slot, module=owners.get(id(owner.tensor)))
            for owner in live.tensors
        ],
    )


def describe_modules(forward: ForwardPart, chains: HookChains) -> tuple[ModuleRecord, ...]:
    """Return the records of the modules of a graph, with their hooks as they stand now."""
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
    """Map each parameter to the id of the first module that owns it."""
    owners: dict[int, str] = {}
    for module, _, parameter in forward.parameters():
        owners.setdefault(id(parameter), module.id)
    return owners


def _known_slots(live: LiveGraph) -> dict[str, int]:
    """Return how many slots of each node an edge or a tensor is known for."""
    known = [(edge.target, edge.input_nr) for edge in live.edges]
    known += [owner.slot for owner in live.tensors]
    slots: dict[str, int] = {}
    for node_id, output_nr in known:
        slots[node_id] = max(slots.get(node_id, 1), output_nr + 1)
    return slots


def _fields(
    owner: LiveTensor,
    live: LiveGraph,
    chains: HookChains,
    first_in_slot: dict[Slot, str],
    *,
    module: str | None,
) -> dict[str, Any]:
    """Return all fields of a `TensorRecord` but those that hold numbers."""
    tensor = owner.tensor
    first = first_in_slot.setdefault(owner.slot, owner.id) if owner.slot != NOWHERE else owner.id
    return {
        "id": owner.id,
        "names": owner.names,
        "node": owner.slot[0],
        "output_nr": owner.slot[1],
        "is_leaf": tensor.is_leaf,
        "is_root": tensor is live.root,
        "retains_grad": tensor.retains_grad and not tensor.is_leaf,
        "hooks": tuple(hook.record for hook in chains.of(owner)),
        "shares_slot_with": None if first == owner.id else first,
        "module": module,
    }
