"""Hold the plain data between PyTorch and the display: frozen and JSON-safe."""

from hookviz._records.arguments import BackwardArguments
from hookviz._records.events import ErrorRecord, Event, EventKind, Value
from hookviz._records.graph import EdgeRecord, GraphRecord, NodeRecord, TensorRecord
from hookviz._records.hook import BoundName, HookKind, HookRecord
from hookviz._records.module import CallRecord, ModuleRecord, SourceRecord
from hookviz._records.snapshot import TensorSnapshot, TensorSummary
from hookviz._records.trace import TraceRecord

__all__ = [
    "BackwardArguments",
    "BoundName",
    "CallRecord",
    "EdgeRecord",
    "ErrorRecord",
    "Event",
    "EventKind",
    "GraphRecord",
    "HookKind",
    "HookRecord",
    "ModuleRecord",
    "NodeRecord",
    "SourceRecord",
    "TensorRecord",
    "TensorSnapshot",
    "TensorSummary",
    "TraceRecord",
    "Value",
]
