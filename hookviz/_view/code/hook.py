"""Write one hook as plain PyTorch lines, or as a comment that says why that cannot be."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from hookviz._records import HookKind, HookRecord

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


def hook_lines(owner: str | None, hook: HookRecord, taken: Collection[str]) -> Iterator[str]:
    """Yield the lines that register a hook.

    Args:
        owner: The expression for its tensor, module or function, if there is one.
        hook: The hook.
        taken: Names that the lines must leave alone.
    """
    label = one_line(hook.label)
    register = "register_backward_hook" if hook.is_old_kind else _REGISTER[hook.kind]
    if owner is None:
        yield f"# the tensor, module or function of hook {label} has no name"
        return
    if hook.in_forward:
        change = "" if hook.enabled else ", here it is turned off"
        yield f"# {owner}.{register}(...)  # the forward itself registers {label}{change}"
        return
    try:
        function = _function_of(hook, taken)
    except _NotWrittenError as error:
        yield f"# {owner}.{register}(...)  # {label} {error}"
        return
    flags = "".join(
        f", {flag}=True" for flag in ("with_kwargs", "always_call") if getattr(hook, flag)
    )
    lines = [*function.lines, f"{owner}.{register}({function.expression}{flags})"]
    if hook.enabled:
        yield from lines
    else:
        yield "# turned off:"
        yield from (f"# {line}".rstrip() for line in lines)


def names_read(hook: HookRecord) -> frozenset[str]:
    """Return the names that a hook looks up when it runs, so that no line may define them."""
    try:
        tree = ast.parse(hook.source.strip())
    except (SyntaxError, ValueError):
        return frozenset()
    own = getattr(tree.body[0], "name", None) if tree.body else None
    names = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)}
    return frozenset(names - {own})


def one_line(text: str) -> str:
    """Return a text without line breaks, as a comment needs it."""
    return " ".join(text.split())


class _NotWrittenError(Exception):
    """A hook cannot be written as code; it says why."""


@dataclass(frozen=True, slots=True)
class _Function:
    """The lines that define a function, and the expression that stands for it."""

    lines: list[str]
    expression: str


def _function_of(hook: HookRecord, taken: Collection[str]) -> _Function:
    text = hook.source.strip()
    node = _definition(hook, text)
    closed = [name for name in hook.bound if not name.is_default]
    unknown = [name.name for name in closed if name.value is None]
    if unknown:
        raise _NotWrittenError(f"uses {', '.join(unknown)} of the function it was written in")
    text = _with_defaults(text, node, hook)
    given = ", ".join(f"{name.name}={name.value}" for name in closed)
    if isinstance(node, ast.Lambda):
        if closed:
            text = f"(lambda {given}: {_bracketed(text)})()"
        return _Function([], _bracketed(text))
    if closed:
        maker = _free(f"make_{node.name}", taken)
        lines = [f"def {maker}({given}):", *_indented(text), f"    return {node.name}"]
        return _Function(lines, f"{maker}()")
    if node.name not in taken:
        return _Function(text.splitlines(), node.name)
    if any(isinstance(part, ast.Name) and part.id == node.name for part in ast.walk(node)):
        raise _NotWrittenError("has the name of something else that it or the code uses")
    name = _free(f"{node.name}_hook", taken)
    return _Function(_renamed(text, node, name).splitlines(), name)


def _definition(hook: HookRecord, text: str) -> ast.Lambda | ast.FunctionDef:
    no_source = _NotWrittenError("has no source of its own")
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        raise no_source from None
    # The source of a partial or of a callable object is that of a function behind it.
    if hook.label not in (one_line(text), getattr(statement, "name", None)):
        raise no_source
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Lambda):
        return statement.value
    if not isinstance(statement, ast.FunctionDef):
        raise no_source
    arguments = statement.args
    given = [*arguments.posonlyargs, *arguments.args]
    if given and given[0].arg == "self":
        # A method: without its object it is another function.
        raise no_source
    return statement


def _with_defaults(text: str, node: ast.Lambda | ast.FunctionDef, hook: HookRecord) -> str:
    """Return the text with the values of defaults that would be looked up anew."""
    values = {name.name: name.value for name in hook.bound if name.is_default}
    changes: list[tuple[ast.expr, str]] = []
    for name, default in _default_nodes(node.args):
        if name not in values or _is_constant(default):
            continue
        value = values[name]
        if value is None:
            raise _NotWrittenError(f"has a default for {name} that is no number and no text")
        changes.append((default, value))
    for default, value in reversed(changes):
        start, end = _place(text, default.lineno, default.col_offset), _end_of(text, default)
        text = text[:start] + value + text[end:]
    return text


def _default_nodes(arguments: ast.arguments) -> Iterable[tuple[str, ast.expr]]:
    places = [*arguments.posonlyargs, *arguments.args]
    given = arguments.defaults
    yield from (
        (place.arg, default)
        for place, default in zip(places[len(places) - len(given) :], given, strict=True)
    )
    for place, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield place.arg, default


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant)


def _place(text: str, line: int, column: int) -> int:
    """Return where a place of Python's syntax tree, which counts bytes, is in the text."""
    lines = text.splitlines(keepends=True)
    before = lines[line - 1].encode()[:column].decode()
    return sum(map(len, lines[: line - 1])) + len(before)


def _end_of(text: str, node: ast.expr) -> int:
    return _place(text, node.end_lineno or node.lineno, node.end_col_offset or 0)


def _bracketed(text: str) -> str:
    return text if "\n" not in text else f"(\n{text}\n)"


def _indented(text: str) -> Iterator[str]:
    """Yield the lines one level deeper; what stands inside a string stays as it is."""
    inside = {
        line
        for part in ast.walk(ast.parse(text))
        if isinstance(part, ast.JoinedStr | ast.Constant)
        for line in range(part.lineno + 1, (part.end_lineno or part.lineno) + 1)
    }
    for number, line in enumerate(text.splitlines(), start=1):
        yield line if number in inside else textwrap.indent(line, "    ")


def _renamed(text: str, node: ast.FunctionDef, name: str) -> str:
    start = _place(text, node.lineno, node.col_offset)
    return text[:start] + re.sub(r"def\s+\w+", f"def {name}", text[start:], count=1)


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name
