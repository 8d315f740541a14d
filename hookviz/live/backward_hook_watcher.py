"""Watch the backward hooks of modules while a pass through their graph is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hookviz.live.arguments import is_tensor
from hookviz.live.backward_stand_in import BackwardStandIn
from hookviz.live.call_book import CallMark
from hookviz.live.event_log import EventLog, Gradient, MaybeReading
from hookviz.live.forward_part import LiveCall
from hookviz.live.graph import NOWHERE
from hookviz.live.guard import guarded
from hookviz.live.hook_at_work import CallName, ModuleHookAtWork
from hookviz.live.module_chain import ModuleChains
from hookviz.live.reading import ReadArgument, differ
from hookviz.live.seen import Seen

_PRE = "module_backward_pre_hook"


@dataclass(frozen=True, slots=True)
class _Before:
    hook: ModuleHookAtWork
    grads: tuple[Gradient, ...]
    seen: tuple[Seen, ...]
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
        grads = tuple(args[1])
        seen = tuple(Seen(grad, self._log.read(grad), is_exact=True) for grad in grads)
        output_grads = () if hook.kind == _PRE else self._arguments(args[2])
        record = self._chains.record_at(hook.hooks, hook.key, hook.kind, hook.entry)
        at_work = ModuleHookAtWork(record, name)
        self._log.hook_at_work, self._log.refusable = at_work, None
        return _Before(at_work, grads, seen, output_grads)

    def _arguments(self, grads: Any) -> tuple[ReadArgument, ...]:
        return tuple(
            ReadArgument(f"grad_output[{place}]", self._log.read(grad) if is_tensor(grad) else None)
            for place, grad in enumerate(grads)
        )

    @guarded
    def _after(
        self, hook: BackwardStandIn, before: _Before, args: tuple[Any, ...], result: Any
    ) -> None:
        changed, now = [], []
        for grad, seen in zip(before.grads, before.seen, strict=True):
            reading = seen.reading
            if grad is not None and not seen.is_still(grad):
                reading = self._log.read(grad)
                if not seen.has_value_of(grad, reading):
                    changed.append(grad)
            now.append(reading)
        passed_on, outgoing = self._passed_on(before, tuple(now), result)
        pairs = zip(before.grads, before.seen, passed_on, outgoing, strict=False)
        rewritten = len(passed_on) != len(before.grads) or any(
            differ(grad, seen.reading, other, reading) for grad, seen, other, reading in pairs
        )
        reached = [
            label
            for grad in changed
            for label in self._log.runs.current.arrivals.changed_in_place(grad, but=NOWHERE)
        ]
        event = self._log.add(
            kind=hook.kind,
            module=before.hook.call.module,
            call=before.hook.call.number,
            node=self._log.runs.current.node_at_work,
            hook=before.hook.record,
            hook_index=hook.hook_index,
            incoming=tuple(seen.reading for seen in before.seen),
            outgoing=outgoing,
            arguments_before=before.output_grads,
            rewritten=rewritten or bool(changed),
            returned_none=result is None,
            mutated=bool(changed),
            reached=tuple(dict.fromkeys(reached)),
            notes=tuple(_facts(hook, before, args)),
        )
        if result is None or _has_length(result, len(before.grads)):
            self._log.hook_at_work = None
        else:
            self._log.refusable = (before.hook, event)

    def _passed_on(
        self, before: _Before, now: tuple[MaybeReading, ...], result: Any
    ) -> tuple[tuple[Gradient, ...], tuple[MaybeReading, ...]]:
        """Return the gradients that go on, and readings of them."""
        if not isinstance(result, tuple | list):
            # PyTorch takes anything that has a length; a tensor would be one of its rows.
            return before.grads, now
        by_id = {id(grad): reading for grad, reading in zip(before.grads, now, strict=True)}
        grads = tuple(grad if is_tensor(grad) else None for grad in result)
        outgoing = tuple(
            by_id[id(grad)] if id(grad) in by_id else self._log.read(grad) for grad in grads
        )
        return grads, outgoing


def _has_length(result: Any, length: int) -> bool:
    try:
        return len(result) == length
    except TypeError:
        return False


def _facts(hook: BackwardStandIn, before: _Before, args: tuple[Any, ...]) -> Iterator[str]:
    if hook.kind != _PRE and hook.is_full and not hook.mark.has_input_grad:
        yield "fact.no_input_grad"
    output_grads = args[1] if hook.kind == _PRE else args[2]
    if any(grad is None for grad in output_grads) and hook.is_full:
        yield "fact.unused_output"
    if not hook.is_full:
        yield "fact.old_hook"
