"""Find the source text of a hook that already exists."""

from __future__ import annotations

import ast
import copy
import dis
import functools
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from msgspec import Struct

from hookviz._live.user.attribute import attribute_of
from hookviz._live.user.code import cell_number


class HookSource(Struct, frozen=True):
    """The source of a callable: a short label, its text, and its place."""

    label: str
    text: str = ""
    location: str = ""


def find_source(function: Callable[..., Any]) -> HookSource:
    """Describe a hook; never fails, and never shows text that is not the hook's own.

    Works for functions in files and notebook cells, for lambdas (also several on one line), and
    for methods, partials and callable objects, whose text is that of the function behind them.

    Args:
        function: Anything that was registered as a hook; it is not called.

    Returns:
        Label, text (empty when it cannot be found or no longer matches), and location.
    """
    plain = _underlying(function)
    if plain is None:
        return HookSource(label=_label_without_code(function))
    code = plain.__code__
    location = _location(code)
    written = _written(code, code.co_linetable, "".join(_source_lines(plain)))
    if written is None:
        return HookSource(label=_label(function, plain), location=location)
    text, is_lambda = written
    is_bare = is_lambda and isinstance(function, FunctionType)
    label = " ".join(text.split()) if is_bare else _label(function, plain)
    return HookSource(label=label, text=text, location=location)


_NOTHING = object()


def _underlying(function: Any) -> FunctionType | None:
    # Bounded, because a `__wrapped__` chain may be a loop.
    for _ in range(10):
        if isinstance(function, FunctionType):
            return function
        if isinstance(function, functools.partial):
            function = function.func
        elif inspect.ismethod(function):
            function = function.__func__
        else:
            wrapped = attribute_of(function, "__wrapped__", _NOTHING)
            is_wrapper = wrapped is not _NOTHING
            function = wrapped if is_wrapper else vars(type(function)).get("__call__")
    return None


def _label_without_code(function: Any) -> str:
    name = attribute_of(function, "__name__")
    return name if isinstance(name, str) else type(function).__name__


def _label(function: Any, plain: FunctionType) -> str:
    if isinstance(function, functools.partial):
        return f"partial({plain.__name__})"
    if inspect.ismethod(function):
        owner = function.__self__
        kind = owner if isinstance(owner, type) else type(owner)
        return f"{kind.__name__}.{plain.__name__}"
    is_wrapper = attribute_of(function, "__wrapped__", _NOTHING) is not _NOTHING
    if not isinstance(function, FunctionType) and not is_wrapper:
        return type(function).__name__
    return "lambda" if plain.__name__ == "<lambda>" else plain.__name__


def _source_lines(function: FunctionType) -> list[str]:
    filename = function.__code__.co_filename
    if not filename.startswith("<"):
        linecache.checkcache(filename)
    return linecache.getlines(filename, function.__globals__)


@functools.lru_cache(maxsize=256)
def _written(code: CodeType, _: bytes, text: str) -> tuple[str, bool] | None:
    """Return the text of a function in the text of its file, and whether it is a lambda.

    Hooks that are registered in a loop have one code. The table of lines and columns is a part of
    the key, because two codes that differ in nothing else are equal.
    """
    try:
        functions = _functions(text)
    except (SyntaxError, ValueError):
        return None
    wanted = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    candidates = [
        node for node in functions.get(code.co_firstlineno, ()) if isinstance(node, wanted)
    ]
    matching = [node for node in candidates if _same_code(code, node)]
    if len(matching) > 1:
        # The same text twice on one line: the columns tell, from Python 3.11 on.
        matching = [node for node in matching if _covers(code, node)] or matching
    if not matching:
        return None
    node = matching[0]
    if isinstance(node, ast.Lambda):
        return ast.get_source_segment(text, node) or "", True
    block = "\n".join(text.split("\n")[_first_line(node) - 1 : node.end_lineno])
    return textwrap.dedent(block).rstrip("\n"), False


@functools.lru_cache(maxsize=64)
def _functions(text: str) -> dict[int, list[ast.Lambda | ast.FunctionDef]]:
    """Return every function of a file by its first line; a file is walked once."""
    found: dict[int, list[ast.Lambda | ast.FunctionDef]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Lambda | ast.FunctionDef):
            found.setdefault(_first_line(node), []).append(node)
    return found


def _first_line(node: ast.Lambda | ast.FunctionDef) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _same_code(code: CodeType, node: ast.Lambda | ast.FunctionDef) -> bool:
    """Return whether the text at this place still compiles to the hook that was registered.

    The file may have been edited since it was imported; showing its new text would be a lie.
    """
    arguments = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    if list(code.co_varnames[: code.co_argcount]) != arguments:
        return False
    statement: ast.stmt
    if isinstance(node, ast.Lambda):
        statement = ast.Expr(node)
    else:
        statement = copy.copy(node)
        statement.decorator_list = []
    wanted = _fingerprint(code)
    return any(_fingerprint(one) == wanted for one in _compiled_inside(statement, code.co_freevars))


def _compiled_inside(statement: ast.stmt, names: Iterable[str]) -> list[CodeType]:
    """Return the code of the functions that a statement makes where these variables are outer.

    Without one around them, `nonlocal` would not compile.
    """
    outer = ast.parse("def around(): pass").body[0]
    assert isinstance(outer, ast.FunctionDef)
    variables = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in names]
    outer.body = [*variables, statement]
    module = ast.fix_missing_locations(ast.Module([outer], []))
    try:
        compiled = compile(module, "<hookviz>", "exec")
    except (SyntaxError, ValueError):
        return []
    (around,) = (code for code in compiled.co_consts if isinstance(code, CodeType))
    return [code for code in around.co_consts if isinstance(code, CodeType)]


def _fingerprint(code: CodeType) -> list[tuple[str, object]]:
    # Instruction by instruction, but blind to what depends on the place: a variable of an
    # enclosing function is read by another instruction there, and jumps count from elsewhere.
    steps: list[tuple[str, object]] = []
    for step in dis.get_instructions(code):
        if step.opname in _PLACE_DEPENDENT:
            continue
        name = "LOAD_OUTER" if step.opname in _OUTER_LOADS else step.opname
        if name == "LOAD_METHOD":
            # Of what its own file has imported, Python reads a function as any attribute.
            name = "LOAD_ATTR"
        operand: object = step.argrepr if isinstance(step.argval, int) else step.argval
        if step.opcode in _JUMPS:
            operand = None
        elif isinstance(step.argval, CodeType):
            operand = _fingerprint(step.argval)
        elif not isinstance(operand, str):
            operand = repr(operand)
        steps.append((name, operand))
    return steps


_PLACE_DEPENDENT = frozenset(
    {"RESUME", "COPY_FREE_VARS", "MAKE_CELL", "NOP", "CACHE", "EXTENDED_ARG", "PUSH_NULL"}
)
_OUTER_LOADS = frozenset({"LOAD_DEREF", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_CLASSDEREF"})
_JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs})


def _covers(code: CodeType, node: ast.Lambda | ast.FunctionDef) -> bool:
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return False
    columns = [(line, column) for line, _, column, _ in positions() if line and column is not None]
    start = (node.lineno, node.col_offset)
    end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
    inside = [place for place in columns if place[1] > 0]
    return bool(inside) and all(start <= place <= end for place in inside)


def _location(code: CodeType) -> str:
    filename, cell = code.co_filename, cell_number(code.co_filename)
    name = Path(filename).name if cell is None else f"cell {cell}"
    return f"{name}:{code.co_firstlineno}"
