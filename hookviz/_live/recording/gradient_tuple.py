"""Compare the gradients that a hook is given with those that go on after it."""

from __future__ import annotations

from typing import Any, TypedDict

from msgspec import Struct

from hookviz._live.graph.tensors import NOWHERE
from hookviz._live.hooks.hook import LiveHook
from hookviz._live.recording.in_flight import Gradient
from hookviz._live.recording.log import EventLog
from hookviz._live.values.arguments import is_tensor
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.reading import MaybeReading, differ, pending
from hookviz._records import HookRecord, Value


class GradientTuple(Struct, frozen=True):
    """The gradients that a hook is given."""

    grads: tuple[Gradient, ...]
    seen: tuple[Seen, ...]

    @property
    def readings(self) -> tuple[MaybeReading, ...]:
        """The reading of each of them."""
        return tuple(seen.reading for seen in self.seen)


class ChangeFields(TypedDict):
    """The fields of an event that tell how a hook has changed a tuple of gradients."""

    hook: HookRecord
    hook_index: int
    incoming: Value
    outgoing: Value
    rewritten: bool
    returned_none: bool
    mutated: bool
    reached: tuple[str, ...]


class TupleChange(Struct, frozen=True):
    """The gradients after a hook.

    Attributes:
        passed_on: The gradients that go on.
        outgoing: Their readings.
        fields: The fields of the event.
        is_accepted: Whether PyTorch takes the result of the hook, as far as its length goes.
    """

    passed_on: tuple[Gradient, ...]
    outgoing: tuple[MaybeReading, ...]
    fields: ChangeFields
    is_accepted: bool


def look(log: EventLog, grads: Any) -> GradientTuple:
    """Look at the gradients that a hook is about to be given."""
    given = tuple(grads)
    return GradientTuple(given, tuple(Seen(grad, log.read(grad), is_exact=True) for grad in given))


def change_of(
    log: EventLog,
    hook: LiveHook[Any],
    place: int,
    before: GradientTuple,
    result: Any,
    *,
    only_tuples: bool = False,
) -> TupleChange:
    """Compare the gradients of before a hook with those of after it.

    Args:
        log: Reads tensors.
        hook: The hook.
        place: Its place among those that ran.
        before: The gradients that the hook was given.
        result: The result of the hook.
        only_tuples: Whether PyTorch takes nothing but tuples from a hook of this kind.
    """
    is_tuple = isinstance(result, tuple) or not only_tuples
    is_accepted = result is None or (is_tuple and _has_length(result, len(before.grads)))
    changed, now = [], []
    for grad, seen in zip(before.grads, before.seen, strict=True):
        reading = seen.reading
        if grad is not None:
            reading, is_changed = seen.read_again(grad, log.read)
            if is_changed:
                changed.append(grad)
        now.append(reading)
    passed_on, outgoing = before.grads, tuple(now)
    if is_accepted and result is not None:
        passed_on, outgoing = _passed_on(log, before, tuple(now), result)
    pairs = zip(before.grads, before.seen, passed_on, outgoing, strict=False)
    is_other = len(passed_on) != len(before.grads) or any(
        differ(grad, seen.reading, other, reading) for grad, seen, other, reading in pairs
    )
    arrivals = log.runs.arrivals
    reached = [label for grad in changed for label in arrivals.changed_in_place(grad, but=NOWHERE)]
    fields: ChangeFields = {
        "hook": hook.record,
        "hook_index": place,
        "incoming": pending(before.readings),
        "outgoing": pending(outgoing),
        "rewritten": is_other or bool(changed),
        "returned_none": result is None,
        "mutated": bool(changed),
        "reached": tuple(dict.fromkeys(reached)),
    }
    return TupleChange(passed_on, outgoing, fields, is_accepted)


def _passed_on(
    log: EventLog, before: GradientTuple, now: tuple[MaybeReading, ...], result: Any
) -> tuple[tuple[Gradient, ...], tuple[MaybeReading, ...]]:
    if is_tensor(result) and result.dim() and len(result) == len(before.grads):
        # A module's hook may return anything that has a length; of a tensor, its rows go on.
        result = tuple(result[place] for place in range(len(result)))
    if not isinstance(result, tuple | list):
        return before.grads, now
    by_id = {id(grad): reading for grad, reading in zip(before.grads, now, strict=True)}
    grads = tuple(grad if is_tensor(grad) else None for grad in result)
    return grads, tuple(by_id[id(grad)] if id(grad) in by_id else log.read(grad) for grad in grads)


def _has_length(result: Any, length: int) -> bool:
    try:
        return len(result) == length
    except TypeError:
        return False
