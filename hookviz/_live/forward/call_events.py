"""Write the events of one call of a module for one watch."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hookviz._live import internals
from hookviz._live.forward import facts as forward_facts
from hookviz._live.forward.backward_stand_in import BackwardStandIn
from hookviz._live.forward.book import CallEntry, CallMark
from hookviz._live.forward.call import CalledHook, RunningCall
from hookviz._live.forward.explain import explain_forward
from hookviz._live.guard import guarded
from hookviz._live.hooks.places import HookPlace, hook_record
from hookviz._live.hooks.stand_in import Hook, StandIn
from hookviz._live.hooks.table import HookEntry, HookTable, table_of
from hookviz._live.values.arguments import Item, is_tensor, of_call, of_output
from hookviz._live.values.looks import Look
from hookviz._live.values.quiet import quietly
from hookviz._records import (
    ErrorEvent,
    HookKind,
    HookRecord,
    ModuleForwardEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
)

if TYPE_CHECKING:
    from hookviz._live.forward.watch import ForwardWatch

_PRE = "module_forward_pre_hook"


class _Before(Struct, frozen=True):
    record: HookRecord
    look: Look
    output: Any
    place: int
    is_silenced: bool


class CallFrame:
    """One call: its arguments, its output, and the changes that each hook makes."""

    def __init__(self, watch: ForwardWatch, running: RunningCall, call: CallEntry) -> None:
        self.call = call
        self.running = running
        self._watch = watch
        self._story = watch.story
        self._mark: CallMark | None = None
        self._is_forward_over = False
        self._hook_at_work = False
        self._texts = {False: "", True: ""}
        """What was printed outside its hooks, and by the hook that runs."""
        self._counts: dict[HookKind, int] = {}
        self._records: dict[tuple[int, int], HookRecord] = {}
        self._given = watch.looks.look(of_call(running.args, running.kwargs))
        if not running.is_compiled:
            for place in running.places:
                for key, entry in self._table(place).entries.items():
                    self._record(place, key, entry)
        call.module.hooks = tuple(self._records.values())

    def hear(self) -> None:
        """Add the text that was printed since the last look to the text of this call."""
        self._texts[self._hook_at_work] += self._story.printed.take()

    # -- hooks ----------------------------------------------------------------------------------

    @guarded
    def before(self, hook: CalledHook, args: tuple[Any, ...]) -> _Before:
        """Look at the arguments of a forward pre-hook or forward hook."""
        with quietly():
            self.hear()
            kind, output, is_silenced = hook.place.kind, None, False
            if kind != _PRE:
                output = args[-1]
                is_silenced = self._end_forward(output)
            look = self._watch.looks.look(self._items(kind, output))
            place = self._counts[kind] = self._counts.get(kind, -1) + 1
            self._hook_at_work = True
            record = self._record(hook.place, hook.key, hook.entry)
            return _Before(record, look, output, place, is_silenced)

    @guarded
    def after(self, hook: CalledHook, before: _Before | None, result: Any) -> None:
        """Write the event of the hook."""
        if before is None:
            return
        with quietly():
            printed = self._end_hook()
            if self.running.refused is hook:
                return  # PyTorch is about to say so, and that is what will be told
            looks, record = self._watch.looks, before.record
            mutated = looks.changed_in_place(before.look)
            output = before.output if result is None else result
            after = looks.look(self._items(record.kind, output))
            if record.kind == _PRE:
                self._given = after
            notes = forward_facts.of_hook(
                args=self.running.args,
                kwargs=self.running.kwargs,
                result=result,
                sees_kwargs=record.with_kwargs,
            )
            kind = ModuleForwardPreHookEvent if record.kind == _PRE else ModuleForwardHookEvent
            event = kind(
                **self._story.at(self.call, printed),
                hook=record,
                hook_index=before.place,
                arguments_before=before.look.arguments,
                arguments_after=after.arguments,
                rewritten=mutated or looks.differ(before.look, after),
                mutated=mutated,
                returned_none=result is None,
                notes=notes + self._story.notes,
            )
            self._story.add(self.call, event)

    @guarded
    def failed(self, hook: CalledHook, before: _Before | None, error: BaseException) -> None:
        """Write the event of the exception that the hook has raised."""
        if before is None:
            return
        with quietly():
            printed = self._end_hook()
            self._tell(error, before=before, printed=printed)

    def _end_hook(self) -> str:
        self.hear()
        self._hook_at_work = False
        printed, self._texts[True] = self._texts[True], ""
        return printed

    def _items(self, kind: HookKind, output: Any) -> tuple[Item, ...]:
        if kind != _PRE:
            return of_output(output)
        args, kwargs = self.running.args, self.running.kwargs
        is_plain = isinstance(args, tuple | list) and isinstance(kwargs, dict)
        return of_call(tuple(args), kwargs) if is_plain else ()

    # -- the call itself ------------------------------------------------------------------------

    @guarded
    def returned(self, result: Any) -> None:
        """Note that the call has returned."""
        with quietly():
            self.hear()
            self._end_forward(result)
            self._watch.told = None
            if self.call.parent is None:
                self._watch.has_output(result)
            self._finish()

    @guarded
    def raised(self, error: BaseException) -> None:
        """Note that the call has ended with an exception."""
        with quietly():
            self.hear()
            if isinstance(error, Exception):
                self._tell(error, printed=self._texts[False])
            self._finish()

    def _finish(self) -> None:
        self.call.finish()
        self._watch.frames.remove(self)
        if not self._watch.frames:
            self._watch.told = None

    def _end_forward(self, output: Any) -> bool:
        """Note once that forward is over; return whether it, or a hook, has raised."""
        raised = sys.exc_info()[1]
        has_failed = raised is not None and raised is not self.running.handled
        if raised is not None and has_failed:
            self._tell(raised, printed=self._texts[False])
        elif not self._is_forward_over:
            looks, running = self._watch.looks, self.running
            if self._mark is not None:
                self._mark.has_input_grad = _needs_grad(running.args)
            notes = forward_facts.of_forward(
                running.module, self._given, output, looks, is_compiled=running.is_compiled
            )
            event = ModuleForwardEvent(
                **self._story.at(self.call, self._texts[False]),
                arguments_before=self._given.arguments,
                arguments_after=looks.look(of_output(output)).arguments,
                notes=notes + self._story.notes,
            )
            self._story.add(self.call, event)
        self._texts[False] = ""
        self._is_forward_over = True
        return has_failed

    def _tell(self, error: BaseException, *, printed: str, before: _Before | None = None) -> None:
        """Write one event for an exception, which passes through every call around."""
        if not isinstance(error, Exception):
            return
        is_silenced = before is not None and before.is_silenced
        if self._watch.told is error:
            return
        if not is_silenced:
            self._watch.told = error
        record = before.record if before is not None else None
        if before is None and self.running.refused is not None:
            refused = self.running.refused
            record = self._record(refused.place, refused.key, refused.entry)
        kwargs = self.running.kwargs
        event = ErrorEvent(
            **self._story.at(self.call, printed),
            hook=record,
            hook_index=before.place if before is not None else None,
            arguments_before=before.look.arguments if before is not None else (),
            error=explain_forward(
                error,
                hook=record,
                is_own_call=before is not None and _is_own_call(error),
                has_unseen_kwargs=record is not None and bool(kwargs) and not record.with_kwargs,
                is_silenced=is_silenced,
            ),
            notes=self._story.notes,
        )
        self._story.add(self.call, event)

    # -- hooks as data --------------------------------------------------------------------------

    def backward_stand_in(self, place: HookPlace, key: int, hook: Hook) -> Hook:
        """Return the stand-in of a backward hook for the graph that this call makes."""
        entry = self._table(place).entries.get(key)
        if entry is None:
            return hook
        if self._mark is None:
            self._mark = CallMark()
            self._story.has_mark(self.call, self._mark)
        self._mark.hooks.add((id(place.hooks), key))
        index = self._counts[place.kind] = self._counts.get(place.kind, -1) + 1
        return BackwardStandIn(
            hook,
            self._mark,
            place.kind,
            key,
            table=self._table(place),
            entry=entry,
            hook_index=index,
            is_full=internals.is_full(self.running.module, place.hooks),
        )

    def _record(self, place: HookPlace, key: int, entry: HookEntry) -> HookRecord:
        # As it was when the call began, or came to it: a hook may remove itself or another.
        seat = (id(place.hooks), key)
        record = self._records.get(seat)
        if record is None:
            hook_id, in_forward = self._story.seat(place.hooks, key)
            record = hook_record(
                hook_id,
                place.kind,
                entry,
                in_forward=in_forward,
                module=self.running.module,
                hooks=place.hooks,
                key=key,
            )
            self._records[seat] = record
        return record

    def _table(self, place: HookPlace) -> HookTable:
        # Kept for the time of the watch: finding a hook's source once is enough.
        table = table_of(place.hooks)
        self._watch.tables[id(place.hooks)] = table
        return table


def _is_own_call(error: BaseException) -> bool:
    """Return whether a hook could not be called with the arguments that PyTorch gives."""
    if not isinstance(error, TypeError):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    last = trace.tb_frame.f_code if trace is not None else None
    return last is StandIn.run.__code__


def _needs_grad(args: Any) -> bool:
    return any(is_tensor(value) and value.requires_grad for value in args)
