"""Write how backward functions, modules and tensors are reached from the caller's variables."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterable

from hookviz._records import GraphRecord, ModuleRecord


def expression_in(names: Iterable[str]) -> str | None:
    """Return the first of some names that reaches a tensor, as an expression."""
    return next((code for name in names if _is_expression(code := _indexed(name))), None)


def module_code(graph: GraphRecord, module: ModuleRecord) -> str | None:
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
    path = _indexed(top.name if top is module else f"{top.name}.{module.name}")
    # A module that no variable names is called by its class: that is no way to reach it.
    return path if _is_expression(path) and top.name != top.type else None


def node_code(graph: GraphRecord) -> dict[str, str]:
    """Return the expression for each backward function that can be reached from a named tensor.

    Example:
        The function `MulBackward0` of `c` is `c.grad_fn`, and that of its first factor, a leaf, is
        `c.grad_fn.next_functions[0][0]`.
    """
    found: dict[str, str] = {}
    for tensor in graph.tensors:
        name = expression_in(tensor.names)
        if name is not None and tensor.node and not tensor.is_leaf:
            found.setdefault(tensor.node, f"{name}.grad_fn")
    nodes = {node.id: node for node in graph.nodes}
    targets = {edge.id: edge.target for edge in graph.edges}
    waiting = deque(found)
    while waiting:
        node_id = waiting.popleft()
        for place, edge in enumerate(nodes[node_id].edges):
            if edge is not None and targets[edge] not in found:
                found[targets[edge]] = f"{found[node_id]}.next_functions[{place}][0]"
                waiting.append(targets[edge])
    return found


def _indexed(name: str) -> str:
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name)


def _is_expression(name: str) -> bool:
    try:
        node = ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return all(
        isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.expr_context)
        for part in ast.walk(node)
    )
