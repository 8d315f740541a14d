"""Write down what the autograd engine does, event by event, without taking part in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.module_hooks import forward_events
from hookviz._live.hooks.at_work import ModuleHookAtWork
from hookviz._live.recording.engine_runs import EngineRuns
from hookviz._live.recording.explain import explain
from hookviz._live.recording.in_flight import Arrivals
from hookviz._live.recording.log import EventLog, MaybeReading
from hookviz._live.recording.watch_arrivals import ArrivalWatcher
from hookviz._live.recording.watch_module_hooks import BackwardHookWatcher
from hookviz._live.recording.watch_node_hooks import NodeHookWatcher
from hookviz._live.recording.watch_nodes import NodeWatcher
from hookviz._live.recording.watch_recomputed import ForwardInBackward
from hookviz._live.recording.watch_tensor_hooks import HookWatcher
from hookviz._live.user.printed import Printed
from hookviz._live.values.reading import Reader
from hookviz._records import ErrorRecord


class Recorder:
    """Build the events of one pass from callbacks that PyTorch makes.

    Every callback returns `None` (a hook's returns what the hook did) and keeps no tensor longer
    than the engine itself needs it.

    Attributes:
        log: The events so far.
        hooks: Makes the wrappers of hooks.
        nodes: Makes the callbacks of nodes.
        module_hooks: Runs the backward hooks of modules.
        node_hooks: Runs the hooks that an explorer has put on nodes.
        forward: Watches modules that are called during the pass.
    """

    def __init__(
        self,
        live: LiveGraph,
        chains: HookChains,
        grads: Iterable[MaybeReading],
        *,
        printed: Printed,
        reader: Reader,
    ) -> None:
        """Prepare to record one pass.

        Args:
            live: The captured graph.
            chains: Its hooks.
            grads: What the `.grad` of each of its tensors is.
            printed: Catches what user code prints.
            reader: Reads tensors.
        """
        self._live = live
        runs = EngineRuns(lambda: Arrivals(reader))
        before = forward_events(live.forward, chains.modules)
        self.log = EventLog(live, grads, runs, printed=printed, reader=reader, before=before)
        arrivals_at = ArrivalWatcher(self.log)
        self.nodes = NodeWatcher(live, self.log, arrivals_at)
        self.hooks = HookWatcher(self.log, arrivals_at, self.nodes.accumulated)
        self.module_hooks = BackwardHookWatcher(self.log, chains.modules)
        self.node_hooks = NodeHookWatcher(self.log, chains.nodes, arrivals_at)
        self.forward = ForwardInBackward(
            self.log, chains.modules, self.module_hooks, live.forward, keep=reader.keep
        )

    @contextmanager
    def modules_watched(self) -> Iterator[None]:
        """Be told, within the block, of what the modules behind the graph and hooks on nodes do."""
        calls = self._live.forward.calls
        with (
            self.module_hooks.listening(calls),
            self.node_hooks.listening(),
            self.forward.watched(),
        ):
            yield

    def start(self, gradient: torch.Tensor) -> None:
        """Note the gradient that is handed to the root."""
        root = self._live.tensors[0]
        if gradient.dtype != root.tensor.dtype:
            # The engine does the same before anything else sees it (tried on 2.13).
            gradient = gradient.detach().to(root.tensor.dtype)
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
        given = made = None
        if last is not None:
            names = (
                ("incoming", "outgoing") if "incoming" in last else ("grad_before", "grad_after")
            )
            given, made = (last[name] for name in names)
        call = hook.call if isinstance(hook, ModuleHookAtWork) else None
        self.log.add(
            kind="error",
            tensor=record.tensor,
            module=None if call is None else call.module,
            call=None if call is None else call.number,
            node=record.node,
            hook=record.hook,
            incoming=given,
            outgoing=made,
            error=record,
        )
        return record
