"""Turn the text of a hook into a callable, in the user's namespace, or say what is wrong."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

from hookviz.errors import HookSourceError
from hookviz.live.names import Namespace

EXPECTED = (
    "A tensor hook is a lambda or a def with one argument, the gradient; it returns a new gradient "
    "or None. For example: lambda grad: grad * 2"
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


def compile_hook(
    text: str, namespaces: Iterable[Namespace], *, filename: str = "<hook>"
) -> Callable[..., Any]:
    """Compile a lambda, a `def`, or any expression that gives a callable.

    Args:
        text: What the user typed. Nothing but the definition is executed.
        namespaces: Where its free names are looked up, in order, each time it runs.
        filename: A name for tracebacks; the text is registered under it.

    Raises:
        HookSourceError: If it does not compile, is not callable, or does not take one argument;
            with the line and a caret where that is known.
    """
    source = textwrap.dedent(text).strip("\n")
    if not source.strip():
        raise HookSourceError(f"The hook is empty. {EXPECTED}")
    namespace = HookNamespace(namespaces)
    try:
        function = _evaluate(source, namespace, filename)
    except SyntaxError as error:
        raise _syntax_error(source, error) from error
    except HookSourceError:
        raise
    except Exception as error:
        raise HookSourceError(
            f"This hook could not be made: {type(error).__name__}: {error}\n{EXPECTED}"
        ) from error
    hook = check_callable(function)
    # Tracebacks and `inspect` read the text of a function through this cache.
    lines = [line + "\n" for line in source.splitlines()]
    linecache.cache[filename] = (len(source), None, lines, filename)
    return hook


def check_callable(function: Any) -> Callable[..., Any]:
    """Return the hook, or refuse what PyTorch would accept now and fail on during backward.

    Raises:
        HookSourceError: If it cannot be called with one argument, or gives a coroutine or a
            generator instead of a gradient.
    """
    if not callable(function):
        raise HookSourceError(
            f"This is a {type(function).__name__}, which cannot be called. {EXPECTED}"
        )
    hook: Callable[..., Any] = function
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise HookSourceError(f"An async function or a generator returns no gradient. {EXPECTED}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return hook  # built-in callables do not all say what they take
    try:
        signature.bind(None)
    except TypeError as error:
        raise HookSourceError(
            f"This hook takes {signature}, but PyTorch calls it with one argument, the gradient "
            f"({error}). {EXPECTED}"
        ) from error
    return hook


def _evaluate(source: str, namespace: HookNamespace, filename: str) -> Any:
    tree = ast.parse(source, filename=filename)
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        # Compiled from the tree, so that a comment or a line break round it does not matter.
        return eval(_compile(ast.Expression(tree.body[0].value), filename, "eval"), namespace)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        if any(isinstance(node, ast.AsyncFunctionDef) for node in tree.body):
            raise HookSourceError(f"An async function returns no gradient. {EXPECTED}")
        raise HookSourceError(f"This text defines no function. {EXPECTED}", line=1)
    exec(_compile(tree, filename, "exec"), namespace)
    return namespace[functions[-1].name]


def _compile(tree: ast.Module | ast.Expression, filename: str, mode: str) -> CodeType:
    code: CodeType = compile(tree, filename, mode, dont_inherit=True)
    return code


def _syntax_error(source: str, error: SyntaxError) -> HookSourceError:
    line = error.lineno or 1
    lines = source.splitlines() or [""]
    text = lines[min(line, len(lines)) - 1]
    column = max(min(error.offset or 1, len(text) + 1), 1)
    return HookSourceError(
        f"line {line}: {error.msg}\n    {text}\n    {' ' * (column - 1)}^\n{EXPECTED}",
        line=line,
        column=column,
    )
