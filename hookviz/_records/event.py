"""Describe one step of a pass: the fields that every kind of event has, and those of all hooks."""

from typing import Literal, cast

import msgspec

from hookviz._records.event_attributes import EventAttributes
from hookviz._records.event_text import event_text
from hookviz._records.hook import HookRecord

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
        notes: Keys of the language tables: surprising facts, the most important first.
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

    def __repr__(self) -> str:
        return event_text(self)


class HookEvent(Event, frozen=True, kw_only=True):
    """A hook ran.

    Attributes:
        hook: The hook.
        hook_index: The hook's place in its chain, from 0, among the hooks that ran.
        rewritten: Whether the value that went on differs from the one that came in. Values are
            compared; the return value of the hook does not count.
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
