"""Hold the plain data between PyTorch and the display: frozen and JSON-safe."""

from hookviz.records.arguments import BackwardArguments
from hookviz.records.event import ErrorRecord, Event, EventKind, Value
from hookviz.records.graph import EdgeRecord, GraphRecord, NodeRecord, TensorRecord
from hookviz.records.hook import BoundName, HookKind, HookRecord
from hookviz.records.module import CallRecord, ModuleRecord, SourceRecord
from hookviz.records.snapshot import TensorSnapshot, TensorSummary
from hookviz.records.trace import TraceRecord

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
