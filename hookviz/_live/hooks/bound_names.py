"""Find the names that are bound in a function: closure variables and defaults."""

from __future__ import annotations

import dis
import math
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from hookviz._live.hooks.compiler import HookNamespace
from hookviz._live.hooks.typed import ClosedOver
from hookviz._records import BoundName

_MOST = 200
"""Of a text or a number that takes more characters, nobody would read the code."""


def bound_names(function: Any) -> tuple[BoundName, ...]:
    """Return the names of a function that mean what they meant where it was made.

    Globals are not among them: code that is written elsewhere can see those by their names.
    """
    if not isinstance(function, FunctionType):
        return ()
    return (*_closed_over(function), *_typed_in(function), *_defaults(function))


def _closed_over(function: FunctionType) -> Iterator[BoundName]:
    if not function.__closure__:
        return  # as most hooks; reading their instructions at each event would be felt
    written = frozenset(_operands(function.__code__, "STORE_DEREF", "DELETE_DEREF"))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not assigned yet
            yield BoundName(name=name)
            continue
        if value is function:
            continue  # it calls itself
        # What a hook writes to is another value each time.
        yield BoundName(name=name, value=None if name in written else plain_code(value))


def _typed_in(function: FunctionType) -> Iterator[BoundName]:
    """Yield the names that a typed hook sees in the closure of the hook it replaced."""
    names = function.__globals__
    if not isinstance(names, HookNamespace) or not names.has(ClosedOver):
        return
    for name in sorted(set(_operands(function.__code__, "LOAD_GLOBAL", "LOAD_NAME"))):
        space = names.space_of(name)
        if isinstance(space, ClosedOver):
            yield BoundName(name=name, value=plain_code(space[name]))


def _defaults(function: FunctionType) -> Iterator[BoundName]:
    code = function.__code__
    places = code.co_varnames[: code.co_argcount]
    given = function.__defaults__ or ()
    pairs = (*zip(places[len(places) - len(given) :], given, strict=True),)
    for name, value in (*pairs, *(function.__kwdefaults__ or {}).items()):
        yield BoundName(name=name, value=plain_code(value), is_default=True)


def _operands(code: CodeType, *instructions: str) -> Iterator[str]:
    """Yield the names that these instructions of a function, or of one inside it, are about."""
    for step in dis.get_instructions(code):
        if step.opname in instructions:
            yield str(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _operands(inner, *instructions)


def plain_code(value: Any) -> str | None:
    """Return the Python text of a number, a short text, or `None`; of anything else `None`."""
    kind = type(value)
    if kind is int and value.bit_length() > _MOST:
        return None
    if kind is float and not math.isfinite(value):
        return f'float("{value}")'
    if kind is complex and not (math.isfinite(value.real) and math.isfinite(value.imag)):
        return None
    if kind is str and len(value) > _MOST:
        return None
    return ascii(value) if kind in (int, float, complex, bool, str, type(None)) else None
