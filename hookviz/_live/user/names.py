"""Find the names that the caller's variables give to tensors."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import torch

from hookviz._live.user.storable import storable

Namespace = Mapping[str, Any]

MAX_DEPTH = 3
MAX_ITEMS = 2000
"""How deep and how far containers are searched; a data set in a list must not cost seconds."""

_WITHOUT_TENSORS = frozenset({FunctionType, BuiltinFunctionType, ModuleType, type, str, int, float})
"""The kinds of most objects in a user's namespace; skipping one is faster than searching it."""

_SHELL_NAMES = frozenset({"In", "Out"})

_MARIMO_NAME = re.compile(r"_cell_[A-Za-z0-9-]+(_\w+)")
"""How marimo keeps a variable such as `_x`, which belongs to one cell, among those of all."""


def named_tensors(namespaces: Iterable[Namespace]) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield each name with its tensor, plain names before those inside containers.

    Names that start with an underscore, and the shell's `In` and `Out`, come last: they name a
    tensor only where nothing else does (see `choose_names`).

    Args:
        namespaces: Mappings of variable names to anything, in order of preference. Lists, tuples,
            dictionaries and modules in them are searched; nothing else is touched.
    """
    shown: list[tuple[str, Any]] = []
    hidden: list[tuple[str, Any]] = []
    seen: set[str] = set()
    for namespace in namespaces:
        # A copy: another thread, or a lazy proxy in the namespace, may change it meanwhile.
        for name, value in list(namespace.items()):
            if name in seen or not isinstance(name, str):
                continue
            name = _as_written(name, seen)
            seen.add(name)
            (hidden if is_hidden(name) else shown).append((name, value))
    for group in (shown, hidden):
        yield from ((name, value) for name, value in group if _is_a(value, torch.Tensor))
        for name, value in group:
            if type(value) not in _WITHOUT_TENSORS:
                yield from _inside(name, value, depth=0)


def is_hidden(name: str) -> bool:
    """Return whether a name is one that the shell makes, not one that the user chose."""
    return name.startswith("_") or name.partition("[")[0] in _SHELL_NAMES


def _as_written(name: str, taken: set[str]) -> str:
    """Return the name that the user wrote in a marimo cell, unless another cell has it too."""
    match = _MARIMO_NAME.fullmatch(name) if "marimo" in sys.modules else None
    return match[1] if match and match[1] not in taken else name


def choose_names(names: Iterable[str], *, given: Collection[str] = ()) -> tuple[str, ...]:
    """Drop the shell's names where the user gave one, and keep the order of the rest.

    Args:
        names: All that were found, in order of preference.
        given: Names given by hand; the shell has made none of them.
    """
    chosen = dict.fromkeys(storable(name) for name in names if name in given or not is_hidden(name))
    return tuple(chosen) or tuple(map(storable, names))[:1]


def _inside(name: str, value: Any, *, depth: int) -> Iterator[tuple[str, torch.Tensor]]:
    if depth >= MAX_DEPTH:
        return
    if _is_a(value, torch.nn.Module):
        for path, parameter in value.named_parameters(remove_duplicate=False):
            yield f"{name}.{path}", parameter
        return
    items: Iterable[tuple[str, Any]]
    if _is_a(value, dict):
        items = [
            (f"{name}[{key!r}]", value[key]) for key in list(value)[:MAX_ITEMS] if _is_key(key)
        ]
    elif _is_a(value, list) or _is_a(value, tuple):
        items = [(f"{name}[{index}]", item) for index, item in enumerate(value[:MAX_ITEMS])]
    else:
        return
    for path, item in items:
        if _is_a(item, torch.Tensor):
            yield path, item
        else:
            yield from _inside(path, item, depth=depth + 1)


def _is_key(key: object) -> bool:
    return type(key) in (str, int, bool)


def _is_a(value: object, kind: type) -> bool:
    # By type and not by isinstance: a lazy proxy answers isinstance by loading its object.
    return issubclass(type(value), kind)
