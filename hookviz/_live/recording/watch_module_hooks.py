"""Watch the backward hooks of modules while a pass through their graph is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hookviz._live.forward.backward_stand_in import BackwardStandIn
from hookviz._live.forward.book import CallMark
from hookviz._live.forward.part import LiveCall
from hookviz._live.graph.module_hooks import ModuleChains
from hookviz._live.guard import guarded
from hookviz._live.hooks.at_work import CallName, ModuleHookAtWork
from hookviz._live.recording.gradient_tuple import TupleLook, change_of, look
from hookviz._live.recording.log import EventLog
from hookviz._live.values.arguments import is_tensor
from hookviz._live.values.reading import ReadArgument

_PRE = "module_backward_pre_hook"


@dataclass(frozen=True, slots=True)
class _Before:
    hook: ModuleHookAtWork
    look: TupleLook
    output_grads: tuple[ReadArgument, ...]


class BackwardHookWatcher:
    """Run the backward hooks of known calls, and write an event for each."""

    def __init__(self, log: EventLog, chains: ModuleChains) -> None:
        self._log = log
        self._chains = chains
        self._calls: dict[int, tuple[CallMark, CallName, bool]] = {}

    @contextmanager
    def listening(self, calls: Iterable[LiveCall]) -> Iterator[None]:
        """Be told of the backward hooks of some calls within the block."""
        try:
            for call in calls:
                if call.mark is not None:
                    self.listen(call.mark, CallName(call.module.name, call.record.number))
            yield
        finally:
            for mark, *_ in self._calls.values():
                mark.listener = None

    def listen(self, mark: CallMark, name: CallName, *, is_inner: bool = False) -> None:
        """Be told of the backward hooks of one call.

        Args:
            mark: What its hooks know it by.
            name: What it is called in events.
            is_inner: Whether it was made while this pass runs, so that its graph is another one.
        """
        self._calls[id(mark)] = (mark, name, is_inner)
        mark.listener = self

    def run(self, hook: BackwardStandIn, args: tuple[Any, ...]) -> Any:
        """Run a hook and note what it was given and what it did."""
        before = self._before(hook, args)
        with self._log.runs.inside_a_hook():
            result = hook.run_plainly(args)
        if before is not None:
            self._log.hook_at_work = before.hook
            self._after(hook, before, args, result)
        return result

    @guarded
    def _before(self, hook: BackwardStandIn, args: tuple[Any, ...]) -> _Before:
        _, name, is_inner = self._calls[id(hook.mark)]
        if is_inner:
            self._log.runs.enter_slot()
        given = look(self._log, args[1])
        output_grads = () if hook.kind == _PRE else self._arguments(args[2])
        record = self._chains.record_at(hook.hooks, hook.key, hook.kind, hook.entry)
        at_work = ModuleHookAtWork(record, name)
        self._log.hook_at_work, self._log.refusable = at_work, None
        return _Before(at_work, given, output_grads)

    def _arguments(self, grads: Any) -> tuple[ReadArgument, ...]:
        return tuple(
            ReadArgument(f"grad_output[{place}]", self._log.read(grad) if is_tensor(grad) else None)
            for place, grad in enumerate(grads)
        )

    @guarded
    def _after(
        self, hook: BackwardStandIn, before: _Before, args: tuple[Any, ...], result: Any
    ) -> None:
        change = change_of(self._log, before.look, result)
        given = {} if hook.kind == _PRE else {"grad_output": before.output_grads}
        event = self._log.add(
            kind=hook.kind,
            module=before.hook.call.module,
            call=before.hook.call.number,
            node=self._log.runs.current.node_at_work,
            hook=before.hook.record,
            hook_index=hook.hook_index,
            incoming=before.look.readings,
            outgoing=change.outgoing,
            rewritten=change.rewritten,
            returned_none=result is None,
            mutated=change.mutated,
            reached=change.reached,
            notes=tuple(_facts(hook, before, args)),
            **given,
        )
        if change.is_accepted:
            self._log.hook_at_work = None
        else:
            self._log.refusable = (before.hook, event)


def _facts(hook: BackwardStandIn, before: _Before, args: tuple[Any, ...]) -> Iterator[str]:
    if hook.kind != _PRE and hook.is_full and not hook.mark.has_input_grad:
        yield "fact.no_input_grad"
    output_grads = args[1] if hook.kind == _PRE else args[2]
    if any(grad is None for grad in output_grads) and hook.is_full:
        yield "fact.unused_output"
    if not hook.is_full:
        yield "fact.old_hook"
