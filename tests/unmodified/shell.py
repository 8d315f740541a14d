"""A real IPython shell without a front end, and what is to be seen of a cell that ran in it."""

from __future__ import annotations

import atexit
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from hookviz._unmodified import cell_magic as magic


@dataclass(slots=True)
class Ran:
    """What came of a cell.

    Attributes:
        printed: What went to standard output, the shell's own traceback not counted.
        error: The exception that ended the cell.
        frames: The lines of the user's code in its traceback.
        result: The value of the last expression.
        shown: The data of each display, in order.
        traceback: What the shell printed about the error.
    """

    printed: str
    error: BaseException | None
    frames: list[tuple[str, int]]
    result: Any
    shown: list[dict[str, Any]] = field(default_factory=list)
    traceback: str = ""

    @property
    def texts(self) -> list[str]:
        """The plain text of each display but those of explorers."""
        return [data["text/plain"] for data in self.shown if "text/html" in data]


class Shell:
    """One shell with variables of its own."""

    def __init__(self, folder: Path) -> None:
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.xmode = "Context"
        self.shell = InteractiveShell(config=config, ipython_dir=str(folder))

    def close(self) -> None:
        """Forget it; at the end of the process it would take half a second."""
        magic.unload(self.shell)
        self.shell.restore_sys_module_state()
        atexit.unregister(self.shell.atexit_operations)

    @property
    def variables(self) -> dict[str, Any]:
        """What the cells have defined."""
        found: dict[str, Any] = self.shell.user_ns
        return found

    def run(self, cell: str) -> Ran:
        """Run a cell as a front end would."""
        tracebacks: list[str] = []
        InteractiveShell._instance = self.shell  # the one that `display` and `get_ipython` mean
        self.shell._showtraceback = lambda kind, value, lines: tracebacks.append("\n".join(lines))
        with capture_output() as captured:
            result = self.shell.run_cell(cell, store_history=True)
        error = result.error_before_exec or result.error_in_exec
        return Ran(
            printed=captured.stdout,
            error=error,
            frames=_users(error.__traceback__) if error is not None else [],
            result=result.result,
            shown=[output.data for output in captured.outputs],
            traceback=re.sub(r"\x1b\[[\d;]*m", "", "\n".join(tracebacks)),
        )


def _users(entries: TracebackType | None) -> list[tuple[str, int]]:
    return [
        (frame.name, frame.lineno or 0)
        for frame in traceback.extract_tb(entries)
        if "ipython-input" in frame.filename
    ]


def bits(value: Any) -> Any:
    """Return something that compares equal only to the same numbers of the same kind."""
    if isinstance(value, torch.Tensor):
        plain = value.detach().as_subclass(torch.Tensor)
        return (str(value.dtype), tuple(value.shape), plain.resolve_conj().numpy().tobytes())
    if isinstance(value, list | tuple):
        return [bits(item) for item in value]
    return value


def tensors_of(variables: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield name, value and `.grad` of each tensor that has a name."""
    for name, value in sorted(variables.items()):
        if isinstance(value, torch.Tensor) and not name.startswith("_"):
            has_grad = value.is_leaf or value.retains_grad
            yield name, bits(value), bits(value.grad) if has_grad else None
