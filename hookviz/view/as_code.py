"""Write the hooks of a pass as plain PyTorch lines that give the same numbers without hookviz."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hookviz.records import (
    BackwardArguments,
    Event,
    GraphRecord,
    HookKind,
    HookRecord,
    TensorSnapshot,
    TraceRecord,
)
from hookviz.view.node_code import expression_in, module_code, node_code
from hookviz.view.tensor_code import gradient_code, tensor_code

_REGISTER: dict[HookKind, str] = {
    "tensor_hook": "register_hook",
    "post_accumulate_hook": "register_post_accumulate_grad_hook",
    "node_prehook": "register_prehook",
    "node_hook": "register_hook",
    "module_forward_pre_hook": "register_forward_pre_hook",
    "module_forward_hook": "register_forward_hook",
    "module_backward_pre_hook": "register_full_backward_pre_hook",
    "module_backward_hook": "register_full_backward_hook",
}


def as_code(trace: TraceRecord, arguments: BackwardArguments | None = None) -> str:
    """Return lines to run after the tensors are made, and before anything is registered on them.

    What cannot be written as code (a hook without a source, a tensor without a name) stands there
    as a comment that says so.

    Args:
        trace: A pass; its graph holds the hooks as they stood.
        arguments: What backward was given, where that is known; the starting gradient is anyway.
    """
    graph = trace.graph
    if not graph.tensors:
        # A function failed before it made anything.
        return "\n".join([*_module_lines(graph), ""])
    lines = [*_module_lines(graph), *_tensor_lines(graph), *_node_lines(graph)]
    start = next((e for e in trace.events if e.kind == "start" and not e.timeline), None)
    if start is not None:
        lines += [*_accumulated_lines(graph), _call(graph, start, arguments or BackwardArguments())]
    return "\n".join([*lines, ""])


def _module_lines(graph: GraphRecord) -> Iterator[str]:
    lines: list[str] = []
    for module in graph.modules:
        path = module_code(graph, module)
        for hook in module.hooks:
            lines.extend(_hook_lines(path, hook))
    if lines:
        yield "# before the forward:"
        yield from lines
        yield "# run the forward here; the lines below come after it"


def _tensor_lines(graph: GraphRecord) -> Iterator[str]:
    for tensor in graph.tensors:
        for hook in tensor.hooks:
            yield from _hook_lines(expression_in(tensor.names), hook)
        if tensor.retains_grad and not tensor.is_leaf:
            name = expression_in(tensor.names)
            line = f"{name or tensor.id}.retain_grad()"
            yield line if name else f"# has no name: {line}"


def _node_lines(graph: GraphRecord) -> Iterator[str]:
    paths = node_code(graph)
    for node in graph.nodes:
        for hook in node.hooks:
            yield from _hook_lines(paths.get(node.id), hook)


def _accumulated_lines(graph: GraphRecord) -> Iterator[str]:
    """Yield what makes `.grad` hold what it held before, for the pass to add to."""
    for tensor in graph.tensors:
        if tensor.grad is None:
            continue
        name, numbers = expression_in(tensor.names), tensor_code(tensor.grad)
        if name is not None and numbers is not None:
            yield f"{name}.grad = {numbers}  # of an earlier pass"
        else:
            shape = list(tensor.grad.shape)
            yield f"# {_one_line(tensor.label)}.grad already has numbers, of shape {shape}"


def _hook_lines(owner: str | None, hook: HookRecord) -> Iterator[str]:
    register = _REGISTER[hook.kind]
    if owner is None:
        yield f"# the tensor, module or function of hook {_one_line(hook.label)} has no name"
        return
    function = _function_of(hook)
    if function is None:
        yield f"# {owner}.{register}(...)  # {_one_line(hook.label)} has no source of its own"
        return
    definition, name = function
    flags = "".join(
        f", {flag}=True" for flag in ("with_kwargs", "always_call") if getattr(hook, flag)
    )
    lines = [*definition, f"{owner}.{register}({name}{flags})"]
    if hook.enabled:
        yield from lines
    else:
        yield "# turned off:"
        yield from (f"# {line}".rstrip() for line in lines)


def _function_of(hook: HookRecord) -> tuple[list[str], str] | None:
    """Return the lines that define a hook and the expression that stands for it."""
    text = hook.source.strip()
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    # The source of a partial or of a callable object is that of a function behind it.
    is_itself = hook.label in (_one_line(text), getattr(statement, "name", None))
    if not is_itself:
        return None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Lambda):
        return [], text if "\n" not in text else f"(\n{text}\n)"
    if not isinstance(statement, ast.FunctionDef):
        return None
    arguments = statement.args
    given = [*arguments.posonlyargs, *arguments.args]
    if given and given[0].arg == "self":
        # A method: without its object it is another function.
        return None
    return text.splitlines(), statement.name


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


def _one_line(text: str) -> str:
    return " ".join(text.split())
