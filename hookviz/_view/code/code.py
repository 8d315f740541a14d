"""Write the hooks of a pass as plain PyTorch lines that give the same numbers without hookviz."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hookviz._records import (
    BackwardArguments,
    Event,
    GraphRecord,
    HookRecord,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
    StartEvent,
    TensorSnapshot,
    TraceRecord,
)
from hookviz._view.code.hook import hook_lines, names_read, one_line
from hookviz._view.code.node import expression_in, module_code, node_code
from hookviz._view.code.tensor import gradient_code, tensor_code


def as_code(trace: TraceRecord, arguments: BackwardArguments | None = None) -> str:
    """Return lines to run after the tensors are made, and before anything is registered on them.

    A hook without a source, or a tensor without a name, is a comment that says so.

    Args:
        trace: A pass; its graph holds the hooks as they stood.
        arguments: The arguments of backward, where they are known; the starting gradient always is.
    """
    graph = trace.graph
    taken = _names_in_use(graph)
    if not graph.tensors:
        # A function failed before it made anything.
        return "\n".join([*_module_lines(trace, taken), ""])
    lines = [*_module_lines(trace, taken), *_tensor_lines(graph, taken), *_node_lines(graph, taken)]
    start = next((e for e in trace.events if isinstance(e, StartEvent) and not e.timeline), None)
    if start is not None:
        lines += [*_accumulated_lines(graph), _call(graph, start, arguments or BackwardArguments())]
    return "\n".join([*lines, ""])


def _names_in_use(graph: GraphRecord) -> frozenset[str]:
    """Return the names that stand for tensors and modules, and those that hooks look up."""
    names = [*(name for tensor in graph.tensors for name in tensor.names)]
    names += [module.name for module in graph.modules]
    first = {match[0] for name in names if (match := re.match(r"\w+", name))}
    return frozenset(first).union({"torch"}, *map(names_read, _hooks(graph)))


def _hooks(graph: GraphRecord) -> Iterable[HookRecord]:
    return (hook for _, hooks in graph.hook_chains() for hook in hooks)


def _module_lines(trace: TraceRecord, taken: frozenset[str]) -> Iterator[str]:
    graph = trace.graph
    lines: list[str] = [*_removed_lines(trace)]
    for module in graph.modules:
        path = module_code(graph, module)
        for hook in module.hooks:
            lines.extend(hook_lines(path, hook, taken))
    if lines:
        yield "# before the forward:"
        yield from lines
        yield "# run the forward here; the lines below come after it"


def _removed_lines(trace: TraceRecord) -> Iterator[str]:
    """Yield a comment for each hook that ran in the forward and is no longer there."""
    there = {hook.id for hook in _hooks(trace.graph)}
    for event in trace.events:
        if not isinstance(event, ModuleForwardPreHookEvent | ModuleForwardHookEvent):
            continue
        hook = event.hook
        if hook.id in there:
            continue
        there.add(hook.id)
        yield (
            f"# hook {one_line(hook.label)} of {one_line(event.module or '')} ran in this forward "
            "and has been removed since: it is missing here"
        )


def _tensor_lines(graph: GraphRecord, taken: frozenset[str]) -> Iterator[str]:
    for tensor in graph.tensors:
        for hook in tensor.hooks:
            yield from hook_lines(expression_in(tensor.names), hook, taken)
        if tensor.retains_grad and not tensor.is_leaf:
            name = expression_in(tensor.names)
            line = f"{name or tensor.id}.retain_grad()"
            yield line if name else f"# has no name: {line}"


def _node_lines(graph: GraphRecord, taken: frozenset[str]) -> Iterator[str]:
    paths = node_code(graph)
    for node in graph.nodes:
        for hook in node.hooks:
            yield from hook_lines(paths.get(node.id), hook, taken)


def _accumulated_lines(graph: GraphRecord) -> Iterator[str]:
    """Yield the lines that give `.grad` its value from before the pass, which adds to it."""
    for tensor in graph.tensors:
        if tensor.grad is None:
            continue
        name, numbers = expression_in(tensor.names), tensor_code(tensor.grad)
        if name is not None and numbers is not None:
            yield f"{name}.grad = {numbers}  # of an earlier pass"
        else:
            shape = list(tensor.grad.shape)
            yield f"# {one_line(tensor.label)}.grad already has numbers, of shape {shape}"


def _call(graph: GraphRecord, start: Event, arguments: BackwardArguments) -> str:
    root = expression_in(graph.root.names)
    given: list[str] = []
    missing = [] if root else ["the root has no name here"]
    gradient = start.outgoing
    if isinstance(gradient, TensorSnapshot) and (gradient.shape or gradient.values != ("1.0",)):
        code = gradient_code(gradient, graph.root, expression_in(arguments.gradient))
        given.append(f"gradient={code or '...'}")
        if code is None:
            missing.append(f"gradient= has the shape {list(gradient.shape)} and no name here")
    if arguments.inputs is not None:
        names = [expression_in(found) for found in arguments.inputs]
        given.append(f"inputs=[{', '.join(name or '...' for name in names)}]")
        if None in names:
            missing.append("not all of inputs= have a name here")
    if arguments.create_graph:
        given.append("create_graph=True")
    # PyTorch retains a graph on its own where it creates another.
    if arguments.retain_graph != arguments.create_graph:
        given.append(f"retain_graph={arguments.retain_graph}")
    call = f"{root or 'root'}.backward({', '.join(given)})"
    return f"# {'; '.join(missing)}: {call}" if missing else call
