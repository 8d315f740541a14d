"""Hold the plain data between PyTorch and the display: frozen and JSON-safe."""

from hookviz._records.arguments import BackwardArguments
from hookviz._records.backward_events import (
    AccumulateEvent,
    GradEvent,
    HiddenRewriteEvent,
    NodeEvent,
    NodeHookEvent,
    NodePrehookEvent,
    PostAccumulateHookEvent,
    RetainGradEvent,
    StartEvent,
    TensorHookEvent,
)
from hookviz._records.error import ErrorRecord
from hookviz._records.event import Event, EventKind, HookEvent
from hookviz._records.events import EVENT_CLASSES, AnyEvent, ErrorEvent
from hookviz._records.graph import EdgeRecord, GraphRecord, NodeRecord, TensorRecord
from hookviz._records.hook import HookKind, HookRecord
from hookviz._records.module import CallRecord, ModuleRecord, SourceRecord
from hookviz._records.module_events import (
    ModuleBackwardHookEvent,
    ModuleBackwardPreHookEvent,
    ModuleForwardEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
)
from hookviz._records.snapshot import TensorSnapshot, TensorSummary
from hookviz._records.trace import TraceRecord
from hookviz._records.value import Argument, Value

__all__ = [
    "EVENT_CLASSES",
    "AccumulateEvent",
    "AnyEvent",
    "Argument",
    "BackwardArguments",
    "CallRecord",
    "EdgeRecord",
    "ErrorEvent",
    "ErrorRecord",
    "Event",
    "EventKind",
    "GradEvent",
    "GraphRecord",
    "HiddenRewriteEvent",
    "HookEvent",
    "HookKind",
    "HookRecord",
    "ModuleBackwardHookEvent",
    "ModuleBackwardPreHookEvent",
    "ModuleForwardEvent",
    "ModuleForwardHookEvent",
    "ModuleForwardPreHookEvent",
    "ModuleRecord",
    "NodeEvent",
    "NodeHookEvent",
    "NodePrehookEvent",
    "NodeRecord",
    "PostAccumulateHookEvent",
    "RetainGradEvent",
    "SourceRecord",
    "StartEvent",
    "TensorHookEvent",
    "TensorRecord",
    "TensorSnapshot",
    "TensorSummary",
    "TraceRecord",
    "Value",
]
