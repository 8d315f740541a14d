"""Close the explorers of a notebook cell when the cell is run again."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any, Protocol


class Closable(Protocol):
    """An object that a cell has opened, and that is closed when the cell is run again."""

    def close(self) -> None:
        """Leave nothing behind."""


_opened: dict[str, tuple[int, list[weakref.ref[Any]]]] = {}


def close_earlier() -> Callable[[Closable], None]:
    """Close the explorers of an earlier run of the current cell; hooks would stack up otherwise.

    Returns:
        A function that notes an explorer of this run. Outside a notebook both do nothing.
    """
    marimo = _marimo_cells()
    if marimo is not None:
        # marimo says itself when a cell is run again or deleted.
        return lambda opened: marimo.add(_Opened(opened))
    cell, run = current_cell()
    if cell is None:
        return lambda _: None
    last_run, opened = _opened.get(cell, (run, []))
    if last_run != run:
        for reference in opened:
            explorer = reference()
            if explorer is not None:
                explorer.close()
        opened = []
    _opened[cell] = (run, opened)
    return lambda explorer: opened.append(weakref.ref(explorer))


class _Opened:
    """The listener that marimo tells of the end of a cell."""

    def __init__(self, opened: Closable) -> None:
        self._opened = weakref.ref(opened)

    def create(self, context: object) -> None:
        """Do nothing when the cell begins."""

    def dispose(self, context: object, deletion: bool) -> bool:  # noqa: FBT001 - marimo's way
        """Close the explorer, and tell marimo that this was done."""
        opened = self._opened()
        if opened is not None:
            opened.close()
        return True


def _marimo_cells() -> Any:
    """Return marimo's list of the listeners to the end of the running cell, or `None` elsewhere."""
    module = sys.modules.get("marimo._runtime.context")
    context = getattr(module, "safe_get_context", lambda: None)()
    return getattr(context, "cell_lifecycle_registry", None)


def current_cell() -> tuple[str | None, int]:
    """Return the id of the running cell and the number of its run, if a front end tells them."""
    shell_module = sys.modules.get("IPython")
    if shell_module is None:
        return None, 0
    try:
        shell = shell_module.get_ipython()
        cell = shell.get_parent()["metadata"]["cellId"]
        return str(cell), int(shell.execution_count)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None, 0
