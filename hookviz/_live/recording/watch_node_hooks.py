"""Watch the hooks that an explorer has put on nodes, while a pass is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hookviz._live.graph.node_hooks import NodeChains, NodeName, NodeStandIn
from hookviz._live.recording.gradient_tuple import GradientTuple, change_of, look
from hookviz._live.recording.hook_watcher import HookWatcher, Noted
from hookviz._live.recording.log import EventLog
from hookviz._live.recording.watch_arrivals import ArrivalWatcher
from hookviz._records import NodeHookEvent, NodePrehookEvent


class NodeHookWatcher(HookWatcher[NodeStandIn, GradientTuple]):
    """Listen to the hooks on nodes."""

    def __init__(self, log: EventLog, chains: NodeChains, arrivals_at: ArrivalWatcher) -> None:
        super().__init__(log)
        self._chains = chains
        self._arrivals_at = arrivals_at

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Listen within the block."""
        tables = tuple(self._chains.tables())
        try:
            for table in tables:
                table.hooks.listener = self
            yield
        finally:
            for table in tables:
                table.hooks.listener = None

    def _look(self, stand_in: NodeStandIn, args: tuple[Any, ...]) -> Noted[GradientTuple]:
        hooks = stand_in.hooks
        of_node = self._chains.of(NodeName(hooks.node_id))
        hook = next(one for one in of_node if one.key == stand_in.key)
        if hooks.kind == "node_prehook":
            self._arrives(hooks.node_id, args[0])
        return hook, look(self._log, args[0])

    def _arrives(self, node_id: str, grads: tuple[Any, ...]) -> None:
        """Note the arriving gradients once: PyTorch keeps a `.grad` before a pre-hook runs."""
        run = self._log.runs.enter_slot()
        if node_id in run.arrived:
            return
        for output_nr, grad in enumerate(grads):
            slot = (node_id, output_nr)
            reading = self._arrivals_at.node(slot, grad)
            run.arrivals.replace(slot, grad, reading, node_id)
        run.arrived.add(node_id)

    def _event(
        self, stand_in: NodeStandIn, noted: Noted[GradientTuple], result: Any
    ) -> tuple[NodePrehookEvent | NodeHookEvent, bool]:
        hook, given = noted
        node_id, is_pre = stand_in.hooks.node_id, hook.kind == "node_prehook"
        change = change_of(self._log, hook, stand_in.place, given, result, only_tuples=True)
        if is_pre:
            pairs = zip(change.passed_on, change.outgoing, strict=True)
            for output_nr, (grad, reading) in enumerate(pairs):
                self._log.runs.arrivals.replace((node_id, output_nr), grad, reading, node_id)
        kind = NodePrehookEvent if is_pre else NodeHookEvent
        event = kind(**self._log.at(), node=node_id, **change.fields)
        return self._log.add(event), change.is_accepted
