"""Run one program with plain PyTorch and with hookviz, and hold the two against each other.

A program is built three times. The first graph is left alone: it says what every `.grad`,
exception, warning and printed line has to be, and what each hook was given. The second has a
`Diary`, which says what each node was given and handed on. The third is recorded by hookviz.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import torch

import hookviz
from tests.fuzz.diary import Diary
from tests.fuzz.hooks import Entry
from tests.fuzz.program import Built, Program, build
from tests.fuzz.trace import check_trace
from tests.fuzz.values import (
    bits,
    edge,
    hooks_of,
    kept_grad,
    same,
    shown,
    strides,
    told,
    walk,
)


@dataclass
class Run:
    """What one run of a program left.

    Attributes:
        state: What can be seen from outside, by what it is.
    """

    built: Built
    errors: list[tuple[str, str] | None] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    diaries: list[Diary] = field(default_factory=list)
    traces: list[hookviz.Trace] = field(default_factory=list)


def check(program: Program) -> None:
    """Assert that a recorded run of a program is the plain one, and that its trace tells it."""
    plain, watched, recorded = (_run(program, way) for way in (_plainly, _watched, _recorded))
    for name, other in (("watched", watched), ("recorded", recorded)):
        for key, value in plain.state.items():
            same(f"{key}, {name}", other.state[key], value)
    for diary, trace, error in zip(watched.diaries, recorded.traces, plain.errors, strict=True):
        check_trace(program, recorded.built, diary, trace, error)
    printed = [event.printed for trace in recorded.traces for event in trace.events]
    same("what events printed", "".join(printed), plain.state["printed"])


def _run(program: Program, way: Any) -> Run:
    run = Run(build(program))
    built = run.built
    known = built.known
    hooks: list[Any] = []
    with redirect_stdout(io.StringIO()) as stream, _all_warnings() as caught:
        for _ in range(program.passes):
            if edge(built.root) is None:
                break  # a hook of the first pass has made the root unusable
            before = _all_hooks(known)
            run.errors.append(way(run))
            after = _all_hooks(known)
            hooks.append(list(map(_places, before, after)))
            same("final .grad", *_final_grads(run))
        assert sys.stdout is stream
    grads = [kept_grad(tensor) for tensor in known]
    seed = built.arguments.get("gradient")
    run.state = {
        "exceptions": run.errors,
        "printed": stream.getvalue(),
        "warnings": [(w.category, str(w.message), w.filename, w.lineno) for w in caught],
        "hooks put back": hooks,
        "hooks that ran": _log(built.book.entries),
        "grads": list(map(bits, grads)),
        "graphs of grads": list(map(_graph, grads)),
        "strides of grads": list(map(strides, grads)),
        "retains": [edge(tensor) and tensor.retains_grad for tensor in known],
        "values": list(map(bits, known)),
        "kept": list(map(bits, built.book.kept)),
        "gradient": bits(seed),
        "shared memory": _memory([*grads, *known, *built.book.kept, seed]),
        "attributes": [sorted(vars(tensor)) for tensor in known],
        "random numbers": bits(torch.get_rng_state()),
        "grad mode": torch.is_grad_enabled(),
    }
    return run


def _plainly(run: Run) -> tuple[str, str] | None:
    try:
        run.built.root.backward(**run.built.arguments)
    except Exception as error:  # noqa: BLE001 - whatever a hook may raise
        return (type(error).__name__, str(error))
    return None


def _watched(run: Run) -> tuple[str, str] | None:
    with Diary(run.built) as diary:
        run.diaries.append(diary)
        return _plainly(run)


def _recorded(run: Run) -> tuple[str, str] | None:
    # Tensors in variables of a frame that calls hookviz would get their names from there.
    trace = hookviz.record(run.built.root, names=run.built.names, **run.built.arguments)
    run.traces.append(trace)
    return trace.error and (trace.error.type, trace.error.message)


def _final_grads(run: Run) -> tuple[Any, Any]:
    """Return what the last trace says of each `.grad`, and what each is."""
    if not run.traces:
        return None, None
    trace = run.traces[-1]
    tensors = {n: t for n, t in run.built.names.items() if trace.graph.find(n) is not None}
    said = {name: told(trace.grad(name)) for name in tensors}
    return said, {name: shown(kept_grad(tensor)) for name, tensor in tensors.items()}


def _log(entries: list[Entry]) -> list[Any]:
    return [
        (e.number, bits(e.came), bits(e.went), e.strides, e.outcome, list(map(bits, e.leaf)))
        for e in entries
    ]


def _all_hooks(tensors: list[torch.Tensor]) -> list[Any]:
    for tensor in tensors:
        edge(tensor)  # PyTorch finds out now which views lost theirs to a change of another one
    return [hooks_of(tensor) for tensor in tensors]


def _places(before: list[Any], after: list[Any]) -> list[Any]:
    """Say of each hook that stands there now which one of those before it is."""
    return [
        (was_id == now_id, [was.index(one) if one in was else "new" for one in now])
        for (was_id, was), (now_id, now) in zip(before, after, strict=True)
    ]


def _graph(grad: torch.Tensor | None) -> list[str]:
    return [] if grad is None or not grad.requires_grad else [node.name() for node in walk(grad)]


def _memory(tensors: list[torch.Tensor | None]) -> list[int]:
    """Return for each tensor the first one whose memory it shares."""
    starts = [0 if t is None else t.untyped_storage().data_ptr() for t in tensors]
    return [starts.index(start) for start in starts]


@contextmanager
def _all_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Catch every warning, also those that PyTorch gives once in a process."""
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield caught
    finally:
        torch.set_warn_always(always)
