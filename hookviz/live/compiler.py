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
from hookviz.languages import table
from hookviz.live.names import Namespace
from hookviz.live.storable import text_of

EXPECTED = "source.expected"
"""Key of the sentence that says what a hook is; it follows every refusal."""


def refused(
    key: str, *, detail: str = "", line: int | None = None, **values: str
) -> HookSourceError:
    """Return the error for a text that is no usable hook.

    Args:
        key: Of the language tables.
        detail: Lines to show as they are, below the sentence: the place in the text.
        line: Where, from 1.
        values: What stands for the sentence's placeholders.
    """
    english = table("en")
    sentence = english[key]
    for name, value in values.items():
        sentence = sentence.replace("{" + name + "}", value)
    parts = [sentence, detail, english[EXPECTED]]
    return HookSourceError(
        "\n".join(part for part in parts if part),
        key=key,
        values={**values, "detail": detail},
        line=line,
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
        raise refused("source.empty")
    namespace = HookNamespace(namespaces)
    try:
        function = _evaluate(source, namespace, filename)
    except SyntaxError as error:
        raise _syntax_error(source, error) from error
    except HookSourceError:
        raise
    except Exception as error:
        raise refused("source.failed", error=f"{type(error).__name__}: {text_of(error)}") from error
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
        raise refused("source.not_callable", kind=type(function).__name__)
    hook: Callable[..., Any] = function
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise refused("source.coroutine")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return hook  # built-in callables do not all say what they take
    try:
        signature.bind(None)
    except TypeError as error:
        raise refused("source.arguments", signature=str(signature), error=text_of(error)) from error
    return hook


def _evaluate(source: str, namespace: HookNamespace, filename: str) -> Any:
    tree = ast.parse(source, filename=filename)
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        # Compiled from the tree, so that a comment or a line break round it does not matter.
        return eval(_compile(ast.Expression(tree.body[0].value), filename, "eval"), namespace)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not functions:
        if any(isinstance(node, ast.AsyncFunctionDef) for node in tree.body):
            raise refused("source.coroutine")
        raise refused("source.no_function", line=1)
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
    place = f"    {text}\n    {' ' * (column - 1)}^"
    found = refused("source.syntax", detail=place, line=line, error=error.msg, number=str(line))
    found.column = column
    return found
