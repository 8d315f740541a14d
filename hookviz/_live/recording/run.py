"""Run one real `backward()` and record it."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from msgspec import Struct
from msgspec.structs import replace

from hookviz._live import internals
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.describe import Description, look_at
from hookviz._live.graph.hooks import HookChains
from hookviz._live.recording.earlier_passes import find_earlier, marked, remember
from hookviz._live.recording.options import BackwardOptions
from hookviz._live.recording.recorder import Recorder
from hookviz._live.user.printed import printed
from hookviz._live.values.reading import MaybeReading, Reader, finished_event
from hookviz._parameters import Keep
from hookviz._records import AnyEvent, ErrorRecord, TraceRecord

MANY_NODES = 500
"""From this size on the cycle collector would go over all new records again and again."""


@contextmanager
def collector_paused(count: int) -> Iterator[None]:
    """Let Python's cycle collector rest within the block, if there is much to do.

    Recording makes records in proportion to the nodes, none of them in cycles. Without the pause
    a node of a chain of 10,000 costs twice what a node of a chain of 100 does.

    Args:
        count: How many nodes or events there are.
    """
    if count < MANY_NODES or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Recording(Struct):
    """One recorded pass as the recorder left it: readings, and no live object.

    Attributes:
        error: The exception that ended the pass, or `None`.
    """

    error: ErrorRecord | None
    _graph: Description
    _before: tuple[AnyEvent, ...]
    _events: list[AnyEvent]
    _grads: dict[str, MaybeReading]
    _earlier: TraceRecord | None
    _made_by_pass: dict[str, int]
    _trace: TraceRecord | None = None

    def trace(self) -> TraceRecord:
        """Return the plain records of all readings; they are made at the first call."""
        if self._trace is None:
            self._trace = self._finished()
        return self._trace

    def _finished(self) -> TraceRecord:
        with collector_paused(len(self._events)):
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


def record_backward(
    live: LiveGraph,
    chains: HookChains,
    options: BackwardOptions,
    *,
    keep: Keep = "summary",
    echo: bool = True,
    backward: Callable[[], object] | None = None,
) -> Recording:
    """Run `root.backward(...)` with every hook watched, and leave nothing behind.

    Args:
        live: The captured graph.
        chains: Its hooks; those that are turned off do not run.
        options: The arguments of backward, with the gradient (see `with_gradient`).
        keep: See `Keep`.
        echo: Whether what hooks print also reaches standard output.
        backward: Is called in place of `root.backward(...)`: the user's own call of it.

    Returns:
        The pass; its records are made when they are first asked for. An `Exception` inside backward
        ends it and is kept in it; anything stronger (a keyboard interrupt) goes on to the caller
        after everything is put back.
    """
    chains.refresh()
    reader = Reader(keep)
    error = None
    with _at_work(), collector_paused(len(live.nodes)), printed(echo=echo) as stream:
        graph = look_at(live, chains, reader)
        earlier = find_earlier(live)
        recorder = Recorder(live, chains, graph.grads, printed=stream, reader=reader)
        with recorder.watching():
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
    described = recorder.forward.added_to(graph)
    events = (recorder.log.before, recorder.log.events)
    recording = Recording(error, described, *events, recorder.last_grads(), *earlier)
    if options.create_graph:
        remember(recording.trace(), range(first_made, internals.sequence_number()))
    return recording
