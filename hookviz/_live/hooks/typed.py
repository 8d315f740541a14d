"""Describe a hook that was typed, and find the variables that it may use."""

from __future__ import annotations

from typing import Any

from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.table import Hook
from hookviz._live.user.attribute import attribute_of
from hookviz._live.user.names import Namespace


def typed_source(text: str, function: Hook) -> HookSource:
    """Describe a hook by the text that was typed for it."""
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    one_line = " ".join(body.split())
    name = attribute_of(function, "__name__", "")
    label = name if name and name != "<lambda>" and one_line != name else one_line
    return HookSource(label=label, text=text.strip("\n"))


class ClosedOver(dict[str, Any]):
    """The closure of a function, as variables."""


def own_namespaces(function: Hook) -> tuple[Namespace, ...]:
    """Return the variables that a function sees where it was written: closure, then globals."""
    closure = attribute_of(function, "__closure__") or ()
    names = attribute_of(attribute_of(function, "__code__"), "co_freevars", ())
    cells = ClosedOver()
    for name, cell in zip(names, closure, strict=False):
        try:
            cells[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    found = attribute_of(function, "__globals__", {})
    return (cells, found)
