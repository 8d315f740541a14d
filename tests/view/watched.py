"""Watch a forward for the tests of pictures: what was called, what went in and came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from msgspec import structs
from msgspec.structs import replace
from torch import nn

import hookviz
from hookviz._records import CallRecord, Event, GraphRecord, ModuleForwardEvent, ModuleRecord
from hookviz._records.value import Argument
from tests.live.snapshots import take

Example = tuple[GraphRecord, tuple[Event, ...]]


class Watch:
    """What was seen of a forward."""

    def __init__(self, model: nn.Module, name: str) -> None:
        self.model = model
        self.names = {module: path or name for path, module in model.named_modules()}
        self.modules: dict[nn.Module, str] = {}
        self.calls: list[CallRecord] = []
        self.events: list[Event] = []
        self._stack: list[str] = []
        self._spans: dict[str, list[int]] = {}
        self._counts: Counter[nn.Module] = Counter()

    def before(self, module: nn.Module, _: Any) -> None:
        module_id = self.modules.setdefault(module, f"m{len(self.modules)}")
        call = CallRecord(
            id=f"k{len(self.calls)}",
            module=module_id,
            number=self._counts[module],
            parent=self._stack[-1] if self._stack else None,
            code_file="cell 1",
            code_line=len(self.calls) + 1,
        )
        self._counts[module] += 1
        self.calls.append(call)
        self._stack.append(call.id)
        self._spans[call.id] = [torch._C._autograd._get_sequence_nr()]

    def after(self, module: nn.Module, given: Any, output: Any) -> None:
        call = self._stack.pop()
        self._spans[call].append(torch._C._autograd._get_sequence_nr())
        self.events.append(
            ModuleForwardEvent(
                index=len(self.events),
                module=self.names[module],
                call=next(one.number for one in self.calls if one.id == call),
                arguments_before=_arguments("args", given),
                arguments_after=_arguments("output", output),
            )
        )

    def graph_of(self, loss: torch.Tensor) -> GraphRecord:
        """Return the graph behind a tensor, nothing run."""
        return self._with_modules(loss, hookviz.capture(loss, names={"loss": loss}))

    def example(self, loss: torch.Tensor, **names: torch.Tensor) -> Example:
        """Return the graph and the events of the forward and of one real backward."""
        trace = hookviz.record(loss, names={"loss": loss, **names})
        graph = self._with_modules(loss, trace.graph)
        events = (*self.events, *trace.events)
        return graph, tuple(structs.replace(event, index=i) for i, event in enumerate(events))

    def forward_alone(self) -> Example:
        """Return a trace without a graph, as of a forward under `no_grad`."""
        return GraphRecord(modules=self._module_records(), calls=tuple(self.calls)), tuple(
            self.events
        )

    def _module_records(self) -> tuple[ModuleRecord, ...]:
        return tuple(
            ModuleRecord(id=module_id, name=self.names[module], type=type(module).__name__)
            for module, module_id in self.modules.items()
        )

    def _with_modules(self, loss: torch.Tensor, graph: GraphRecord) -> GraphRecord:
        sequence = dict(zip((node.id for node in graph.nodes), _walk(loss), strict=True))
        owners = {
            id(parameter): self.modules[module]
            for module in self.modules
            for parameter in module.parameters(recurse=False)
        }
        leaves = {node.id: owners.get(id(leaf)) for node, leaf in _leaves(graph, loss)}
        return replace(
            graph,
            nodes=tuple(
                node if node.leaf else replace(node, call=self._call_at(sequence[node.id]))
                for node in graph.nodes
            ),
            tensors=tuple(
                replace(tensor, module=leaves.get(tensor.node)) for tensor in graph.tensors
            ),
            modules=self._module_records(),
            calls=tuple(self.calls),
        )

    def _call_at(self, node: Any) -> str | None:
        number = node._sequence_nr()
        inside = [call for call, span in self._spans.items() if span[0] <= number < span[1]]
        return inside[-1] if inside else None


@contextmanager
def watched(model: nn.Module, name: str = "model") -> Iterator[Watch]:
    """Watch the forward of a module and of all in it."""
    watch = Watch(model, name)
    handles = [
        nn.modules.module.register_module_forward_pre_hook(watch.before),
        nn.modules.module.register_module_forward_hook(watch.after),
    ]
    try:
        yield watch
    finally:
        for handle in handles:
            handle.remove()


def _walk(loss: torch.Tensor) -> list[Any]:
    """Return the nodes in the order in which hookviz numbers them."""
    assert loss.grad_fn is not None
    nodes: dict[Any, None] = {loss.grad_fn: None}
    for node in (queue := [loss.grad_fn]):
        for following, _ in node.next_functions:
            if following is not None and following not in nodes:
                nodes[following] = None
                queue.append(following)
    return list(nodes)


def _leaves(graph: GraphRecord, loss: torch.Tensor) -> Iterator[tuple[Any, torch.Tensor]]:
    for node, live in zip(graph.nodes, _walk(loss), strict=True):
        if node.leaf is not None:
            yield node, live.variable


def _arguments(path: str, value: Any) -> tuple[Argument, ...]:
    if isinstance(value, torch.Tensor):
        return (Argument(path=path, snapshot=take(value)),)
    if isinstance(value, tuple | list):
        return tuple(
            argument
            for i, item in enumerate(value)
            for argument in _arguments(f"{path}[{i}]", item)
        )
    return (Argument(path=path, text=repr(value)),)
