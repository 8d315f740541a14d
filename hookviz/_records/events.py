"""Describe what happened while a pass ran: one small frozen class for each kind of event."""

from __future__ import annotations

from typing import Literal, TypeAlias, cast, get_args

import msgspec

from hookviz._records.error import ErrorRecord
from hookviz._records.event_attributes import EventAttributes
from hookviz._records.hook import HookRecord
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Argument, Value

EventKind = Literal[
    "start",
    "tensor_hook",
    "hidden_rewrite",
    "retain_grad",
    "node",
    "accumulate",
    "post_accumulate_hook",
    "node_prehook",
    "node_hook",
    "module_forward_pre_hook",
    "module_forward",
    "module_forward_hook",
    "module_backward_pre_hook",
    "module_backward_hook",
    "error",
]


class Event(
    msgspec.Struct,
    EventAttributes,
    frozen=True,
    kw_only=True,
    tag_field="kind",
    omit_defaults=True,
):
    """One step of a forward or backward pass, in the order in which PyTorch took it.

    Attributes:
        index: Place in `trace.events`, from 0.
        tensor: The first of the tensor's names in the caller's order, else its id.
        node: Id of the node, such as `n0`.
        module: Qualified name of the module; empty for an error that the code around all modules
            raised while the forward ran.
        printed: The text that user code wrote to standard output during the event.
        timeline: 0 for the pass itself; 1 and on for a pass inside it, started by one of its hooks
            or nodes.
        notes: Keys of the language tables: what surprises people here, most important first.
    """

    index: int
    tensor: str | None = None
    node: str | None = None
    module: str | None = None
    printed: str = ""
    timeline: int = 0
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> EventKind:
        """The kind of the event, such as `"tensor_hook"`."""
        return cast("EventKind", self.__struct_config__.tag)


class StartEvent(Event, frozen=True, kw_only=True, tag="start"):
    """The gradient that was handed to the root.

    Attributes:
        outgoing: The gradient; ones for a scalar root unless `gradient=` was given.
    """

    outgoing: Value = None


class NodeEvent(Event, frozen=True, kw_only=True, tag="node"):
    """A backward function ran.

    Attributes:
        incoming: One gradient per output slot of the node.
        outgoing: One gradient per edge, in the order of `next_functions`; `None` where no gradient
            travelled.
    """

    incoming: Value = None
    outgoing: Value = None


class HiddenRewriteEvent(Event, frozen=True, kw_only=True, tag="hidden_rewrite"):
    """Another gradient arrived than was sent, and no listed hook explains it.

    Attributes:
        slot: Output slot of the node.
        incoming: The gradient that was sent; the sum in the engine's order where several met.
        outgoing: The gradient that arrived.
    """

    slot: int | None = None
    incoming: Value = None
    outgoing: Value = None

    @property
    def rewritten(self) -> bool:
        """Always true."""
        return True


class GradEvent(Event, frozen=True, kw_only=True):
    """The `.grad` of a tensor was set or added to.

    Attributes:
        incoming: The gradient that arrived.
        grad_before, grad_after: The tensor's `.grad`.
    """

    incoming: Value = None
    grad_before: TensorSnapshot | None = None
    grad_after: TensorSnapshot | None = None

    @property
    def before(self) -> TensorSnapshot | None:
        """The tensor's `.grad` before."""
        return self.grad_before

    @property
    def after(self) -> TensorSnapshot | None:
        """The tensor's `.grad` after."""
        return self.grad_after


class RetainGradEvent(GradEvent, frozen=True, kw_only=True, tag="retain_grad"):
    """The `.grad` of a non-leaf was kept, because of `retain_grad()`.

    Attributes:
        slot: Output slot of the node.
    """

    slot: int | None = None


class AccumulateEvent(GradEvent, frozen=True, kw_only=True, tag="accumulate"):
    """An `AccumulateGrad` node added a gradient to the `.grad` of a leaf.

    Attributes:
        reached: Labels of tensors whose `.grad` lies in the same memory and changed with it.
    """

    reached: tuple[str, ...] = ()


class HookEvent(Event, frozen=True, kw_only=True):
    """A hook ran.

    Attributes:
        hook: The hook.
        hook_index: The hook's place in its chain, from 0, among the hooks that ran.
        rewritten: Whether the value that went on differs from the one that came in. Values are
            compared; what the hook returned does not count.
        returned_none: Whether the hook returned `None`.
        mutated: Whether the hook changed its argument in place.
        reached: Ids of the edges and labels of the tensors whose recorded, still waiting gradient
            was changed by that in-place change.
    """

    hook: HookRecord
    hook_index: int | None = None
    rewritten: bool = False
    returned_none: bool = False
    mutated: bool = False
    reached: tuple[str, ...] = ()


