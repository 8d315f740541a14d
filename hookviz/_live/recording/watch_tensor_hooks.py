"""Watch hooks: what each one was given, what it did, what went on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from hookviz._live.graph.hooks import LiveHook
from hookviz._live.graph.tensors import Slot
from hookviz._live.guard import guarded
from hookviz._live.hooks.table import Hook
from hookviz._live.recording.log import EventLog, Gradient, MaybeReading
from hookviz._live.recording.stand_in import Recorded
from hookviz._live.recording.watch_arrivals import ArrivalWatcher
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.reading import differ


class HookWatcher:
    """Make the wrappers that stand in for hooks while a pass is recorded."""

    def __init__(
        self,
        log: EventLog,
        arrivals_at: ArrivalWatcher,
        accumulated: Callable[[str], None],
    ) -> None:
        self._log = log
        self._arrivals_at = arrivals_at
        self._accumulated = accumulated

    def wrap(self, hook: LiveHook, place: int) -> Hook:
        """Return a function that runs a hook and notes what it was given and what it did."""
        run = self._run_tensor_hook if hook.kind == "tensor_hook" else self._run_post_accumulate
        return Recorded(hook.function, functools.partial(run, hook, place))

    def _run_tensor_hook(self, hook: LiveHook, place: int, gradient: Gradient) -> Any:
        before = self._before_tensor_hook(hook, gradient)
        with self._log.runs.inside_a_hook():
            result = hook.function(gradient)
        self._log.hook_at_work = hook
        if before is not None:
            self._after_tensor_hook(hook, place, gradient, before, result)
        return result

    @guarded
    def _before_tensor_hook(self, hook: LiveHook, gradient: Gradient) -> tuple[Slot, Seen]:
        run = self._log.runs.enter_slot()
        self._log.hook_at_work = None
        slot = run.arrivals.place_of(hook.owner.slot, gradient)
        reading = self._arrivals_at.tensor(slot, gradient)
        seen = Seen(gradient, reading, is_exact=True)
        self._log.hook_at_work, self._log.refusable = hook, None
        return slot, seen

    @guarded
    def _after_tensor_hook(
        self,
        hook: LiveHook,
        place: int,
        gradient: Gradient,
        before: tuple[Slot, Seen],
        result: Any,
    ) -> None:
        slot, seen = before
        owner, arrivals = hook.owner, self._log.runs.current.arrivals
        now, mutated = seen.reading, False
        reached: tuple[str, ...] = ()
        if gradient is not None and not seen.is_still(gradient):
            now = self._log.read(gradient)
            mutated = not seen.has_value_of(gradient, now)
        if gradient is not None and mutated:
            reached = arrivals.changed_in_place(gradient, but=slot)
        after, passed_on = now, gradient
        if isinstance(result, torch.Tensor) and result is not gradient:
            after, passed_on = self._log.read(result), result
        arrivals.replace(slot, passed_on, after, owner.label)
        event = self._log.add(
            kind="tensor_hook",
            tensor=owner.label,
            node=slot[0],
            slot=slot[1],
            hook=hook.record,
            hook_index=place,
            incoming=seen.reading,
            outgoing=after,
            rewritten=mutated or differ(gradient, seen.reading, passed_on, after),
            returned_none=result is None,
            mutated=mutated,
            reached=reached,
        )
        if _fits(result, gradient):
            self._log.hook_at_work = None
        else:
            self._log.refusable = (hook, event)

    def _run_post_accumulate(self, hook: LiveHook, place: int, leaf: torch.Tensor) -> Any:
        before = self._before_post_accumulate(hook)
        with self._log.runs.inside_a_hook():
            result = hook.function(leaf)
        self._log.hook_at_work = hook
        if before is not None:
            self._after_post_accumulate(hook, place, before, result)
        return result

    @guarded
    def _before_post_accumulate(self, hook: LiveHook) -> tuple[MaybeReading, MaybeReading]:
        # These run inside the node, so before its own hook could tell that `.grad` was added to.
        self._accumulated(hook.owner.slot[0])
        before = (self._log.grad_now(hook.owner), self._log.read(hook.owner.tensor))
        self._log.hook_at_work = hook
        if not self._log.has_refusable_of(hook.owner):
            self._log.refusable = None
        return before

    @guarded
    def _after_post_accumulate(
        self,
        hook: LiveHook,
        place: int,
        before: tuple[MaybeReading, MaybeReading],
        result: Any,
    ) -> None:
        # The leaf itself: a hook may be given what the one before it has returned.
        leaf = hook.owner.tensor
        grad_before, value_before = before
        grad = leaf.grad
        grad_after, value_after = self._log.read(grad), self._log.read(leaf)
        self._log.note_grad(hook.owner, grad, Seen(grad, grad_after))
        reached = self._log.changed_grad(hook.owner) if grad_after != grad_before else ()
        event = self._log.add(
            kind="post_accumulate_hook",
            tensor=hook.owner.label,
            node=hook.owner.slot[0],
            hook=hook.record,
            hook_index=place,
            grad_before=grad_before,
            grad_after=grad_after,
            value_before=value_before,
            value_after=value_after,
            rewritten=grad_before != grad_after,
            returned_none=result is None,
            mutated=value_before != value_after,
            reached=reached,
        )
        self._log.hook_at_work = None
        # PyTorch runs all of them and complains afterwards, about the first that returned.
        if result is not None and self._log.refusable is None:
            self._log.refusable = (hook, event)


def _fits(result: Any, gradient: Gradient) -> bool:
    """Return whether nothing in what a hook returned could be a reason to refuse it."""
    if result is None or result is gradient:
        return True
    if not isinstance(result, torch.Tensor) or gradient is None:
        return False
    return all(
        getattr(result, name) == getattr(gradient, name)
        for name in ("shape", "dtype", "device", "layout")
    )
