"""Run one real `backward()` and record it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from hookviz.errors import GradientError, NoGradError, NotATensorError
from hookviz.live import internals
from hookviz.live.chain import HookChains
from hookviz.live.describe import Description, look_at
from hookviz.live.earlier import find_earlier, marked, remember
from hookviz.live.event_log import MaybeReading, RawEvent, finished_event
from hookviz.live.graph import LiveGraph
from hookviz.live.printed import printed
from hookviz.live.reading import Keep, Reader
from hookviz.live.recorder import Recorder
from hookviz.records import ErrorRecord, Event, TraceRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardOptions:
    """The arguments of `Tensor.backward`, with PyTorch's names and meanings.

    Attributes:
        gradient: The gradient of the root, of the root's shape; `None` for a real scalar root.
        inputs: Only these tensors get a `.grad`; `None` for all leaves.
        retain_graph: Whether the graph can be run again.
        create_graph: Whether the gradients get a graph of their own.
    """

    gradient: torch.Tensor | None = None
    inputs: Sequence[torch.Tensor] | None = None
    retain_graph: bool = True
    create_graph: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments for `Tensor.backward`."""
        given: dict[str, Any] = {
            "gradient": self.gradient,
            "retain_graph": self.retain_graph,
            "create_graph": self.create_graph,
        }
        if self.inputs is not None:
            given["inputs"] = self.inputs
        return given


def check_inputs(inputs: Any) -> tuple[torch.Tensor, ...] | None:
    """Return the `inputs=` of backward as a tuple.

    Raises:
        NotATensorError: If it is neither a tensor nor a collection of tensors.
        NoGradError: If it is empty, or one of them requires no grad.
    """
    if inputs is None:
        return None
    if isinstance(inputs, torch.Tensor):
        inputs = (inputs,)
    if isinstance(inputs, str) or not isinstance(inputs, Iterable):
        raise NotATensorError(
            f"inputs= is of type {type(inputs).__name__}; it has to be a tensor or a list of "
            "tensors."
        )
    chosen = tuple(inputs)
    for place, tensor in enumerate(chosen):
        if not isinstance(tensor, torch.Tensor):
            raise NotATensorError(
                f"inputs[{place}] is of type {type(tensor).__name__}, not a tensor."
            )
        if not tensor.requires_grad:
            raise NoGradError(f"inputs[{place}] does not require grad, so it cannot get one.")
    if not chosen:
        raise NoGradError("inputs= is empty; leave it out to give every leaf its gradient.")
    return chosen


def with_gradient(root: torch.Tensor, options: BackwardOptions) -> BackwardOptions:
    """Fill in the gradient that PyTorch itself would start a scalar root with.

    Raises:
        GradientError: If it is missing for a root that needs one, or does not fit the root.
    """
    gradient = options.gradient
    if gradient is None:
        if root.numel() != 1 or root.is_complex():
            what = "is complex" if root.is_complex() else f"has shape {list(root.shape)}"
            raise GradientError(
                f"the root {what}; backward() can make the starting gradient only for one real "
                "number. Reduce it first, for example with .sum(), or pass gradient=, a tensor of "
                "the root's shape such as torch.ones_like(root)."
            )
        # What `torch.autograd.backward` makes itself; made here so that it can be recorded.
        return replace(
            options, gradient=torch.ones_like(root, memory_format=torch.preserve_format).detach()
        )
    if not isinstance(gradient, torch.Tensor):
        raise GradientError(
            f"gradient= is of type {type(gradient).__name__}; it has to be a tensor of the root's "
            f"shape {list(root.shape)}."
        )
    if gradient.is_complex() and not root.is_complex():
        raise GradientError(
            f"gradient= is {gradient.dtype}, the root is {root.dtype}; the gradient of a real "
            "root is real."
        )
    if gradient.shape != root.shape:
        raise GradientError(
            f"gradient= has shape {list(gradient.shape)}, the root has shape {list(root.shape)}; "
            "they have to be the same."
        )
    return options


@contextmanager
def watched_nodes(live: LiveGraph, recorder: Recorder) -> Iterator[None]:
    """Have every node call the recorder within the block, and no longer."""
    handles: list[RemovableHandle] = []
    try:
        for node_id, node in live.nodes.items():
            # One at a time onto the list: an interrupt between two leaves no handle behind.
            handles.append(node.register_prehook(recorder.nodes.before(node_id)))
            handles.append(node.register_hook(recorder.nodes.after(node_id)))
        yield
    finally:
        for handle in handles:
            handle.remove()


