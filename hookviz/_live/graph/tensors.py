"""Find the tensors of a graph, with the caller's names for them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from typing import Any

import torch
from msgspec import Struct
from torch.autograd.graph import Node

from hookviz._live import internals
from hookviz._live.user.names import choose_names
from hookviz.errors import NoGradError, NotATensorError

Slot = tuple[str, int]
"""Where a gradient arrives: id of the node, and which of its forward outputs."""


NOWHERE: Slot = ("", 0)
"""The slot of a tensor that the root does not depend on."""


RESULT = "result"
"""What the root is called that a function has returned and no variable names."""


MAX_RELATED = 1000
"""How far behind an unreached tensor the walk looks for a node of the graph."""


class LiveTensor(Struct):
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
