"""Gather every kind of event in one union."""

from typing import TypeAlias, get_args

from hookviz._records.backward_events import (
    AccumulateEvent,
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
from hookviz._records.event import Event, EventKind
from hookviz._records.hook import HookRecord
from hookviz._records.module_events import (
    ModuleBackwardHookEvent,
    ModuleBackwardPreHookEvent,
    ModuleForwardEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
)
from hookviz._records.value import Argument, Value


class ErrorEvent(Event, frozen=True, kw_only=True, tag="error"):
    """An exception ended the pass.

    Attributes:
        error: The exception, where it came from, and an explanation.
        hook: The hook that raised, or whose result PyTorch refused.
        call: Which call of the module, from 0.
        incoming, outgoing: The argument and the result of a refused hook.
        arguments_before: The arguments or outputs that the hook of a module was given.
    """

    error: ErrorRecord
    hook: HookRecord | None = None
    hook_index: int | None = None
    call: int | None = None
    incoming: Value = None
    outgoing: Value = None
    arguments_before: tuple[Argument, ...] = ()


AnyEvent: TypeAlias = (
    StartEvent
    | NodeEvent
    | HiddenRewriteEvent
    | RetainGradEvent
    | AccumulateEvent
    | TensorHookEvent
    | PostAccumulateHookEvent
    | NodePrehookEvent
    | NodeHookEvent
    | ModuleForwardEvent
    | ModuleForwardPreHookEvent
    | ModuleForwardHookEvent
    | ModuleBackwardPreHookEvent
    | ModuleBackwardHookEvent
    | ErrorEvent
)

EVENT_CLASSES: dict[EventKind, type[AnyEvent]] = {
    cls.__struct_config__.tag: cls for cls in get_args(AnyEvent)
}
"""The class of each kind of event."""
