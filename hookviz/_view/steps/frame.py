"""Give every element of the picture its fields before anything has run, and after all has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hookviz._records.graph import TensorRecord
from hookviz._records.hook import HookRecord
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import short_text

Patch = tuple[str, str, Text]
"""Id of a tensor, node, or edge; field; what it is from now on."""

PENDING = Message("grad.pending")


def initial_patches(index: GraphIndex) -> Iterator[Patch]:
    """Yield every field of every tensor, node and edge as it is at step 0."""
    yield from initial_tensor_patches(index.graph.tensors)
    for node in index.graph.nodes:
        yield node.id, "state", "pending"
        yield node.id, "note", "" if not node.hooks else hooks_text(node.hooks)
    for edge in index.graph.edges:
        yield edge.id, "state", "pending"
        yield edge.id, "contribution", ""


def hooks_text(hooks: Iterable[HookRecord]) -> Message:
    """Return which hooks stand on a function: it has no rows that could show them."""
    labels: list[Text] = [
        hook.label if hook.enabled else Message("note.hook_off", {"hook": hook.label})
        for hook in hooks
    ]
    return Message("note.hooks" if len(labels) > 1 else "note.hook", {"hooks": tuple(labels)})


def initial_tensor_patches(tensors: Iterable[TensorRecord]) -> Iterator[Patch]:
    """Yield every field of some tensors as it is at step 0."""
    for tensor in tensors:
        yield tensor.id, "state", "pending"
        yield tensor.id, "incoming", ""
        yield tensor.id, "rewritten", ""
        yield tensor.id, "flow", Message("flow.pending")
        yield tensor.id, "grad", PENDING if tensor.grad is None else short_text(tensor.grad)
        yield tensor.id, "note", ""
        yield from initial_hook_patches(tensor.id, tensor.hooks)


def initial_hook_patches(key: str, hooks: Iterable[HookRecord]) -> Iterator[Patch]:
    """Yield the fields of the hooks of a tensor or a call as they are at step 0."""
    for hook in hooks:
        yield key, f"hook:{hook.id}", "" if hook.enabled else Message("hook.off")
        yield key, f"hook-state:{hook.id}", "pending" if hook.enabled else "off"


def final_patches(
    index: GraphIndex, frame: Mapping[tuple[str, str], Text], *, is_error: bool
) -> Iterator[Patch]:
    """Yield what the end of the pass says about elements that are still waiting.

    Args:
        index: The graph.
        frame: What is on screen after the last event.
        is_error: Whether an exception ended the pass.
    """
    for node in index.graph.nodes:
        if frame[node.id, "state"] == "pending":
            yield node.id, "state", "unreached"
    for edge in index.graph.edges:
        if frame[edge.id, "state"] == "pending":
            yield edge.id, "state", "unreached"
    for tensor in index.graph.tensors:
        yield from _final_tensor(index, frame, tensor, is_error=is_error)
        for hook in tensor.hooks:
            if frame[tensor.id, f"hook-state:{hook.id}"] == "pending":
                yield tensor.id, f"hook:{hook.id}", Message("hook.not_run")


def _final_tensor(
    index: GraphIndex,
    frame: Mapping[tuple[str, str], Text],
    tensor: TensorRecord,
    *,
    is_error: bool,
) -> Iterator[Patch]:
    is_waiting = frame[tensor.id, "state"] == "pending"
    is_grad_open = frame[tensor.id, "grad"] == PENDING
    if not is_waiting and not is_grad_open:
        return
    edges = index.edges_into[tensor.node, tensor.output_nr]
    contributions = [frame[edge.id, "contribution"] for edge in edges]
    is_sent = any(contributions) and not _is_dropped(frame, tensor)
    if not is_sent and not frame[tensor.id, "incoming"] and is_waiting:
        yield tensor.id, "state", "unreached"
        yield tensor.id, "flow", Message("flow.unreached")
        if is_grad_open:
            key = "grad.skipped" if any(contributions) else "grad.unreached"
            is_stopped = is_error and any(contributions)
            yield tensor.id, "grad", Message("grad.stopped" if is_stopped else key)
        return
    if is_waiting and not is_error:
        yield tensor.id, "state", "done"
    if is_grad_open:
        yield tensor.id, "grad", _open_grad(frame, tensor, is_error=is_error)


def _is_dropped(frame: Mapping[tuple[str, str], Text], tensor: TensorRecord) -> bool:
    """Return whether the engine let go of the `None` that was sent to a leaf.

    Where something is delivered, also `None`, the leaf's node runs; with `inputs=` it may not.
    """
    is_none = frame[tensor.id, "flow"] == Message("flow.none")
    has_run = frame.get((tensor.node, "state")) not in ("pending", "unreached")
    return tensor.is_leaf and is_none and not has_run


def _open_grad(
    frame: Mapping[tuple[str, str], Text], tensor: TensorRecord, *, is_error: bool
) -> Message:
    """Return why something was sent here and `.grad` is still `None`."""
    if frame[tensor.id, "flow"] == Message("flow.none"):
        return Message("grad.none")
    if not tensor.is_leaf and not tensor.retains_grad and frame[tensor.id, "incoming"]:
        return Message("grad.not_kept")
    return Message("grad.stopped" if is_error else "grad.skipped")
