"""Write down what one plain backward does, with means of its own: no code of hookviz is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.graph import Node, get_gradient_edge

from tests.cases.facts import bits, kept_grad, leaves_behind, shown, walk

Tensors = dict[str, torch.Tensor]
Step = tuple[Any, ...]


class Diary:
    """The steps of a backward in the order in which they happen, as plain tuples."""

    def __init__(self, root: torch.Tensor, tensors: Tensors) -> None:
        self.steps: list[Step] = []
        self._names = {id(tensor): name for name, tensor in reversed(tensors.items())}
        known = [*tensors.values(), *leaves_behind(root)]
        self._known = list({id(tensor): tensor for tensor in known}.values())
        self._kept = {id(tensor): kept_grad(tensor) for tensor in self._known}
        self._kept_bits = {key: bits(grad) for key, grad in self._kept.items()}
        self._adding: dict[int, tuple[Any, Any]] = {}
        for tensor in self._known:
            self._wrap_hooks(tensor)
        self._nodes = walk(root)
        for number, node in enumerate(self._nodes):
            self._watch_node(f"n{number}", node)

    def _name(self, tensor: torch.Tensor) -> str | None:
        return self._names.get(id(tensor))

    def _wrap_hooks(self, tensor: torch.Tensor) -> None:
        for place, (key, hook) in enumerate(list((tensor._backward_hooks or {}).items())):
            tensor._backward_hooks[key] = self._tensor_hook(tensor, place, hook)
        before = len(tensor._backward_hooks or {})
        after_hooks = getattr(tensor, "_post_accumulate_grad_hooks", None) or {}
        for place, (key, hook) in enumerate(list(after_hooks.items()), start=before):
            after_hooks[key] = self._post_accumulate_hook(tensor, place, hook)

    def _tensor_hook(self, tensor: torch.Tensor, place: int, hook: Callable[..., Any]) -> Any:
        def recorded(gradient: torch.Tensor | None) -> Any:
            came_in = shown(gradient)
            result = hook(gradient)
            went_on = gradient if result is None else result
            if went_on is not None and _kind(went_on) != _kind(gradient):
                said = shown(went_on) if isinstance(went_on, torch.Tensor) else "no tensor"
                self.steps.append(("refused", self._name(tensor), came_in, said))
            else:
                step = ("tensor_hook", self._name(tensor), place, came_in, shown(went_on))
                self.steps.append(step)
            return result

        return recorded

    def _post_accumulate_hook(self, tensor: torch.Tensor, place: int, hook: Any) -> Any:
        def recorded(leaf: torch.Tensor) -> Any:
            self._added(leaf)
            before = (shown(leaf.grad), shown(leaf))
            result = hook(leaf)
            after = (shown(leaf.grad), shown(leaf))
            if result is None or result is leaf:
                step = ("post_accumulate_hook", self._name(tensor), place, *before, *after)
            else:
                step = ("refused", self._name(tensor), before[0], after[0])
            self.steps.append(step)
            return result

        return recorded

    def _watch_node(self, name: str, node: Node) -> None:
        leaf = getattr(node, "variable", None)
        behind = [t for t in self._known if not t.is_leaf and get_gradient_edge(t).node == node]

        def arrived(grad_outputs: tuple[torch.Tensor | None, ...]) -> None:
            for tensor in behind:
                self._retained(tensor, grad_outputs[tensor.output_nr])
            if leaf is not None:
                self._adding[id(leaf)] = (shown(grad_outputs[0]), shown(leaf.grad))
            else:
                came_in[:] = [tuple(map(shown, grad_outputs))]

        def left(grad_inputs: tuple[torch.Tensor | None, ...], _: object) -> None:
            if leaf is not None:
                self._added(leaf)
            else:
                self.steps.append(("node", name, *came_in, tuple(map(shown, grad_inputs))))

        came_in: list[Any] = []
        node.register_prehook(arrived)
        node.register_hook(left)

    def _retained(self, tensor: torch.Tensor, arrived: torch.Tensor | None) -> None:
        before, grad = self._kept_bits[id(tensor)], kept_grad(tensor)
        if not tensor.retains_grad or (arrived is None and bits(grad) == before):
            return
        old = shown(self._kept[id(tensor)])
        self.steps.append(("retain_grad", self._name(tensor), old, shown(grad)))
        self._remember(tensor)

    def _remember(self, tensor: torch.Tensor) -> None:
        grad = kept_grad(tensor)
        self._kept[id(tensor)] = None if grad is None else grad.detach().clone()
        self._kept_bits[id(tensor)] = bits(grad)

    def _added(self, leaf: torch.Tensor) -> None:
        came = self._adding.pop(id(leaf), None)
        if came is not None:
            self.steps.append(("accumulate", self._name(leaf), *came, shown(leaf.grad)))


def _kind(value: Any) -> Any:
    """Return what PyTorch wants to be the same before and after a tensor hook."""
    if not isinstance(value, torch.Tensor):
        return type(value)
    return (value.shape, value.dtype, value.layout, value.device)
