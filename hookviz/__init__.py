"""Step through what PyTorch's autograd and its hooks really do.

Example:
    >>> import torch, hookviz
    >>> a = torch.tensor(2.0, requires_grad=True)
    >>> c = a * 3
    >>> _ = c.register_hook(lambda grad: grad + 10)
    >>> e = c * 4
    >>> trace = hookviz.record(e)  # calls e.backward() once, for real
    >>> print(trace)
    Backward from e
    <BLANKLINE>
    1  e             receives 1, backward starts here
    2  MulBackward0  sends 4 to c
    3  c             4 → 14 by hook lambda grad: grad + 10
    4  MulBackward0  sends 42 to a
    5  a             .grad None → 42
    <BLANKLINE>
    .grad of each tensor, before → after
      e  None → None: computed, not kept
      c  None → None: computed, not kept
      a  None → 42
    >>> trace.grad("a")
    42.

In a notebook, `hookviz.explore(e)` shows the same pass as a widget, `hookviz.capture(e)`
the graph alone, and a cell that begins with `%%hookviz` is recorded as it is.
"""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any

from hookviz._api import capture, explore, record
from hookviz._graph import Graph
from hookviz._records import (
    AccumulateEvent,
    Argument,
    ErrorEvent,
    ErrorRecord,
    Event,
    GradEvent,
    HiddenRewriteEvent,
    HookEvent,
    HookKind,
    HookRecord,
    ModuleBackwardHookEvent,
    ModuleBackwardPreHookEvent,
    ModuleForwardEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
    NodeEvent,
    NodeHookEvent,
    NodePrehookEvent,
    PostAccumulateHookEvent,
    RetainGradEvent,
    StartEvent,
    TensorHookEvent,
    TensorSnapshot,
    TensorSummary,
)
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

    from hookviz._view.lesson.answers import Verdict
    from hookviz._widget.explorer import Explorer

__all__ = [
    "AccumulateEvent",
    "AnswerError",
    "Argument",
    "ClosedError",
    "ErrorEvent",
    "ErrorRecord",
    "Event",
    "Explorer",
    "Forward",
    "FreedGraphError",
    "GradEvent",
    "GradientError",
    "Graph",
    "HiddenRewriteEvent",
    "HookEvent",
    "HookKind",
    "HookRecord",
    "HookRunError",
    "HookSourceError",
    "HookvizError",
    "MissingPackageError",
    "ModuleBackwardHookEvent",
    "ModuleBackwardPreHookEvent",
    "ModuleForwardEvent",
    "ModuleForwardHookEvent",
    "ModuleForwardPreHookEvent",
    "NoGradError",
    "NodeEvent",
    "NodeHookEvent",
    "NodePrehookEvent",
    "NotAModuleError",
    "NotATensorError",
    "PostAccumulateHookEvent",
    "RecordingWarning",
    "RetainGradEvent",
    "StartEvent",
    "TensorHookEvent",
    "TensorSnapshot",
    "TensorSummary",
    "Trace",
    "TraceFormatError",
    "UnknownTargetError",
    "Verdict",
    "__version__",
    "capture",
    "explore",
    "record",
    "watch",
]

# Scripts and tests need no Jupyter, so the widget is loaded on first use.
_LATER = {"Explorer": "hookviz._widget.explorer", "Verdict": "hookviz._view.lesson.answers"}

# The names that users type are those that help() and an exception show.
for _public in map(globals().get, __all__):
    if isinstance(_public, type | FunctionType):
        _public.__module__ = __name__
del _public


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Do what `%load_ext hookviz` is for: afterwards a cell may begin with `%%hookviz`."""
    from hookviz._unmodified.cell_magic import load

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Do what `%unload_ext hookviz` is for."""
    from hookviz._unmodified.cell_magic import unload

    unload(shell)
