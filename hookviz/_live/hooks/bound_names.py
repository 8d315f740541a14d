"""Find the names that are bound in a function: closure variables and defaults."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from hookviz._live.hooks.compiler import HookNamespace
from hookviz._live.hooks.typed import ClosedOver


def bound_names(function: Any) -> tuple[str, ...]:
    """Return the names of a function that mean what they meant where it was made.

    Globals are not among them: code that is written elsewhere can see those by their names.
    """
    if not isinstance(function, FunctionType):
        return ()
    return (*_closed_over(function), *_typed_in(function), *_with_defaults(function))


def _closed_over(function: FunctionType) -> Iterator[str]:
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            calls_itself = cell.cell_contents is function
        except ValueError:  # not assigned yet
            calls_itself = False
        if not calls_itself:
            yield name


def _typed_in(function: FunctionType) -> Iterator[str]:
    """Yield the names that a typed hook sees in the closure of the hook it replaced."""
    names = function.__globals__
    if isinstance(names, HookNamespace) and names.has(ClosedOver):
        globals_read = sorted(set(_globals_read(function.__code__)))
        yield from (one for one in globals_read if isinstance(names.space_of(one), ClosedOver))


def _with_defaults(function: FunctionType) -> Iterator[str]:
    code = function.__code__
    places = code.co_varnames[: code.co_argcount]
    yield from places[len(places) - len(function.__defaults__ or ()) :]
    yield from function.__kwdefaults__ or ()


def _globals_read(code: CodeType) -> Iterator[str]:
    """Yield the globals that a function, or one inside it, reads."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield str(step.argval)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _globals_read(inner)
