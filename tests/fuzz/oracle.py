"""Run one program with plain PyTorch and with hookviz, and hold the two against each other.

A program is built three times. The first graph is left alone: it says what every `.grad`,
exception, warning and printed line has to be, and what each hook was given. The second has a
`Diary`, which says what each node was given and handed on. The third is recorded by hookviz.
"""

from __future__ import annotations

import io
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from typing import Any

import torch

import hookviz
from hookviz.records import Event
from hookviz.view.steps import build_steps, to_json_data
from tests.fuzz.diary import Diary
from tests.fuzz.hooks import Entry
from tests.fuzz.program import Built, Do, Hook, Program, build
from tests.fuzz.values import bits, edge, kept_grad, leaves_behind, shown, told, walk

_REFUSED = ("has changed the", "but hook returned", "hooks should return None")
_UNSEEN = {"change_kept", "Changing"}
"""A hook, and a function, that change gradients which they were not given."""


@dataclass
class Run:
    """What one run of a program left."""

    built: Built
    errors: list[tuple[str, str] | None] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    diaries: list[list[Any]] = field(default_factory=list)
    traces: list[hookviz.Trace] = field(default_factory=list)


def check(program: Program) -> None:
    """Assert that a recorded run of a program is the plain one, and that its trace tells it."""
    runs = []
    for way in (_plainly, _watched, _recorded):
        runs.append(_run(program, way))
    plain, watched, recorded = runs
    for name, other in (("watched", watched), ("recorded", recorded)):
        for key, value in plain.state.items():
            same(f"{key}, {name}", other.state[key], value)
    for diary, trace, error in zip(watched.diaries, recorded.traces, plain.errors, strict=True):
        _check_trace(program, watched.built, recorded.built, diary, trace, error)
    told_printed = [event.printed for trace in recorded.traces for event in trace.events]
    same("what events printed", "".join(told_printed), plain.state["printed"])


def _run(program: Program, way: Any) -> Run:
    run = Run(build(program))
    built = run.built
    known = [*built.names.values(), *leaves_behind(built.root)]
    hooks = [_hooks_of(tensor) for tensor in known]
    with redirect_stdout(io.StringIO()) as stream, _all_warnings() as caught:
        for _ in range(program.passes):
            run.errors.append(way(run))
        assert sys.stdout is stream
    same("hooks afterwards", [_hooks_of(tensor) for tensor in known], hooks)
    grads = [kept_grad(tensor) for tensor in known]
    places = [*grads, *known, *built.book.kept, built.arguments.get("gradient")]
    run.state = {
        "exceptions": run.errors,
        "printed": stream.getvalue(),
        "warnings": [(w.category, str(w.message), w.filename, w.lineno) for w in caught],
        "hooks that ran": _log(built.book.entries),
        "grads": list(map(bits, grads)),
        "graphs of grads": list(map(_graph, grads)),
        "retains": [tensor.retains_grad for tensor in known],
        "values": [bits(tensor) for tensor in known],
        "strides": [None if grad is None else grad.stride() for grad in grads],
        "kept": [bits(tensor) for tensor in built.book.kept],
        "gradient": bits(built.arguments.get("gradient")),
        "shared memory": _memory(places),
        "attributes": [sorted(vars(tensor)) for tensor in known],
        "random numbers": bits(torch.get_rng_state()),
        "grad mode": torch.is_grad_enabled(),
    }
    return run


def _plainly(run: Run) -> tuple[str, str] | None:
    try:
        run.built.root.backward(**run.built.arguments)
    except Exception as error:
        return (type(error).__name__, str(error))
    return None


def _watched(run: Run) -> tuple[str, str] | None:
    with Diary(run.built) as diary:
        error = _plainly(run)
    run.diaries.append(diary.steps)
    return error


def _recorded(run: Run) -> tuple[str, str] | None:
    # Tensors in variables of a frame that calls hookviz would get their names from there.
    trace = hookviz.record(run.built.root, names=run.built.names, **run.built.arguments)
    run.traces.append(trace)
    for name, tensor in run.built.names.items():
        if trace.graph.find(name) is not None:
            same(f"trace.grad of {name}", told(trace.grad(name)), shown(kept_grad(tensor)))
    return trace.error and (trace.error.type, trace.error.message)


def same(what: str, found: Any, expected: Any) -> None:
    """Assert that two things are equal, and say where lists of them begin to differ."""
    if found == expected:
        return
    if isinstance(found, list) and isinstance(expected, list):
        pairs = enumerate(zip_longest(found, expected, fillvalue="nothing"))
        place, (found, expected) = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
        what += f"[{place}]"
    raise AssertionError(f"{what}\n    is        {found!r}\n    should be {expected!r}")


