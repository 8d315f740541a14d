"""Compile the text of a hook in the user's namespace, or tell its fault."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

from hookviz._live.hooks.signatures import arguments_of, refusal_of, sees_kwargs
from hookviz._live.user.names import Namespace
from hookviz._live.user.storable import text_of
from hookviz._records import HookKind
from hookviz.errors import HookSourceError, shortened_around

EXPECTED = "source.expected"
"""Key of the sentence that says what a tensor hook is."""


def expected(kind: HookKind) -> str:
    """Return the key of the sentence that says what a hook is; it follows every refusal."""
    return EXPECTED if kind == "tensor_hook" else f"source.expected.{kind}"


def refused(
    key: str,
    *,
    kind: HookKind = "tensor_hook",
    detail: str = "",
    line: int | None = None,
    **values: str,
) -> HookSourceError:
    """Return the error for a text that is no usable hook.

    Args:
        key: Of the language tables.
        kind: What it was meant to be.
        detail: Lines to show as they are, below the sentence: the place in the text.
        line: Where, from 1.
        values: What stands for the sentence's placeholders.
    """
    return HookSourceError(
        key=key, values=values, detail=detail, expected=expected(kind), line=line
    )


class HookNamespace(dict[str, Any]):
    """Globals of a hook typed in the explorer: what it defines stays in it, all else is live.

    Reading a name looks at the user's variables at that moment, as in a notebook cell; defining a
    function or importing a module in the text of a hook leaves the user's variables alone.
    (Python looks names up through `__missing__` when globals are not an exact `dict`.)
    """

    def __init__(self, namespaces: Iterable[Namespace]) -> None:
        super().__init__()
        self._namespaces = tuple(namespaces)

    def __missing__(self, name: str) -> Any:
        for namespace in self._namespaces:
            if name in namespace:
                return namespace[name]
        raise KeyError(name)

    def has(self, kind: type[Namespace]) -> bool:
        """Return whether it looks at variables of a kind."""
        return any(isinstance(space, kind) and space for space in self._namespaces)

    def space_of(self, name: str) -> Namespace | None:
        """Return the variables among which a name is found now, `None` if it is nowhere."""
        spaces = (self, *self._namespaces)
        return next((space for space in spaces if name in space), None)


def compile_hook(
    text: str,
    namespaces: Iterable[Namespace],
    *,
    filename: str = "<hook>",
    kind: HookKind = "tensor_hook",
    with_kwargs: bool | None = None,
) -> Callable[..., Any]:
    """Compile a lambda, a `def`, or any expression that gives a callable.

    Args:
        text: The typed text. Only the definition is executed.
        namespaces: Where its free names are looked up, in order, each time it runs.
        filename: A name for tracebacks; the text is registered under it.
        kind: What it is to be.
        with_kwargs: Whether a forward hook is to be given keyword arguments; `None` for either.

    Raises:
        HookSourceError: If it does not compile, is not callable, or does not take the arguments
            of its kind; with the line and a caret where that is known.
    """
    source = textwrap.dedent(text).strip("\n")
    if not source.strip():
        raise refused("source.empty", kind=kind)
    namespace = HookNamespace(namespaces)
    try:
        function = _evaluate(source, namespace, filename, kind)
    except SyntaxError as error:
        raise _syntax_error(source, error, kind) from error
    except HookSourceError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {text_of(error)}"
        raise refused("source.failed", kind=kind, error=what) from error
    hook = check_callable(function, kind=kind, with_kwargs=with_kwargs)
    # Tracebacks and `inspect` read the text of a function through this cache.
    lines = [line + "\n" for line in source.splitlines()]
    linecache.cache[filename] = (len(source), None, lines, filename)
    return hook


def check_callable(
    function: Any, *, kind: HookKind = "tensor_hook", with_kwargs: bool | None = None
) -> Callable[..., Any]:
    """Return the hook, or refuse what PyTorch would accept now and fail on when it runs.

    Args:
        function: The hook to be.
        kind: What it is to be.
        with_kwargs: Whether a forward hook is to be given keyword arguments; `None` for either.

    Raises:
        HookSourceError: If it cannot be called with the arguments of its kind, or gives a
            coroutine or a generator instead of a gradient.
    """
    if not callable(function):
        raise refused("source.not_callable", kind=kind, what=type(function).__name__)
    hook: Callable[..., Any] = function
    if _gives_no_gradient(function):
        raise refused("source.coroutine", kind=kind)
    has_kwargs = sees_kwargs(hook, kind) if with_kwargs is None else with_kwargs
    arguments = arguments_of(kind, with_kwargs=has_kwargs)
    error = refusal_of(hook, arguments)
    if error is not None:
        signature, why = str(inspect.signature(hook)), text_of(error)
        if kind == "tensor_hook":
            raise refused("source.arguments", signature=signature, error=why) from error
        raise refused(
            "source.arguments.kind",
            kind=kind,
            arguments=", ".join(arguments),
            signature=signature,
            error=why,
        ) from error
    return hook


def _gives_no_gradient(function: Callable[..., Any]) -> bool:
    try:
        return inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function)
    except Exception:  # noqa: BLE001 - it asks an object of the user's for its attributes
        return False


def _evaluate(source: str, namespace: HookNamespace, filename: str, kind: HookKind) -> Any:
    tree = ast.parse(source, filename=filename)
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        # Compiled from the tree, so that a comment or a line break round it does not matter.
        return eval(_compile(ast.Expression(tree.body[0].value), filename, "eval"), namespace)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        if any(isinstance(node, ast.AsyncFunctionDef) for node in tree.body):
            raise refused("source.coroutine", kind=kind)
        raise refused("source.no_function", kind=kind, line=1)
    exec(_compile(tree, filename, "exec"), namespace)
    return namespace[functions[-1].name]


def _compile(tree: ast.Module | ast.Expression, filename: str, mode: str) -> CodeType:
    code: CodeType = compile(tree, filename, mode, dont_inherit=True)
    return code


def _syntax_error(source: str, error: SyntaxError, kind: HookKind) -> HookSourceError:
    line = error.lineno or 1
    lines = source.splitlines() or [""]
    text = lines[min(line, len(lines)) - 1]
    column = max(min(error.offset or 1, len(text) + 1), 1)
    around, caret = shortened_around(text, column - 1)
    place = f"    {around}\n    {' ' * caret}^"
    found = refused(
        "source.syntax", kind=kind, detail=place, line=line, error=error.msg, number=str(line)
    )
    found.column = column
    return found
