"""Lay out a module's arguments or outputs: each object in its containers, with the way to it."""

from __future__ import annotations

import dataclasses
from collections import UserDict
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from hookviz._live.user.short_text import short_text

Item = tuple[str, Any]
"""A path such as `args[0]['x']`, and what is there."""

MAX_DEPTH = 6
MAX_ITEMS = 200
MORE = "…"
"""Path of the item that stands for all that was left out."""


def of_call(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Item, ...]:
    """Return the arguments of a call, positional ones first.

    Example:
        >>> of_call((1, [2, 3]), {"c": None})
        (('args[0]', 1), ('args[1][0]', 2), ('args[1][1]', 3), ("kwargs['c']", None))
    """
    items = [(f"args[{place}]", value) for place, value in enumerate(args)]
    items += [(f"kwargs[{name!r}]", value) for name, value in kwargs.items()]
    return _limited(item for start in items for item in _inside(*start, depth=0))


def of_output(output: Any, name: str = "output") -> tuple[Item, ...]:
    """Return the output of a call: `output` itself, or the objects in its containers."""
    return _limited(_inside(name, output, depth=0))


def _limited(items: Iterator[Item]) -> tuple[Item, ...]:
    found: list[Item] = []
    for item in items:
        if len(found) == MAX_ITEMS:
            found.append((MORE, None))
            break
        found.append(item)
    return tuple(found)


def _inside(path: str, value: Any, *, depth: int) -> Iterator[Item]:
    parts = None if depth == MAX_DEPTH or is_tensor(value) else _parts(value)
    if not parts:
        yield path, value
        return
    for step, part in parts:
        yield from _inside(path + step, part, depth=depth + 1)


def _parts(value: Any) -> list[tuple[str, Any]] | None:
    """Return the parts of a container, read without methods that the user may have written.

    A dictionary comes before a dataclass, because the outputs of some libraries are both and are
    read by key.
    """
    kind = type(value)
    if issubclass(kind, UserDict):
        value, kind = vars(value).get("data"), dict
    if issubclass(kind, dict) and isinstance(value, dict):
        items = list(dict.items(value))[: MAX_ITEMS + 1]
        return [(f"[{short_text(key)}]", part) for key, part in items]
    if issubclass(kind, torch.Size):
        return None
    if issubclass(kind, tuple):
        names = getattr(kind, "_fields", None)
        parts = list(tuple.__iter__(value))[: MAX_ITEMS + 1]
        if isinstance(names, tuple) and len(names) == tuple.__len__(value):
            return [(f".{name}", part) for name, part in zip(names, parts, strict=False)]
        return [(f"[{place}]", part) for place, part in enumerate(parts)]
    if issubclass(kind, list):
        parts = list(list.__iter__(value))[: MAX_ITEMS + 1]
        return [(f"[{place}]", part) for place, part in enumerate(parts)]
    if dataclasses.is_dataclass(kind):
        held = getattr(value, "__dict__", {})
        names = [field.name for field in dataclasses.fields(kind) if field.name in held]
        return [(f".{name}", held[name]) for name in names]
    return None


def is_tensor(value: object) -> bool:
    """Return whether this is a tensor, judged by its type: a lazy proxy answers `isinstance`."""
    return issubclass(type(value), torch.Tensor)