def _log(entries: list[Entry]) -> list[Any]:
    return [
        (e.number, bits(e.came), bits(e.went), e.strides, e.outcome, list(map(bits, e.leaf)))
        for e in entries
    ]


def _check_trace(
    program: Program,
    watched: Built,
    recorded: Built,
    diary: list[Any],
    trace: hookviz.Trace,
    error: tuple[str, str] | None,
) -> None:
    assert [event.index for event in trace.events] == list(range(len(trace.events)))
    assert hookviz.Trace.from_json(trace.to_json()) == trace
    assert to_json_data(build_steps(trace.graph, trace.events))
    assert trace.text("en")
    assert trace.text("zh")
    listed = {number_of(hook) for tensor in trace.graph.tensors for hook in tensor.hooks}
    _check_listed(recorded, diary, listed)
    same("steps", _steps(trace, recorded), _expected(diary, listed, error))
    _check_hidden(program, diary, listed, trace)
    final = {event.tensor: event.after for event in trace.events if event.kind == "accumulate"}
    if not any(event.kind == "post_accumulate_hook" for event in trace.events):
        if not (_forms(program) & _UNSEEN or any(event.mutated for event in trace.events)):
            same("last accumulate", {name: trace.grads[name] for name in final}, final)


def _check_listed(built: Built, diary: list[Any], listed: set[int]) -> None:
    """Every hook that ran and that a known tensor has is one that hookviz lists."""
    known = [one for one in [*built.names.values(), *leaves_behind(built.root)] if edge(one)]
    standing = [hook for tensor in known for _, entries in _hooks_of(tensor) for _, hook in entries]
    have = {hook.number for hook in built.hooks if hook.function in standing}
    ran = {step.number for step in diary if isinstance(step, Entry)}
    same("hooks that are not listed", ran & have - listed, set())


def _check_hidden(
    program: Program, diary: Diary, listed: set[int], trace: hookviz.Trace, error: Any
) -> None:
    """A hidden hook that changed a gradient shows, and nothing shows without one."""
    changed = False
    for hidden, group in groupby(diary.steps, lambda step: _is_hidden(step, listed) and step.owner):
        if not hidden:
            continue
        first, *_, last = [one := next(group), *group] if False else _ends(group)
    shows = any(event.kind == "hidden_rewrite" for event in trace.events)
def _expected(diary: list[Any], listed: set[int], error: tuple[str, str] | None) -> list[Any]:
    steps: list[Any] = []
    for step in diary:
        if not isinstance(step, Entry):
            steps.append(step)
        elif step.leaf:
            leaf = tuple(map(shown, step.leaf))
            steps.append(("post_accumulate_hook", step.number, shown(step.came), leaf[0]))
            steps[-1] += (shown(step.went), *leaf[1:])
        elif step.number in listed:
            steps.append(("tensor_hook", step.number, shown(step.came), shown(step.went)))
    if error is None:
        return steps
    last = diary[-1] if diary and isinstance(diary[-1], Entry) else None
    if last is None or not (last.outcome == "running" or any(w in error[1] for w in _REFUSED)):
        return [*steps, ("error", None)]
    if not last.leaf and last.number not in listed:
        return [*steps, ("error", None)]
    return [*steps[:-1], ("error", last.number)]


def _steps(trace: hookviz.Trace, built: Built) -> list[Any]:
    steps: list[Any] = []
    for event in trace.events:
        came, went = told(event.incoming), told(event.outgoing)
        before, after = told(event.before), told(event.after)
        if event.kind == "tensor_hook":
            steps.append(("tensor_hook", number_of(event.hook), came, went))
        elif event.kind == "post_accumulate_hook":
            number = number_of(event.hook)
            steps.append(("post_accumulate_hook", number, came, before, went, after))
        elif event.kind == "node":
            steps.append(("node", event.node, came, went))
        elif event.kind == "retain_grad" and event.tensor in built.names:
            steps.append(("retain_grad", event.tensor, before, after))
        elif event.kind == "accumulate":
            name = event.tensor if event.tensor in built.names else None
            steps.append(("accumulate", name, came, before, after))
        elif event.kind == "error":
            steps.append(("error", event.hook and number_of(event.hook)))
    return steps


def number_of(hook: Any) -> int:
    """Return the number of a hook, which its label tells."""
    return int(re.search(r"hook_(\d+)", hook.label)[1])


def _forms(program: Program) -> set[str]:
    forms = {one.form for one in program.instructions if isinstance(one, Hook)}
    return forms | {one.operation for one in program.instructions if isinstance(one, Do)}


def _hooks_of(tensor: torch.Tensor) -> list[Any]:
    kinds = (tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None))
    return [(id(hooks), list((hooks or {}).items())) for hooks in kinds]


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
