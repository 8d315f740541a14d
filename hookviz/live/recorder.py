"""Write down what the autograd engine does, event by event, without taking part in it."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from hookviz.live.arrival_watcher import ArrivalWatcher
from hookviz.live.arrivals import Arrivals
from hookviz.live.engine_run import EngineRuns
from hookviz.live.event_log import EventLog, MaybeReading
from hookviz.live.explain import explain
from hookviz.live.graph import LiveGraph
from hookviz.live.hook_watcher import HookWatcher
from hookviz.live.node_watcher import NodeWatcher
from hookviz.live.printed import Printed
from hookviz.live.reading import Reader
from hookviz.records import ErrorRecord


class Recorder:
    """Build the events of one pass from callbacks that PyTorch makes.

    Every callback returns `None` (a hook's returns what the hook did) and keeps no tensor longer
    than the engine itself needs it.

    Attributes:
        log: The events so far.
        hooks: Makes the wrappers of hooks.
        nodes: Makes the callbacks of nodes.
    """

    def __init__(
        self,
        live: LiveGraph,
        grads: Iterable[MaybeReading],
        *,
        printed: Printed,
        reader: Reader,
    ) -> None:
        """Prepare to record one pass.

        Args:
            live: The captured graph.
            grads: What the `.grad` of each of its tensors is.
            printed: Catches what user code prints.
            reader: Reads tensors.
        """
        self._live = live
        runs = EngineRuns(lambda: Arrivals(reader))
        self.log = EventLog(live, grads, runs, printed=printed, reader=reader)
        arrivals_at = ArrivalWatcher(self.log)
        self.nodes = NodeWatcher(live, self.log, arrivals_at)
        self.hooks = HookWatcher(self.log, arrivals_at, self.nodes.accumulated)

    def start(self, gradient: torch.Tensor) -> None:
        """Note the gradient that is handed to the root."""
        root = self._live.tensors[0]
        reading = self.log.read(gradient)
        self.log.runs.current.arrivals.send(root.slot, gradient, reading, root.label)
        self.log.add(kind="start", tensor=root.label, outgoing=reading)

    def failed(self, error: Exception) -> ErrorRecord:
        """Note the exception that ended the pass, and which hook or node it came from."""
        hook, last = self.log.hook_at_work, None
        refusable = self.log.refusable
        # A hook that still runs has raised itself, whatever one before it has returned.
        if refusable is not None and hook in (None, refusable[0]):
            # The hook itself came through; PyTorch refused what it returned.
            blamed, event = refusable
            if self.log.events[-1] is event:
                self.log.events.pop()
                hook, last = blamed, event
            elif hook is None and self.log.has_refusable_of(blamed.owner):
                hook, last = blamed, event
        record = explain(
            error,
            hook=hook,
            node=self.log.runs.current.node_at_work,
            is_refused=last is not None,
        )
        self.log.add(
            kind="error",
            tensor=record.tensor,
            node=record.node,
            hook=record.hook,
            incoming=last["incoming"] if last is not None else None,
            outgoing=last["outgoing"] if last is not None else None,
            error=record,
        )
        return record
