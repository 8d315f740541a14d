"""Step through what PyTorch's autograd and its hooks really do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hookviz._api import capture, explore, record
from hookviz._graph import Graph
from hookviz._records import Event, TensorSnapshot
from hookviz._trace import Trace
from hookviz._watch import Forward, watch
from hookviz.errors import (
    AnswerError,
    ClosedError,
    FreedGraphError,
    GradientError,
    HookRunError,
    HookSourceError,
    HookvizError,
    MissingPackageError,
    NoGradError,
    NotAModuleError,
    NotATensorError,
    RecordingWarning,
    TraceFormatError,
    UnknownTargetError,
)

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from hookviz._widget.explorer import Explorer

__version__ = "0.1.0"

__all__ = [
    "AnswerError",
    "ClosedError",
    "Event",
    "Explorer",
    "Forward",
    "FreedGraphError",
    "GradientError",
    "Graph",
    "HookRunError",
    "HookSourceError",
    "HookvizError",
    "MissingPackageError",
    "NoGradError",
    "NotAModuleError",
    "NotATensorError",
    "RecordingWarning",
    "TensorSnapshot",
    "Trace",
    "TraceFormatError",
    "UnknownTargetError",
    "__version__",
    "capture",
    "explore",
    "record",
    "watch",
]


def __getattr__(name: str) -> Any:
    # The widget is loaded on first use, so that scripts and tests need no Jupyter.
    if name == "Explorer":
        from hookviz._widget.explorer import Explorer

        return Explorer
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Do what `%load_ext hookviz` is for: afterwards a cell may begin with `%%hookviz`."""
    from hookviz._unmodified.cell_magic import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Do what `%unload_ext hookviz` is for."""
    from hookviz._unmodified.cell_magic import unload

    unload(shell)
