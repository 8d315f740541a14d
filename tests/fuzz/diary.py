"""Write down what the nodes of a graph do in one plain backward; no code of hookviz is used."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.graph import Node, get_gradient_edge

from tests.cases.facts import kept_grad, leaves_behind, shown, walk
from tests.fuzz.hooks import Entry, bits, copy, nobody
from tests.fuzz.program import Built


class Diary:
    """The steps of one pass in order: entries of hooks, and plain tuples for all else."""

    def __init__(self, built: Built) -> None:
        self.steps: list[Any] = []
        self._book = built.book
        self._names = {id(tensor): name for name, tensor in built.names.items()}
        leaves = list(leaves_behind(built.root))
        self._tensors = {id(one): one for one in [*built.names.values(), *leaves]}
        self._kept = {key: copy(kept_grad(one)) for key, one in self._tensors.items()}
        self._adding: dict[int, tuple[Any, Any]] = {}
        self._nodes = walk(built.root)
        self._handles: list[Any] = []

    def __enter__(self) -> Diary:
        self._book.note = self._hook_ran
        for number, node in enumerate(self._nodes):
            leaf = getattr(node, "variable", None)
            if leaf is not None:
                self._watch_leaf(node, leaf)
            else:
                self._watch(f"n{number}", node)
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._book.note = nobody

    def _hook_ran(self, entry: Entry, argument: Any) -> None:
        if entry.leaf:
            self._added(argument)
        self.steps.append(entry)

    def _watch_leaf(self, node: Node, leaf: torch.Tensor) -> None:
        def arrived(grad_outputs: tuple[torch.Tensor | None, ...]) -> None:
            self._adding[id(leaf)] = (shown(grad_outputs[0]), shown(leaf.grad))

        self._handles.append(node.register_prehook(arrived))
        self._handles.append(node.register_hook(lambda *_: self._added(leaf)))

    def _watch(self, name: str, node: Node) -> None:
        behind = [one for one in self._tensors.values() if _made_by(one, node)]
        behind.sort(key=lambda one: one.output_nr)
        came: list[Any] = []

        def arrived(grad_outputs: tuple[torch.Tensor | None, ...]) -> None:
            for tensor in behind:
                self._retained(tensor, grad_outputs[tensor.output_nr])
            came[:] = map(shown, grad_outputs)

        def left(grad_inputs: tuple[torch.Tensor | None, ...], _: object) -> None:
            self.steps.append(("node", name, tuple(came), tuple(map(shown, grad_inputs))))

        self._handles.append(node.register_prehook(arrived))
        self._handles.append(node.register_hook(left))

    def _retained(self, tensor: torch.Tensor, arrived: torch.Tensor | None) -> None:
        before, grad = self._kept[id(tensor)], kept_grad(tensor)
        if not tensor.retains_grad or (arrived is None and bits(grad) == bits(before)):
            return
        name = self._names.get(id(tensor))
        self.steps.append(("retain_grad", name, shown(before), shown(grad)))
        self._kept[id(tensor)] = copy(grad)

    def _added(self, leaf: torch.Tensor) -> None:
        came = self._adding.pop(id(leaf), None)
        if came is not None:
            name = self._names.get(id(leaf))
            self.steps.append(("accumulate", name, *came, shown(leaf.grad)))


def _made_by(tensor: torch.Tensor, node: Node) -> bool:
    if not tensor.requires_grad or tensor.is_leaf:
        return False
    try:
        return get_gradient_edge(tensor).node == node
    except RuntimeError:  # one of several views of a tensor that was changed in place
        return False
