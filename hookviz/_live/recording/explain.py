"""Explain an exception out of backward."""

from __future__ import annotations

import re
from typing import Any

from hookviz._live.hooks.hook import LiveHook
from hookviz._live.user.storable import text_of
from hookviz._live.user.tracebacks import user_traceback
from hookviz._records import ErrorRecord, TraceRecord

CHANGED = "hookviz: a value that this backward needs was changed in place"
"""The beginning of the message when a pass is run again over values that it no longer finds."""

_PATTERNS: tuple[tuple[str, str], ...] = (
    (r"has changed the size of value", "error.hook_shape"),
    (r"has changed the type of value.*sparse", "error.hook_layout"),
    (r"has changed the type of value.*got (Meta|CUDA|XPU|MPS|XLA)", "error.hook_device"),
    (r"has changed the type of value", "error.hook_dtype"),
    (r"has changed the device of value", "error.hook_device"),
    (r"post accumulate grad hooks should return None", "error.post_hook_returned"),
    (r"Backward (pre )?hook returned an invalid number", "error.module_hook_count"),
    (r"Backward hook for Modules where no input requires", "error.module_hook_no_input"),
    (r"hook .*returned ", "error.hook_type"),
    (r"can't replace a None gradient", "error.hook_replaced_none"),
    (r"object is not callable", "error.hook_not_callable"),
    (r"takes \d+ positional argument|missing \d+ required positional", "error.hook_arguments"),
    (r"backward through the graph a second time", "error.graph_freed"),
    (rf"modified by an inplace operation|^{CHANGED}", "error.in_place"),
    (r"refers to a single memory location", "error.expanded_gradient"),
    (r"returned an incorrect number of gradients", "error.function_count"),
    (r"returned an invalid gradient", "error.function_shape"),
)
"""Parts of PyTorch's messages (seen on 2.13) and the key of the language tables for each."""


_OF_TENSORS = ("tensor_hook", "post_accumulate_hook")
_OF_NODES = ("node_prehook", "node_hook")


def explain(
    error: BaseException, *, hook: LiveHook[Any] | None, node: str | None, is_refused: bool
) -> ErrorRecord:
    """Describe an exception out of backward.

    Args:
        error: The exception.
        hook: The hook that was at work, if one was.
        node: Id of the node that was at work, if one was.
        is_refused: Whether the hook came through, and PyTorch refused what it returned.
    """
    lines = user_traceback(error)
    if hook is not None and is_refused and hook.kind == "post_accumulate_hook":
        key = "error.post_hook_returned"
    elif hook is None and node is None and lines:
        # Between two nodes only hooks run; one that is not on the list cannot be named.
        key = "error.hidden_hook_raised"
    else:
        key = _explanation(text_of(error), in_hook=hook is not None)
    kind = None if hook is None else hook.kind
    if key == "error.hook_arguments" and kind not in (None, *_OF_TENSORS):
        key = f"error.arguments.{kind}"
    elif key == "error.hook_type" and kind in _OF_NODES:
        key = "error.node_hook_result"
    return ErrorRecord(
        type=type(error).__name__,
        message=text_of(error),
        explanation=key,
        hook=hook.record if hook else None,
        node=hook.owner.label if hook and kind in _OF_NODES else None if hook else node,
        tensor=hook.owner.label if hook and kind in _OF_TENSORS else None,
        traceback=lines,
    )


def _explanation(message: str, *, in_hook: bool) -> str:
    for pattern, key in _PATTERNS:
        if re.search(pattern, message):
            return key
    return "error.hook_raised" if in_hook else "error.node_failed"


def run_message(trace: TraceRecord) -> str:
    """Return a sentence on where and why backward failed after a change of hooks."""
    error = trace.error
    assert error is not None
    where = ""
    if error.hook is not None:
        owner = error.tensor or trace.events[-1].module
        where = f" in the hook {error.hook.label} on {owner}"
    elif error.node is not None:
        name = next((n.name for n in trace.graph.nodes if n.id == error.node), error.node)
        where = f" in {name}"
    is_forward = all(event.module is not None for event in trace.events)
    what = "the forward" if is_forward else "backward()"
    return (
        f"{what} failed{where}: {error.type}: {error.message}\n"
        "The change was taken back; the hooks and every .grad are as they were before it."
    )
