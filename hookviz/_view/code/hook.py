"""Write one hook as plain PyTorch lines; as a comment where the lines need something else."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

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
    function = _definition(hook)
    if function is None:
        yield f"# {owner}.{register}(...)  # {label} has no source of its own"
        return
    text, node = function
    name = text if isinstance(node, ast.Lambda) else node.name
    flags = "".join(
        f", {flag}=True" for flag in ("with_kwargs", "always_call") if getattr(hook, flag)
    )
    lines = f"{owner}.{register}({name}{flags})".splitlines()
    if not isinstance(node, ast.Lambda):
        lines = [*text.splitlines(), *lines]
    reasons = [*_reasons(hook, node, taken)]
    if not reasons:
        yield from lines
        return
    yield f"# {'; '.join(reasons)}:"
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


def _reasons(
    hook: HookRecord, node: ast.Lambda | ast.FunctionDef, taken: Collection[str]
) -> Iterator[str]:
    """Yield why the lines of a hook are not to be run as they are."""
    if not hook.enabled:
        yield "turned off"
    constant = _constant_defaults(node.args)
    bound = [name for name in hook.bound if name not in constant]
    if bound:
        yield f"uses {', '.join(bound)} from where it was written"
    if isinstance(node, ast.FunctionDef) and node.name in taken:
        yield f"needs another name: {node.name} is something else here"


def _definition(hook: HookRecord) -> tuple[str, ast.Lambda | ast.FunctionDef] | None:
    """Return the text of a hook and its syntax, if the hook is what the text defines."""
    text = hook.source.strip()
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return None
    # The source of a partial or of a callable object is that of a function behind it.
    if hook.label not in (one_line(text), getattr(statement, "name", None)):
        return None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Lambda):
        return text, statement.value
    if not isinstance(statement, ast.FunctionDef):
        return None
    given = [*statement.args.posonlyargs, *statement.args.args]
    # A method: without its object it is another function.
    is_method = bool(given) and given[0].arg == "self"
    return None if is_method else (text, statement)


def _constant_defaults(arguments: ast.arguments) -> set[str]:
    """Return the arguments whose default is the same wherever the function is defined."""
    places = [*arguments.posonlyargs, *arguments.args]
    first = len(places) - len(arguments.defaults)
    pairs = [
        *zip(places[first:], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {
        place.arg
        for place, default in pairs
        if isinstance(getattr(default, "operand", default), ast.Constant)  # -1 has an operand
    }
