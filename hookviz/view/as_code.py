"""Write the hooks of a pass as plain PyTorch lines that give the same numbers without hookviz."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from hookviz.records import GraphRecord, HookRecord, ModuleRecord, TensorRecord, TraceRecord
from hookviz.records.snapshot import TensorSnapshot

_REGISTER = {
    "tensor_hook": "register_hook",
    "post_accumulate_hook": "register_post_accumulate_grad_hook",
    "module_forward_pre_hook": "register_forward_pre_hook",
    "module_forward_hook": "register_forward_hook",
    "module_backward_pre_hook": "register_full_backward_pre_hook",
    "module_backward_hook": "register_full_backward_hook",
}


def as_code(trace: TraceRecord, *, inputs: Sequence[str] | None = None) -> str:
    """Return lines to run after the tensors are made, and before anything is registered on them.

    What cannot be written as code (a hook without a source, a tensor without a name) stands there
    as a comment that says so.

    Args:
        trace: A pass; its graph holds the hooks as they stood.
        inputs: Names of what `inputs=` of backward held, if it was given.
    """
    graph = trace.graph
    if not graph.tensors:
        # A function failed before it made anything.
        return "\n".join([*_module_lines(graph), ""])
    lines = [*_module_lines(graph), *_tensor_lines(graph)]
    name = _name(graph.root)
    call = f"{name or 'root'}.backward({_arguments(trace, inputs)})"
    if name is None:
        call = f"# the root has no name here: {call}"
    return "\n".join([*lines, call, ""])


def _module_lines(graph: GraphRecord) -> Iterator[str]:
    lines: list[str] = []
    for module in graph.modules:
        path = module_path(graph, module)
        for hook in module.hooks:
            lines.extend(_hook_lines(path, hook))
    if lines:
        yield "# before the forward:"
        yield from lines
        yield "# run the forward here; the lines below come after it"


def _tensor_lines(graph: GraphRecord) -> Iterator[str]:
    for tensor in graph.tensors:
        for hook in tensor.hooks:
            yield from _hook_lines(_name(tensor), hook)
        if tensor.retains_grad and not tensor.is_leaf:
            name = _name(tensor)
            line = f"{name or tensor.id}.retain_grad()"
            yield line if name else f"# has no name: {line}"


def module_path(graph: GraphRecord, module: ModuleRecord) -> str | None:
    """Return the expression that reaches a module, or `None` where no variable names it.

    Example:
        A module `layers.0.conv` of an outermost module that the caller calls `net` is reached by
        `net.layers[0].conv`.
    """
    modules = {item.id: item for item in graph.modules}
    calls = {call.id: call for call in graph.calls}
    call = next((call for call in graph.calls if call.module == module.id), None)
    while call is not None and call.parent is not None:
        call = calls[call.parent]
    top = modules[call.module] if call is not None else module
    path = top.name if top is module else f"{top.name}.{module.name}"
    path = re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", path)
    # A module that no variable names is called by its class: that is no way to reach it.
    return path if _is_expression(path) and top.name != top.type else None


def _hook_lines(owner: str | None, hook: HookRecord) -> Iterator[str]:
    register = _REGISTER.get(hook.kind)
    if register is None:
        yield f"# {hook.kind} {_one_line(hook.label)}: register it on the node by hand"
        return
    if owner is None:
        yield f"# the tensor or module of hook {_one_line(hook.label)} has no name"
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


def _arguments(trace: TraceRecord, inputs: Sequence[str] | None) -> str:
    given: list[str] = []
    start = next((event for event in trace.events if event.kind == "start"), None)
    if start is not None and isinstance(start.outgoing, TensorSnapshot):
        gradient = start.outgoing
        if gradient.shape or gradient.values != ("1.0",):
            given.append(f"gradient={_tensor_text(gradient)}")
    if inputs is not None:
        given.append(f"inputs=[{', '.join(inputs)}]")
    return ", ".join(given)


def _tensor_text(snapshot: TensorSnapshot) -> str:
    if snapshot.values is None:
        return f"...  # of shape {list(snapshot.shape)}, too large to be written here"
    numbers = snapshot.tolist()
    text = re.sub(r"\b(nan|inf)\b", r"float('\1')", repr(numbers))
    return f"torch.tensor({text}, dtype=torch.{snapshot.dtype})"


def _name(tensor: TensorRecord) -> str | None:
    return next((name for name in tensor.names if _is_expression(name)), None)


def _is_expression(name: str) -> bool:
    try:
        node = ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return all(
        isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.expr_context)
        for part in ast.walk(node)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