class TensorHookEvent(HookEvent, frozen=True, kw_only=True, tag="tensor_hook"):
    """A hook of a tensor ran (`Tensor.register_hook`).

    Attributes:
        slot: Output slot of the node at which it ran.
        incoming, outgoing: The gradient that the hook was given, and the one that went on.
    """

    slot: int | None = None
    incoming: Value = None
    outgoing: Value = None


class PostAccumulateHookEvent(HookEvent, frozen=True, kw_only=True, tag="post_accumulate_hook"):
    """A hook of a leaf ran after its `.grad` was added to.

    Attributes:
        grad_before, grad_after: The leaf's `.grad` before and after the hook.
        value_before, value_after: The leaf itself before and after the hook.
    """

    grad_before: TensorSnapshot | None = None
    grad_after: TensorSnapshot | None = None
    value_before: TensorSnapshot | None = None
    value_after: TensorSnapshot | None = None

    @property
    def incoming(self) -> TensorSnapshot | None:
        """The leaf's `.grad` before the hook."""
        return self.grad_before

    @property
    def outgoing(self) -> TensorSnapshot | None:
        """The leaf's `.grad` after the hook."""
        return self.grad_after

    @property
    def before(self) -> TensorSnapshot | None:
        """The leaf before the hook."""
        return self.value_before

    @property
    def after(self) -> TensorSnapshot | None:
        """The leaf after the hook."""
        return self.value_after


class NodePrehookEvent(HookEvent, frozen=True, kw_only=True, tag="node_prehook"):
    """A hook ran before a backward function (`Node.register_prehook`).

    Attributes:
        incoming, outgoing: The gradients per output slot, as the hook was given them and after it.
    """

    incoming: Value = None
    outgoing: Value = None


class NodeHookEvent(HookEvent, frozen=True, kw_only=True, tag="node_hook"):
    """A hook ran after a backward function (`Node.register_hook`).

    Attributes:
        incoming, outgoing: The gradients per edge, as the hook was given them and after it.
    """

    incoming: Value = None
    outgoing: Value = None


class ModuleForwardEvent(Event, frozen=True, kw_only=True, tag="module_forward"):
    """The `forward` of a module ran.

    Attributes:
        call: Which call of the module, from 0.
        arguments_before: Its arguments, flattened.
        arguments_after: Its outputs, flattened.
    """

    call: int | None = None
    arguments_before: tuple[Argument, ...] = ()
    arguments_after: tuple[Argument, ...] = ()


class ModuleForwardPreHookEvent(
    HookEvent, frozen=True, kw_only=True, tag="module_forward_pre_hook"
):
    """A hook ran before the `forward` of a module.

    Attributes:
        call: Which call of the module, from 0.
        arguments_before, arguments_after: The module's arguments, flattened.
    """

    call: int | None = None
    arguments_before: tuple[Argument, ...] = ()
    arguments_after: tuple[Argument, ...] = ()


class ModuleForwardHookEvent(HookEvent, frozen=True, kw_only=True, tag="module_forward_hook"):
    """A hook ran after the `forward` of a module.

    Attributes:
        call: Which call of the module, from 0.
        arguments_before, arguments_after: The module's outputs, flattened.
    """

    call: int | None = None
    arguments_before: tuple[Argument, ...] = ()
    arguments_after: tuple[Argument, ...] = ()


class ModuleBackwardPreHookEvent(
    HookEvent, frozen=True, kw_only=True, tag="module_backward_pre_hook"
):
    """A full backward pre-hook of a module ran.

    Attributes:
        call: Which call of the module, from 0.
        incoming, outgoing: `grad_output`, as the hook was given it and after the hook.
    """

    call: int | None = None
    incoming: Value = None
    outgoing: Value = None


class ModuleBackwardHookEvent(HookEvent, frozen=True, kw_only=True, tag="module_backward_hook"):
    """A backward hook of a module ran.

    Attributes:
        call: Which call of the module, from 0.
        incoming, outgoing: `grad_input`, as the hook was given it and after the hook.
        grad_output: The gradients of the module's outputs, which the hook was given as well.
    """

    call: int | None = None
    incoming: Value = None
    outgoing: Value = None
    grad_output: tuple[Argument, ...] = ()

    @property
    def arguments_before(self) -> tuple[Argument, ...]:
        """The arguments of the hook beside `grad_input`."""
        return self.grad_output


class ErrorEvent(Event, frozen=True, kw_only=True, tag="error"):
    """An exception ended the pass.

    Attributes:
        error: The exception, where it came from, and an explanation.
        hook: The hook that raised, or whose result PyTorch refused.
        call: Which call of the module, from 0.
        incoming, outgoing: What a refused hook was given and what it made of it.
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