MANY_NODES = 500
"""From this size on the cycle collector would go over all new records again and again."""


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let Python's cycle collector rest within the block, if it was at work.

    Recording makes records in proportion to the nodes, none of them in cycles. Without the pause
    a node of a chain of 10,000 costs twice what a node of a chain of 100 does.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(slots=True)
class Recording:
    """One recorded pass as the recorder left it: raw, and without anything that is live.

    Attributes:
        error: The exception that ended the pass, or `None`.
    """

    error: ErrorRecord | None
    _graph: Description
    _before: tuple[Event, ...]
    _events: list[RawEvent]
    _grads: dict[str, MaybeReading]
    _earlier: TraceRecord | None
    _made_by_pass: dict[str, int]
    _trace: TraceRecord | None = None

    def trace(self) -> TraceRecord:
        """Make the plain records of everything that was read; the same ones each time."""
        if self._trace is None:
            self._trace = self._finished()
        return self._trace

    def _finished(self) -> TraceRecord:
        with collector_paused() if len(self._events) >= MANY_NODES else nullcontext():
            graph = self._graph.record()
            return TraceRecord(
                graph=replace(graph, nodes=marked(graph.nodes, self._made_by_pass)),
                events=(*self._before, *map(finished_event, self._events)),
                grads={
                    label: None if grad is None else grad.snapshot
                    for label, grad in self._grads.items()
                },
                error=self.error,
                torch_version=str(torch.__version__),
                earlier=self._earlier,
            )


_here = threading.local()


def is_recording() -> bool:
    """Return whether this thread runs a pass of hookviz's own now, or a hook inside one."""
    return bool(getattr(_here, "depth", 0))


@contextmanager
def _at_work() -> Iterator[None]:
    _here.depth = getattr(_here, "depth", 0) + 1
    try:
        yield
    finally:
        _here.depth -= 1


def run_backward(
    live: LiveGraph,
    chains: HookChains,
    options: BackwardOptions,
    *,
    keep: Keep = "summary",
    echo: bool = True,
    backward: Callable[[], object] | None = None,
) -> TraceRecord:
    """Run `root.backward(...)` with every hook watched, and leave nothing behind.

    Args:
        live: The captured graph.
        chains: Its hooks; those that are turned off do not run.
        options: The arguments of backward, complete (see `with_gradient`).
        keep: See `take`.
        echo: Whether what hooks print also reaches standard output.
        backward: What to call in place of `root.backward(...)`: the user's own call of it.

    Returns:
        The trace. An `Exception` inside backward ends it and is kept in it; anything stronger
        (a keyboard interrupt) goes on to the caller after everything is put back.
    """
    return record_backward(live, chains, options, keep=keep, echo=echo, backward=backward).trace()


def record_backward(
    live: LiveGraph,
    chains: HookChains,
    options: BackwardOptions,
    *,
    keep: Keep = "summary",
    echo: bool = True,
    backward: Callable[[], object] | None = None,
) -> Recording:
    """Do the same, and leave the making of the records for later."""
    chains.refresh()
    reader = Reader(keep)
    error = None
    with ExitStack() as stack:
        stack.enter_context(_at_work())
        if len(live.nodes) >= MANY_NODES:
            stack.enter_context(collector_paused())
        graph = look_at(live, chains, reader)
        earlier = find_earlier(live)
        stream = stack.enter_context(printed(echo=echo))
        recorder = Recorder(live, chains, graph.grads, printed=stream, reader=reader)
        stack.enter_context(chains.replaced(recorder.hooks.wrap))
        stack.enter_context(watched_nodes(live, recorder))
        stack.enter_context(recorder.modules_watched())
        if options.gradient is not None:
            recorder.start(options.gradient)
        first_made = internals.sequence_number()
        try:
            if backward is None:
                live.root.backward(**options.arguments())
            else:
                backward()
        except Exception as raised:  # noqa: BLE001 - whatever a hook may raise
            error = recorder.failed(raised)
    grads = {owner.label: recorder.log.grad_now(owner) for owner in live.tensors}
    described = recorder.forward.added_to(graph)
    events = (recorder.log.before, recorder.log.events)
    recording = Recording(error, described, *events, grads, *earlier)
    if options.create_graph:
        remember(recording.trace(), range(first_made, internals.sequence_number()))
    return recording
