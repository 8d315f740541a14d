"""Watch the hooks of tensors: the gradient before and after each one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from hookviz._live.graph.tensors import LiveTensor, Slot
from hookviz._live.hooks.hook import LiveHook
from hookviz._live.hooks.stand_in import Listener, StandIn
from hookviz._live.recording.hook_watcher import HookWatcher, Noted
from hookviz._live.recording.in_flight import Gradient
from hookviz._live.recording.log import EventLog
from hookviz._live.recording.watch_arrivals import ArrivalWatcher
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.reading import MaybeReading, differ, pending
from hookviz._records import PostAccumulateHookEvent, TensorHookEvent


class TensorStandIn(StandIn):
    """A hook of a tensor while a pass is recorded.

    Attributes:
        live: The hook.
        place: Its place among those of its tensor that are on.
    """

    __slots__ = ("_listener", "live", "place")

    def __init__(self, live: LiveHook[LiveTensor], place: int, listener: Listener) -> None:
        super().__init__(live.function)
        self.live = live
        self.place = place
        self._listener = listener

    @property
    def listener(self) -> Listener:
        """The watcher of its kind."""
        return self._listener


class _Given(NamedTuple):
    """The gradient that a hook is given, and the slot at which it runs."""

    slot: Slot
    gradient: Gradient
    seen: Seen


class TensorHookWatcher(HookWatcher[TensorStandIn, _Given]):
    """Listen to the hooks that `Tensor.register_hook` has registered."""

    def __init__(self, log: EventLog, arrivals_at: ArrivalWatcher) -> None:
        super().__init__(log)
        self._arrivals_at = arrivals_at

    def _look(self, stand_in: TensorStandIn, args: tuple[Any, ...]) -> Noted[_Given]:
        (gradient,) = args
        run = self._log.runs.enter_slot()
        self._log.blame.nothing_runs()
        slot = run.arrivals.place_of(stand_in.live.owner.slot, gradient)
        reading = self._arrivals_at.tensor(slot, gradient)
        return stand_in.live, _Given(slot, gradient, Seen(gradient, reading, is_exact=True))

    def _event(
        self, stand_in: TensorStandIn, noted: Noted[_Given], result: Any
    ) -> tuple[TensorHookEvent, bool]:
        hook, (slot, gradient, seen) = noted
        owner, arrivals = stand_in.live.owner, self._log.runs.arrivals
        now, mutated = seen.reading, False
        reached: tuple[str, ...] = ()
        if gradient is not None:
            now, mutated = seen.read_again(gradient, self._log.read)
            if mutated:
                reached = arrivals.changed_in_place(gradient, but=slot)
        after, passed_on = now, gradient
        if isinstance(result, torch.Tensor) and result is not gradient:
            after, passed_on = self._log.read(result), result
        arrivals.replace(slot, passed_on, after, owner.label)
        event = TensorHookEvent(
            **self._log.at(),
            tensor=owner.label,
            node=slot[0],
            slot=slot[1],
            hook=hook.record,
            hook_index=stand_in.place,
            incoming=pending(seen.reading),
            outgoing=pending(after),
            rewritten=mutated or differ(gradient, seen.reading, passed_on, after),
            returned_none=result is None,
            mutated=mutated,
            reached=reached,
        )
        return self._log.add(event), _fits(result, gradient)


class PostAccumulateHookWatcher(HookWatcher[TensorStandIn, tuple[MaybeReading, MaybeReading]]):
    """Listen to the hooks that `register_post_accumulate_grad_hook` has registered."""

    def __init__(self, log: EventLog, accumulated: Callable[[str], None]) -> None:
        super().__init__(log)
        self._accumulated = accumulated

    def _look(
        self, stand_in: TensorStandIn, args: tuple[Any, ...]
    ) -> Noted[tuple[MaybeReading, MaybeReading]]:
        owner = stand_in.live.owner
        # These run inside the node, so before its own hook could tell that `.grad` was added to.
        self._accumulated(owner.slot[0])
        return stand_in.live, (self._log.grads.now(owner), self._log.read(owner.tensor))

    def _event(
        self,
        stand_in: TensorStandIn,
        noted: Noted[tuple[MaybeReading, MaybeReading]],
        result: Any,
    ) -> tuple[PostAccumulateHookEvent, bool]:
        hook, (grad_before, value_before) = noted
        owner = stand_in.live.owner
        # The leaf itself: a hook may be given what the one before it has returned.
        leaf = owner.tensor
        grad = leaf.grad
        grad_after, value_after = self._log.read(grad), self._log.read(leaf)
        self._log.grads.note(owner, grad, Seen(grad, grad_after))
        reached = self._log.changed_grad(owner) if grad_after != grad_before else ()
        event = PostAccumulateHookEvent(
            **self._log.at(),
            tensor=owner.label,
            node=owner.slot[0],
            hook=hook.record,
            hook_index=stand_in.place,
            grad_before=pending(grad_before),
            grad_after=pending(grad_after),
            value_before=pending(value_before),
            value_after=pending(value_after),
            rewritten=grad_before != grad_after,
            returned_none=result is None,
            mutated=value_before != value_after,
            reached=reached,
        )
        return self._log.add(event), result is None


def _fits(result: Any, gradient: Gradient) -> bool:
    """Return whether PyTorch has no reason to refuse the result of a hook."""
    if result is None or result is gradient:
        return True
    if not isinstance(result, torch.Tensor) or gradient is None:
        return False
    return all(
        getattr(result, name) == getattr(gradient, name)
        for name in ("shape", "dtype", "device", "layout")
    )
