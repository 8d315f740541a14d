"""Describe one thing that happened while backward ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hookviz._records.hook import HookRecord
from hookviz._records.snapshot import TensorSnapshot

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

Value = TensorSnapshot | None | tuple[TensorSnapshot | None, ...]
"""A gradient, no gradient (`None` travelled), or one of those per slot or per edge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One tensor or other object inside a module's arguments or outputs.

    Attributes:
        path: How to reach it, such as `args[0]`, `kwargs['c']` or `output['logits'][1]`.
        snapshot: Its value if it is a tensor.
        text: A short `repr` if it is not.
    """

    path: str
    snapshot: TensorSnapshot | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRecord:
    """An exception that ended a pass, or one that a forward raised.

    Attributes:
        type: Name of the exception class, such as `RuntimeError`.
        message: PyTorch's or the user's own text, unchanged.
        explanation: A key of the language tables that says it in plain words; may be empty.
        hook: The hook it came from, if it came from one.
        node: Id of the node that was running, if it came from a node.
        tensor: Label of the tensor whose hook it was, if any.
        traceback: Text of the traceback from the user's own code; empty when there is none.
        code_file, code_line, code_text: The user's source line that raised, where no module and no
            backward function did, if known.
    """

    type: str
    message: str
    explanation: str = ""
    hook: HookRecord | None = None
    node: str | None = None
    tensor: str | None = None
    traceback: str = ""
    code_file: str = ""
    code_line: int | None = None
    code_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One step of a forward or backward pass, in the order in which PyTorch took it.

    Attributes:
        index: Place in `Trace.events`.
        kind: See `EventKind`.
        tensor: The first of the tensor's names in the caller's order, else its id.
        node: Id of the node.
        module: Qualified name of the module; empty for an error that the code around all modules
            raised while the forward ran.
        incoming: What arrived: for `node` a tuple with one entry per output slot; else one
            gradient. For `post_accumulate_hook` the leaf's `.grad` before the hook.
        outgoing: What left: for `node` a tuple with one entry per edge; for a hook what goes on;
            for `post_accumulate_hook` the leaf's `.grad` after the hook.
        printed: What user code wrote to standard output during it.
        hook: The hook that ran.
        hook_index: The hook's place in its tensor's chain, from 0, among those that ran.
        rewritten: Whether the gradient that went on differs in value from the one that came in.
        returned_none: Whether the hook returned `None`.
        mutated: Whether the hook changed its argument in place.
        reached: Ids of the edges and labels of the tensors whose recorded, still waiting
            gradient was changed by that in-place change.
        before, after: The tensor's `.grad` before and after, for `retain_grad` and `accumulate`;
            the leaf's value before and after, for `post_accumulate_hook`.
        slot: Output slot of the node at which it happened.
        arguments_before, arguments_after: A module's arguments or outputs, flattened.
        call: Which call of the module, from 0.
        timeline: 0 for the pass itself; 1 and on for a pass inside it, started by one of its hooks
            or nodes.
        error: Present for kind `error`.
        notes: Keys of the language tables: what surprises people here, in the order of importance.
    """

    index: int
    kind: EventKind
    tensor: str | None = None
    node: str | None = None
    module: str | None = None
    incoming: Value = None
    outgoing: Value = None
    printed: str = ""
    hook: HookRecord | None = None
    hook_index: int | None = None
    rewritten: bool = False
    returned_none: bool = False
    mutated: bool = False
    reached: tuple[str, ...] = ()
    before: TensorSnapshot | None = None
    after: TensorSnapshot | None = None
    slot: int | None = None
    arguments_before: tuple[Argument, ...] = ()
    arguments_after: tuple[Argument, ...] = ()
    call: int | None = None
    timeline: int = 0
    error: ErrorRecord | None = None
    notes: tuple[str, ...] = ()
