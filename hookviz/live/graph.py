"""Capture the autograd graph of a root: walk it, number it, and keep its nodes alive."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.autograd.graph import Node, get_gradient_edge

from hookviz.errors import FreedGraphError, NoGradError, NotATensorError
from hookviz.live import internals
from hookviz.live.find_forward import find_forward
from hookviz.live.forward_log import ForwardLog
from hookviz.live.forward_part import ForwardPart
from hookviz.live.names import Namespace, choose_names, named_tensors
from hookviz.records import EdgeRecord

Slot = tuple[str, int]
"""Where a gradient arrives: id of the node, and which of its forward outputs."""

NOWHERE: Slot = ("", 0)
"""The slot of a tensor that the root does not depend on."""


RESULT = "result"
"""What the root is called that a function has returned and no variable names."""

MAX_RELATED = 1000
"""How far behind an unreached tensor the walk looks for a node of the graph."""


@dataclass(slots=True)
class LiveTensor:
    """A tensor of the graph that can be reached from Python."""

    id: str
    tensor: torch.Tensor
    slot: Slot
    names: tuple[str, ...] = ()

    is_leaf: bool = False
    """As it was at capture; PyTorch refuses to say of a view that has become stale since."""

    @property
    def label(self) -> str:
        """The first of its names, or its id when it has none."""
        return self.names[0] if self.names else self.id


@dataclass(slots=True)
class LiveGraph:
    """A graph with its live nodes and tensors; numbers are given by the walk, never by `id()`."""

    root: torch.Tensor
    nodes: dict[str, Node]
    edges: tuple[EdgeRecord, ...]
    out_edges: dict[str, tuple[EdgeRecord | None, ...]]
    """By node id: its edges in the order of `next_functions`, with its `None`s."""
    leaves: dict[str, torch.Tensor]
    """The tensor of each `AccumulateGrad` node, by node id."""
    tensors: list[LiveTensor] = field(default_factory=list)
    forward: ForwardPart = field(default_factory=ForwardPart)
    """What is known of the forward that made it."""


def check_root(root: Any) -> torch.Tensor:
    """Return the root if backward can be called on it.

    Raises:
        NotATensorError: If it is not a tensor; a container's tensors are named in the message.
        NoGradError: If it does not require grad.
    """
    if not isinstance(root, torch.Tensor):
        raise NotATensorError(_not_a_tensor(root))
    if not root.requires_grad:
        raise NoGradError(
            f"this tensor (shape {list(root.shape)}, dtype {root.dtype}) does not require grad, so "
            "there is no graph behind it. Make one of the tensors it is computed from with "
            "requires_grad=True, and compute it outside torch.no_grad() and without detach()."
        )
    return root


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


def check_names(names: Any) -> dict[str, torch.Tensor]:
    """Return the `names=` of a call.

    Raises:
        NotATensorError: If it does not map texts to tensors.
    """
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        raise NotATensorError(
            f"names= is of type {type(names).__name__}; it maps each name to a tensor, as in "
            'names={"a": a}.'
        )
    for name, tensor in names.items():
        if not isinstance(name, str) or not isinstance(tensor, torch.Tensor):
            raise NotATensorError(
                f"names[{name!r}] is of type {type(tensor).__name__}; names= maps each name, a "
                "text, to a tensor."
            )
    return dict(names)


class _Tensors:
    """Collect the tensors of a graph with their names, each tensor object once.

    A tensor that the root does not depend on belongs to it all the same if it was asked for by
    name, or if it waits for a gradient (it has hooks or retains its grad) and was computed from a
    tensor of the graph: that it is never reached is what its owner wants to see.
    """

    def __init__(self, ids: Mapping[Node, str], leaves: Mapping[str, torch.Tensor]) -> None:
        self._ids = ids
        self._leaf_slots = {id(leaf): (node_id, 0) for node_id, leaf in leaves.items()}
        self._found: dict[int, tuple[torch.Tensor, Slot, list[str]]] = {}

    def add(
        self,
        tensor: torch.Tensor,
        *,
        slot: Slot | None = None,
        name: str = "",
        is_asked_for: bool = False,
    ) -> None:
        entry = self._found.get(id(tensor))
        if entry is None:
            if _is_stale(tensor):
                return
            slot = slot or self._slot(tensor)
            if slot is None and tensor.requires_grad:
                waits = bool(internals.tensor_hooks(tensor)) or tensor.retains_grad
                if is_asked_for or (waits and self._is_related(tensor)):
                    slot = NOWHERE
            if slot is None:
                return
            entry = self._found[id(tensor)] = (tensor, slot, [])
        if name:
            entry[2].append(name)

    def name_if_none(self, tensor: torch.Tensor, name: str) -> None:
        entry = self._found.get(id(tensor))
        if entry is not None and not entry[2]:
            entry[2].append(name)

    def _slot(self, tensor: torch.Tensor) -> Slot | None:
        if not tensor.requires_grad:
            return None
        if tensor.is_leaf:
            return self._leaf_slots.get(id(tensor))
        node_id = self._ids.get(tensor.grad_fn) if tensor.grad_fn is not None else None
        return None if node_id is None else (node_id, tensor.output_nr)

    def _is_related(self, tensor: torch.Tensor) -> bool:
        queue = deque([tensor.grad_fn])
        seen = set(queue)
        while queue and len(seen) < MAX_RELATED:
            node = queue.popleft()
            if node in self._ids:
                return True
            fresh = {n for n, _ in getattr(node, "next_functions", ()) if n is not None} - seen
            seen |= fresh
            queue.extend(fresh)
        return False

    def numbered(self, nodes: Mapping[str, Node], *, given: Collection[str]) -> list[LiveTensor]:
        walk_order = {node_id: index for index, node_id in enumerate((*nodes, NOWHERE[0]))}
        root, *others = self._found.values()
        others.sort(key=lambda entry: (walk_order[entry[1][0]], entry[1][1]))
        return [
            LiveTensor(
                id=f"t{index}",
                tensor=tensor,
                slot=slot,
                names=choose_names(found_names, given=given),
                is_leaf=tensor.is_leaf,
            )
            for index, (tensor, slot, found_names) in enumerate([root, *others])
        ]


def _is_stale(tensor: torch.Tensor) -> bool:
    """Return whether PyTorch refuses to talk about this tensor's place in a graph.

    One of several views (of `unbind`, say) whose base was changed in place has none any more.
    """
    try:
        return tensor.requires_grad and tensor.grad_fn is None and not tensor.is_leaf
    except RuntimeError:
        return True


def nodes_behind(root: torch.Tensor) -> frozenset[Node]:
    """Return every node that a backward from this tensor could run."""
    return frozenset(_walk([get_gradient_edge(root).node])[0].values())


def _walk(
    roots: Iterable[Node],
) -> tuple[dict[str, Node], dict[str, tuple[EdgeRecord | None, ...]]]:
    # A queue, not recursion: chains of thousands of nodes are ordinary.
    queue = deque(dict.fromkeys(roots))
    ids: dict[Node, str] = {root: f"n{place}" for place, root in enumerate(queue)}
    rows: dict[str, tuple[EdgeRecord | None, ...]] = {}
    count = 0
    while queue:
        node = queue.popleft()
        row: list[EdgeRecord | None] = []
        for index, (next_node, input_nr) in enumerate(node.next_functions):
            if next_node is None:
                row.append(None)
                continue
            if next_node not in ids:
                ids[next_node] = f"n{len(ids)}"
                queue.append(next_node)
            edge = EdgeRecord(
                id=f"e{count}",
                source=ids[node],
                source_index=index,
                target=ids[next_node],
                input_nr=input_nr,
            )
            row.append(edge)
            count += 1
        rows[ids[node]] = tuple(row)
    return {node_id: node for node, node_id in ids.items()}, rows


def _not_a_tensor(root: Any) -> str:
    kind = type(root).__name__
    article = "an" if kind[:1] in "aeiouAEIOU" else "a"
    needed = "hookviz needs the tensor on which you would call backward()"
    start = f"{needed}, and got {article} {kind}."
    if isinstance(root, Mapping):
        keys = ", ".join(repr(key) for key, item in root.items() if isinstance(item, torch.Tensor))
        return f"{start} Give it one of its tensors: {keys}." if keys else start
    if isinstance(root, tuple | list):
        places = [str(i) for i, item in enumerate(root) if isinstance(item, torch.Tensor)]
        return f"{start} Give it one of its tensors, such as [{places[0]}]." if places else start
    if isinstance(root, int | float):
        return f"{start} Leave out .item(): a number has no graph."
    return start
