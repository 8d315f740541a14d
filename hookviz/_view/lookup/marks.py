"""Mark the events to which a learner may want to run: hooks, rewrites, the first NaN."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from hookviz._records import (
    Event,
    HookEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
)
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Value

Mark = Literal["hook", "rewrite", "nonfinite"]
"""A hook ran; a value was rewritten; a NaN or an infinite number is in what came of it."""

MARKS: tuple[Mark, ...] = get_args(Mark)

_NOT_FINITE = frozenset({"nan", "inf", "-inf"})


def marks_of(event: Event) -> tuple[Mark, ...]:
    """Return what an event is worth stopping for; often nothing."""
    found: list[Mark] = []
    if isinstance(event, HookEvent):
        found.append("hook")
    if _is_rewritten(event):
        found.append("rewrite")
    if any(map(is_nonfinite, _results(event))):
        found.append("nonfinite")
    return tuple(found)


def is_nonfinite(snapshot: TensorSnapshot | None) -> bool:
    """Return whether a value has a NaN or an infinite number in it."""
    if snapshot is None:
        return False
    if snapshot.summary is not None:
        return bool(snapshot.summary.nan_count or snapshot.summary.inf_count)
    if snapshot.dtype.startswith("complex"):
        return any("nan" in text or "inf" in text for text in snapshot.values or ())
    return not _NOT_FINITE.isdisjoint(snapshot.values or ())


def _is_rewritten(event: Event) -> bool:
    is_of_forward = isinstance(event, ModuleForwardPreHookEvent | ModuleForwardHookEvent)
    return event.rewritten or (is_of_forward and event.arguments_before != event.arguments_after)


def _results(event: Event) -> Iterator[TensorSnapshot | None]:
    yield from _parts(event.outgoing)
    yield event.after
    for argument in event.arguments_after:
        yield argument.snapshot


def _parts(value: Value) -> tuple[TensorSnapshot | None, ...]:
    return value if isinstance(value, tuple) else (value,)
