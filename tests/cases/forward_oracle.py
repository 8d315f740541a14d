"""Hold a watched forward against the same forward in plain PyTorch."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

import hookviz
from hookviz._live.values.arguments import of_output
from tests.cases.facts import bits, kept_grad


@dataclass
class Scene:
    """A forward to run: what to call, and whose hooks and gradients to look at."""

    run: Callable[[], Any]
    modules: tuple[nn.Module, ...] = ()
    leaves: tuple[torch.Tensor, ...] = ()


Build = Callable[[], Scene]


@dataclass
class Seen:
    """All that a program can notice of a forward and the backward after it."""

    result: Any = None
    error: tuple[str, str] | None = None
    printed: str = ""
    warned: list[tuple[str, str]] = field(default_factory=list)
    grads: list[Any] = field(default_factory=list)
    hooks: list[Any] = field(default_factory=list)
    state: Any = None


def compare(build: Build) -> tuple[hookviz.Trace, hookviz.Trace | None]:
    """Run a scene plainly, under `watch`, and under `record`; all three must be the same.

    Returns:
        The trace of the forward alone, and that of forward and backward where the scene returned
        a tensor that requires grad.
    """
    plain = _seen(build, _plainly)
    forwards: list[hookviz.Forward] = []
    traces: list[hookviz.Trace] = []

    @contextlib.contextmanager
    def watched(run: Callable[[], Any]) -> Iterator[Any]:
        with hookviz.watch() as forward:
            forwards.append(forward)
            yield run()

    def recorded(run: Callable[[], Any]) -> Any:
        with hookviz.watch():
            result = run()
        if _has_backward(result):
            traces.append(hookviz.record(result))
            if traces[-1].error is not None:
                raise _RecordedError(traces[-1].error.type, traces[-1].error.message)
        return result

    assert _seen(build, lambda run: _after(run, watched)) == plain
    assert _seen(build, recorded) == plain
    trace = forwards[0].trace
    for found in (trace, *traces):
        check_trace(found)
    return trace, traces[0] if traces else None


def check_trace(trace: hookviz.Trace) -> None:
    """Check what holds for every trace with modules in it."""
    assert [event.index for event in trace.events] == list(range(len(trace.events)))
    assert hookviz.Trace.from_json(trace.to_json()) == trace
    modules = {module.id: module.name for module in trace.graph.modules}
    assert len(set(modules.values())) == len(modules)
    calls = {(modules[call.module], call.number): call for call in trace.graph.calls}
    assert len(calls) == len(trace.graph.calls)
    ids = [call.id for call in trace.graph.calls]
    assert ids == [f"k{place}" for place in range(len(ids))]
    for call in trace.graph.calls:
        assert call.parent is None or ids.index(call.parent) < ids.index(call.id)
    for event in trace.events:
        if event.module is not None:
            assert (event.module, event.call) in calls, event
    for node in trace.graph.nodes:
        assert node.call is None or node.call in ids
    files = {source.file for source in trace.graph.sources}
    for place in (*trace.graph.nodes, *trace.graph.calls):
        if place.code_text:
            assert place.code_file in files
            assert any(_shows(source, place) for source in trace.graph.sources)


def _shows(source: Any, place: Any) -> bool:
    lines = source.text.split("\n")
    row = place.code_line - source.first_line
    is_inside = source.file == place.code_file and 0 <= row < len(lines)
    return is_inside and lines[row].strip() == place.code_text


class _RecordedError(Exception):
    """An exception that `record` has kept in its trace."""


def _plainly(run: Callable[[], Any]) -> Any:
    result = run()
    if _has_backward(result):
        result.backward(retain_graph=True)
    return result


def _after(run: Callable[[], Any], watched: Any) -> Any:
    with watched(run) as result:
        pass
    if _has_backward(result):
        result.backward(retain_graph=True)
    return result


def _has_backward(result: Any) -> bool:
    return isinstance(result, torch.Tensor) and result.requires_grad and result.numel() == 1


def _seen(build: Build, how: Callable[[Callable[[], Any]], Any]) -> Seen:
    torch.manual_seed(11)
    scene = build()
    before = [_hooks(module) for module in scene.modules]
    seen, stream = Seen(), io.StringIO()
    tools = (sys.gettrace(), sys.getprofile(), nn.Module.__call__)
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stdout(stream),
        _warn_always(),
    ):
        warnings.simplefilter("always")
        try:
            result = how(scene.run)
            seen.result = [
                (path, bits(value) if isinstance(value, torch.Tensor) else type(value))
                for path, value in of_output(result)
            ]
        except _RecordedError as error:
            seen.error = (error.args[0], error.args[1])
        except Exception as error:  # noqa: BLE001 - whatever a hook may raise
            seen.error = (type(error).__name__, str(error))
        else:
            seen.error = None
    if seen.error is not None:
        seen.result = None
    assert (sys.gettrace(), sys.getprofile(), nn.Module.__call__) == tools
    seen.printed = stream.getvalue()
    seen.warned = [(w.category.__name__, str(w.message)) for w in caught]
    seen.grads = [bits(kept_grad(leaf)) for leaf in scene.leaves]
    seen.grads += [bits(p.grad) for module in scene.modules for p in module.parameters()]
    seen.hooks = [
        _places(old, _hooks(module)) for old, module in zip(before, scene.modules, strict=True)
    ]
    seen.state = (bits(torch.get_rng_state()), torch.is_grad_enabled(), torch.get_default_dtype())
    return seen


@contextlib.contextmanager
def _warn_always() -> Iterator[None]:
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        yield
    finally:
        torch.set_warn_always(always)


def _hooks(model: nn.Module) -> list[Any]:
    names = [name for name in vars(model) if name.endswith(("_hooks", "_kwargs", "_called"))]
    state = []
    for path, module in model.named_modules():
        state.append((path, sorted(vars(module)), type(module)))
        state += [(path, name, vars(module)[name], dict(vars(module)[name])) for name in names]
    return state


def _places(before: list[Any], after: list[Any]) -> list[Any]:
    """Say of each dictionary whether it is the same one, and where each hook in it stood before."""
    said: list[Any] = []
    for old, new in zip(before, after, strict=False):
        if len(new) == 3:
            said.append((new[0], new[1], new[2].__name__))
            continue
        was = [
            list(old[3]).index(key) if old[3].get(key) is hook else "new"
            for key, hook in new[3].items()
        ]
        said.append((new[0], new[1], old[2] is new[2], len(old[3]), was))
    return said
