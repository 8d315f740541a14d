"""Run one graph with plain PyTorch and with hookviz, and hold the two against each other.

`compare(build)` builds the same graph three times. The first is left alone: it says what every
`.grad`, exception, warning and printed line has to be. The second is watched by `plain.Diary`,
which says what each hook and node was given and handed on. The third is recorded by hookviz.
"""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import torch

import hookviz
from hookviz._records import Event
from tests.cases.facts import bits, grad_facts, kept_grad, leaves_behind, shown, told
from tests.cases.plain import Diary, Step, Tensors

Build = Callable[[], Tensors]
"""Makes a graph with its hooks. The first tensor of the dictionary is the root."""

_REFUSED = ("has changed the", "but hook returned", "can't replace a None", "should return None")


@dataclass
class Outcome:
    """What can be seen of some backward passes from outside."""

    tensors: Tensors
    printed: str = ""
    warned: list[tuple[str, str]] = field(default_factory=list)
    errors: list[tuple[str, str] | None] = field(default_factory=list)
    state: Any = None
    steps: list[Step] = field(default_factory=list)
    traces: list[hookviz.Trace] = field(default_factory=list)


def compare(build: Build, passes: int = 1, *, hidden: int = 0, **backward: Any) -> hookviz.Trace:
    """Assert that a recorded backward is the plain one, and that its trace tells every step.

    Args:
        build: Makes the graph; called three times, so it must make the same one each time.
        passes: How often backward is called on the root.
        hidden: How many `hidden_rewrite` events there are in all passes.
        backward: The arguments of `backward`; `inputs` are names.

    Returns:
        The trace of the last pass.
    """
    return compare_passes(build, passes, hidden=hidden, **backward).traces[-1]


def compare_passes(build: Build, passes: int = 1, *, hidden: int = 0, **backward: Any) -> Outcome:
    """Do the same as `compare`, and return all that the recorded run left."""
    backward = {"retain_graph": True, **backward}
    outcomes = []
    # In one loop, so that an error text with the line of the call is the same in all three.
    for run in (_plainly, _watched, _recorded):
        torch.manual_seed(0)
        outcomes.append(_run(build(), run, passes, backward))
    plain, watched, recorded = outcomes
    assert recorded.printed == plain.printed
    assert recorded.warned == plain.warned
    assert recorded.errors == plain.errors
    assert recorded.state == plain.state
    _check_traces(recorded, watched, hidden)
    return recorded


def _run(tensors: Tensors, run: Any, passes: int, backward: dict[str, Any]) -> Outcome:
    outcome = Outcome(tensors)
    root = next(iter(tensors.values()))
    known = [*tensors.values(), *leaves_behind(root)]
    hooks = [_hooks_of(tensor) for tensor in known]
    arguments = dict(backward)
    if arguments.get("gradient") is not None:
        arguments["gradient"] = arguments["gradient"].clone()
    if "inputs" in arguments:
        arguments["inputs"] = [tensors[name] for name in arguments["inputs"]]
    modes = (torch.is_grad_enabled(), torch.get_default_dtype())
    with redirect_stdout(io.StringIO()) as stream, _all_warnings() as caught:
        for _ in range(passes):
            outcome.errors.append(run(outcome, root, arguments))
        assert sys.stdout is stream
    assert (torch.is_grad_enabled(), torch.get_default_dtype()) == modes
    outcome.printed = stream.getvalue()
    outcome.warned = [(w.category.__name__, str(w.message)) for w in caught]
    outcome.state = {
        "grads": [grad_facts(tensor) for tensor in known],
        "values": [bits(tensor) for tensor in known],
        "attributes": [sorted(vars(tensor)) for tensor in known],
        "seed": bits(arguments.get("gradient")),
        "random": bits(torch.get_rng_state()),
        "hooks": [
            _places(before, _hooks_of(tensor)) for tensor, before in zip(known, hooks, strict=True)
        ],
    }
    return outcome


def _plainly(outcome: Outcome, root: torch.Tensor, arguments: Any) -> tuple[str, str] | None:
    try:
        root.backward(**arguments)
    except Exception as error:  # noqa: BLE001 - whatever a hook may raise
        return (type(error).__name__, str(error))
    return None


