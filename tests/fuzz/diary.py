"""Write down what the nodes of a graph do in one plain backward; no code of hookviz is used."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd.graph import Node

from tests.fuzz.hooks import Entry, nobody
from tests.fuzz.program import Built
from tests.fuzz.values import bits, copy, edge, kept_grad, shown, walk

Gradients = tuple[torch.Tensor | None, ...]


class Diary:
    """One pass, written down while it runs.

    Attributes:
        steps: Entries of hooks, and plain tuples for all else, in order.
        shared: Whether adding to a `.grad` in place changed another one: PyTorch lets them share
            memory.
    """

    def __init__(self, built: Built) -> None:
        self.steps: list[Any] = []
        self.shared = False
        self._book = built.book
        self._names = {id(tensor): name for name, tensor in built.names.items()}
        self._tensors = {id(tensor): tensor for tensor in built.known if edge(tensor)}
        self._kept = {key: copy(kept_grad(one)) for key, one in self._tensors.items()}
        self._adding: dict[int, Any] = {}
        self._nodes = walk(built.root)
        self._handles: list[Any] = []

    def __enter__(self) -> Diary:
        self._book.note = self._hook_ran
        for number, node in enumerate(self._nodes):
            if hasattr(node, "variable"):
                self._watch_leaf(node, node.variable)
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
        def arrived(grad_outputs: Gradients) -> None:
            self._adding[id(leaf)] = (shown(grad_outputs[0]), shown(leaf.grad))

        self._handles.append(node.register_prehook(arrived))
        self._handles.append(node.register_hook(lambda *_: self._added(leaf)))

    def _watch(self, name: str, node: Node) -> None:
        behind = [one for one in self._tensors.values() if edge(one)[0] == node]
        behind.sort(key=lambda one: one.output_nr)
        came: list[Any] = []

        def arrived(grad_outputs: Gradients) -> None:
            for tensor in behind:
                self._retained(tensor, grad_outputs[tensor.output_nr])
            came[:] = map(shown, grad_outputs)

        def left(grad_inputs: Gradients, _: object) -> None:
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
        if came is None:
            return
        name = self._names.get(id(leaf))
        self.steps.append(("accumulate", name, *came, shown(leaf.grad)))
        if came[1] is not None and leaf.grad.numel():
            memory = _memory(leaf.grad)
            others = [kept_grad(one) for one in self._tensors.values() if one is not leaf]
            self.shared |= any(grad is not None and _memory(grad) == memory for grad in others)


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()
