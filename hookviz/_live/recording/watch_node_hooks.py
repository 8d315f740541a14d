"""Watch the hooks that an explorer has put on nodes, while a pass is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hookviz._live.graph.node_hooks import NodeChains, NodeHook, NodeStandIn
from hookviz._live.guard import guarded
from hookviz._live.recording.gradient_tuple import TupleLook, change_of, look
from hookviz._live.recording.log import EventLog
from hookviz._live.recording.watch_arrivals import ArrivalWatcher

Before = tuple[NodeHook, TupleLook]


class NodeHookWatcher:
    """Run hooks on nodes, and write an event for each."""

    def __init__(self, log: EventLog, chains: NodeChains, arrivals_at: ArrivalWatcher) -> None:
        self._log = log
        self._chains = chains
        self._arrivals_at = arrivals_at

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Be told of the hooks within the block."""
        tables = tuple(self._chains.tables())
        try:
            for table in tables:
                table.hooks.listener = self
            yield
        finally:
            for table in tables:
                table.hooks.listener = None

    def run(self, hook: NodeStandIn, args: tuple[Any, ...]) -> Any:
        """Run a hook and note what it was given and what it did."""
        before = self._before(hook, args)
        with self._log.runs.inside_a_hook():
            result = hook.entry.function(*args)
        if before is not None:
            self._log.hook_at_work = before[0]
            self._after(hook, before, result)
        return result

    @guarded
    def _before(self, stand_in: NodeStandIn, args: tuple[Any, ...]) -> Before:
        hooks = stand_in.hooks
        hook = next(one for one in self._chains.of(hooks.node_id) if one.key == stand_in.key)
        if hooks.kind == "node_prehook":
            self._arrives(hooks.node_id, args[0])
        self._log.hook_at_work, self._log.refusable = hook, None
        return hook, look(self._log, args[0])

    def _arrives(self, node_id: str, grads: tuple[Any, ...]) -> None:
        """Note what arrives, once: what is kept as `.grad` is kept before such a hook runs."""
        run = self._log.runs.enter_slot()
        if node_id in run.arrived:
            return
        for output_nr, grad in enumerate(grads):
            slot = (node_id, output_nr)
            reading = self._arrivals_at.node(slot, grad)
            run.arrivals.replace(slot, grad, reading, node_id)
        run.arrived.add(node_id)

    @guarded
    def _after(self, stand_in: NodeStandIn, before: Before, result: Any) -> None:
        hook, given = before
        change = change_of(self._log, given, result, only_tuples=True)
        run = self._log.runs.current
        if hook.kind == "node_prehook":
            pairs = zip(change.passed_on, change.outgoing, strict=True)
            for output_nr, (grad, reading) in enumerate(pairs):
                run.arrivals.replace((hook.owner.id, output_nr), grad, reading, hook.owner.id)
        event = self._log.add(
            kind=hook.kind,
            node=hook.owner.id,
            hook=hook.record,
            hook_index=stand_in.place,
            incoming=given.readings,
            outgoing=change.outgoing,
            rewritten=change.rewritten,
            returned_none=result is None,
            mutated=change.mutated,
            reached=change.reached,
        )
        if change.is_accepted:
            self._log.hook_at_work = None
        else:
            self._log.refusable = (hook, event)