def _watched(outcome: Outcome, root: torch.Tensor, arguments: Any) -> tuple[str, str] | None:
    if not outcome.steps:
        outcome.steps = Diary(root, outcome.tensors).steps
    return _plainly(outcome, root, arguments)


def _recorded(outcome: Outcome, _root: torch.Tensor, _arguments: Any) -> tuple[str, str] | None:
    # Variables of a frame that calls hookviz become names; these must not, so they are hidden.
    trace = hookviz.record(_root, names=outcome.tensors, **_arguments)
    outcome.traces.append(trace)
    for name, tensor in outcome.tensors.items():
        if trace.graph.find(name) is not None:
            assert told(trace.grad(name)) == shown(kept_grad(tensor)), name
    return trace.error and (trace.error.type, trace.error.message)


def _check_traces(recorded: Outcome, watched: Outcome, hidden: int) -> None:
    steps: list[Step] = []
    for trace in recorded.traces:
        assert [event.index for event in trace.events] == list(range(len(trace.events)))
        assert hookviz.Trace.from_json(trace.to_json()) == trace
        assert trace.text("en")
        assert trace.text("zh")
        steps += _steps(trace, recorded.tensors)
    assert steps == watched.steps
    events = [event for trace in recorded.traces for event in trace.events]
    for event in events:
        if event.kind in ("accumulate", "retain_grad") and _is_whole(event):
            assert _sum(event) == told(event.after), event
    assert "".join(event.printed for event in events) == recorded.printed
    assert sum(event.kind == "hidden_rewrite" for event in events) == hidden


def _steps(trace: hookviz.Trace, tensors: Tensors) -> Iterator[Step]:
    for event in trace.events:
        name = event.tensor if event.tensor in tensors else None
        if event.tensor and name is None and not _is_leaf(trace, event):
            continue  # found by hookviz in what a node saved; the diary knows named ones only
        hook = (event.kind, name, event.hook_index)
        came_in, went_on = _told(event.incoming), _told(event.outgoing)
        before, after = told(event.before), told(event.after)
        if event.kind == "tensor_hook":
            yield (*hook, came_in, went_on)
        elif event.kind == "post_accumulate_hook":
            yield (*hook, came_in, before, went_on, after)
        elif event.kind == "node":
            yield ("node", event.node, came_in, went_on)
        elif event.kind == "retain_grad":
            yield ("retain_grad", name, before, after)
        elif event.kind == "accumulate":
            yield ("accumulate", name, came_in, before, after)
        elif event.hook and any(words in event.error.message for words in _REFUSED):
            of_leaf = event.hook.kind == "post_accumulate_hook"
            is_tensor = of_leaf or "hook returned" not in event.error.message
            yield ("refused", name, came_in, went_on if is_tensor else "no tensor")


def _is_whole(event: Event) -> bool:
    snapshots = [s for s in (event.before, event.incoming, event.after) if s is not None]
    return all(s.values is not None and s.layout == "strided" for s in snapshots)


def _sum(event: Event) -> Any:
    total = None
    for snapshot in (event.before, event.incoming):
        if snapshot is not None:
            tensor = torch.tensor(snapshot.tolist(), dtype=getattr(torch, snapshot.dtype))
            tensor = tensor.reshape(snapshot.shape)
            total = tensor if total is None else total + tensor
    return shown(total)


def _is_leaf(trace: hookviz.Trace, event: Event) -> bool:
    tensor = trace.graph.find(event.tensor or "")
    return tensor is not None and tensor.is_leaf


def _told(value: Any) -> Any:
    return tuple(map(told, value)) if isinstance(value, tuple) else told(value)


def _hooks_of(tensor: torch.Tensor) -> list[tuple[Any, list[tuple[int, Any]]]]:
    kinds = (tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None))
    return [(hooks, list((hooks or {}).items())) for hooks in kinds]


def _places(before: Any, after: Any) -> list[Any]:
    """Say where each hook that stands there now stood before the run."""
    places = []
    for (old, old_entries), (new, new_entries) in zip(before, after, strict=True):
        was = [
            next((i for i, e in enumerate(old_entries) if _same(e, entry)), "new")
            for entry in new_entries
        ]
        places.append((old is new, len(old_entries), was))
    return places


def _same(one: tuple[int, Any], other: tuple[int, Any]) -> bool:
    return one[0] == other[0] and one[1] is other[1]


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
