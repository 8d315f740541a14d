"""Watch the backward hooks of modules while a pass through their graph is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hookviz._live.forward.backward_stand_in import BackwardStandIn
from hookviz._live.forward.book import CallMark
from hookviz._live.forward.log import AtCall
from hookviz._live.forward.part import LiveCall
from hookviz._live.graph.module_hooks import ModuleChains
from hookviz._live.hooks.hook import CallName, LiveHook
from hookviz._live.recording.gradient_tuple import GradientTuple, change_of, look
from hookviz._live.recording.hook_watcher import HookWatcher, Noted
from hookviz._live.recording.log import EventLog
from hookviz._live.values.arguments import is_tensor
from hookviz._live.values.reading import pending
from hookviz._records import Argument, ModuleBackwardHookEvent, ModuleBackwardPreHookEvent

_PRE = "module_backward_pre_hook"


class _Given(NamedTuple):
    """The arguments of a hook: the gradients that it may change, and `grad_output`."""

    call: CallName
    grads: GradientTuple
    output_grads: tuple[Argument, ...]
    facts: tuple[str, ...]


class BackwardHookWatcher(HookWatcher[BackwardStandIn, _Given]):
    """Listen to the backward hooks of known calls."""

    def __init__(self, log: EventLog, chains: ModuleChains, calls: Iterable[LiveCall]) -> None:
        super().__init__(log)
        self._chains = chains
        self._of_graph = calls
        self._calls: dict[int, tuple[CallMark, CallName, bool]] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Listen within the block to the hooks of the calls that belong to the graph."""
        try:
            for call in self._of_graph:
                if call.mark is not None:
                    self.listen(call.mark, CallName(call.module.name, call.record.number))
            yield
        finally:
            for mark, *_ in self._calls.values():
                mark.listener = None

    def listen(self, mark: CallMark, name: CallName, *, is_inner: bool = False) -> None:
        """Listen to the backward hooks of one call.

        Args:
            mark: Its mark on its hooks.
            name: Its name in events.
            is_inner: Whether it was made while this pass runs, so that its graph is another one.
        """
        self._calls[id(mark)] = (mark, name, is_inner)
        mark.listener = self

    def _look(self, stand_in: BackwardStandIn, args: tuple[Any, ...]) -> Noted[_Given]:
        _, call, is_inner = self._calls[id(stand_in.mark)]
        if is_inner:
            self._log.runs.enter_slot()
        grads = look(self._log, args[1])
        output_grads = () if stand_in.kind == _PRE else self._arguments(args[2])
        facts = tuple(_facts(stand_in, args))
        table, key = stand_in.table, stand_in.key
        hook_id, in_forward = self._chains.seat(table.hooks, key)
        hook = LiveHook(hook_id, stand_in.kind, call, table, key, stand_in.entry, in_forward)
        return hook, _Given(call, grads, output_grads, facts)

    def _arguments(self, grads: Any) -> tuple[Argument, ...]:
        arguments = []
        for place, grad in enumerate(grads):
            reading = self._log.read(grad) if is_tensor(grad) else None
            path, text = f"grad_output[{place}]", "None" if reading is None else ""
            arguments.append(Argument(path=path, snapshot=pending(reading), text=text))
        return tuple(arguments)

    def _event(
        self, stand_in: BackwardStandIn, noted: Noted[_Given], result: Any
    ) -> tuple[ModuleBackwardPreHookEvent | ModuleBackwardHookEvent, bool]:
        hook, (call, grads, output_grads, facts) = noted
        change = change_of(self._log, hook, stand_in.hook_index, grads, result)
        at: AtCall = {**self._log.at(), "module": call.module, "call": call.number}
        node = self._log.runs.current.node_at_work
        event: ModuleBackwardPreHookEvent | ModuleBackwardHookEvent
        if hook.kind == _PRE:
            event = ModuleBackwardPreHookEvent(**at, node=node, notes=facts, **change.fields)
        else:
            event = ModuleBackwardHookEvent(
                **at, node=node, notes=facts, **change.fields, grad_output=output_grads
            )
        return self._log.add(event), change.is_accepted


def _facts(hook: BackwardStandIn, args: tuple[Any, ...]) -> Iterator[str]:
    if hook.kind != _PRE and hook.is_full and not hook.mark.has_input_grad:
        yield "fact.no_input_grad"
    output_grads = args[1] if hook.kind == _PRE else args[2]
    if any(grad is None for grad in output_grads) and hook.is_full:
        yield "fact.unused_output"
    if not hook.is_full:
        yield "fact.old_hook"
