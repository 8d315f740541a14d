"""After a watched block, everything is as plain PyTorch would have left it."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import hookviz
from hookviz._live.forward import call as running_call
from hookviz._live.forward import remembered as seen_forwards
from hookviz._live.hooks.stand_in import StandIn
from tests.identity import entries


class Net(nn.Module):
    def __init__(self, act: Callable[[Any], Any] = torch.relu) -> None:
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.act = act

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = self.lin(x)
        return self.act(out)


def hooked(act: Callable[[Any], Any] = torch.relu) -> Net:
    net = Net(act)
    for module in (net, net.lin):
        module.register_forward_pre_hook(lambda module, args: None)
        module.register_forward_hook(lambda module, args, output: None)
        module.register_full_backward_pre_hook(lambda module, grads: None)
        module.register_full_backward_hook(lambda module, *grads: None)
    return net


def state_of(model: nn.Module) -> Any:
    state: list[Any] = []
    for path, module in model.named_modules():
        state.append((path, sorted(vars(module))))
        for name in vars(module):
            if name.endswith(("_hooks", "_kwargs", "_called")):
                hooks = vars(module)[name]
                state.append((name, id(hooks), entries(hooks)))
    return state


def tools() -> Any:
    stack = [
        torch._C._get_function_stack_at(i) for i in range(torch._C._len_torch_function_stack())
    ]
    return (
        nn.Module.__call__,
        sys.gettrace(),
        sys.getprofile(),
        sys.stdout,
        stack,
        torch._C._len_torch_dispatch_stack(),
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
        torch.get_rng_state().tolist(),
        torch.autograd.Function.apply,
        running_call.here.watchers,
        running_call.here.calls,
    )


def fails(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("in the middle")


def interrupts(x: torch.Tensor) -> torch.Tensor:
    raise KeyboardInterrupt


@pytest.mark.parametrize("act", [torch.relu, fails, interrupts])
def test_hooks_and_tools_are_as_before(act: Any) -> None:
    net = hooked(act)
    before, tools_before = state_of(net), tools()
    frame = sys._getframe()
    if act is torch.relu:
        with hookviz.watch(net):
            net(torch.ones(2, 2, requires_grad=True))
    else:
        with pytest.raises((ValueError, KeyboardInterrupt)), hookviz.watch(net):
            net(torch.ones(2, 2))
    assert state_of(net) == before
    assert tools() == tools_before
    assert frame.f_trace is None


@pytest.mark.parametrize("where", ["hook", "pre-hook", "block"])
def test_the_same_after_an_interrupt_anywhere(where: str) -> None:
    net = hooked()

    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    if where == "hook":
        net.lin.register_forward_hook(interrupt)
    if where == "pre-hook":
        net.lin.register_forward_pre_hook(interrupt)
    before, tools_before = state_of(net), tools()
    with pytest.raises(KeyboardInterrupt), hookviz.watch(net):
        interrupt(net(torch.ones(1, 2)))
    assert state_of(net) == before
    assert tools() == tools_before


def test_an_interrupt_from_outside_at_any_moment_leaves_the_hooks_as_they_were() -> None:
    net = hooked()
    before, tools_before = state_of(net), tools()
    x = torch.ones(1, 2)
    for count in range(0, 4000, 97):
        steps = iter(range(count))

        def tick(frame: Any, event: str, arg: Any, steps: Any = steps) -> None:
            # Stands for a signal: it comes wherever Python happens to be inside the call.
            if frame.f_code.co_name in INSIDE and next(steps, None) is None:
                sys.setprofile(None)
                raise KeyboardInterrupt

        try:
            with hookviz.watch(net):
                sys.setprofile(tick)
                net(x)
        except KeyboardInterrupt:
            pass
        finally:
            sys.setprofile(None)
            sys.settrace(None)
            sys._getframe().f_trace = None
        assert state_of(net) == before, count
    assert tools()[0] is tools_before[0]


INSIDE = frozenset({"forward", "<lambda>", "relu", "linear", "_call_impl"})


def test_no_stand_in_is_seen_from_another_call_or_after_the_block() -> None:
    net = hooked()
    with hookviz.watch(net):
        y = net(torch.ones(1, 2, requires_grad=True))
        for module in net.modules():
            for name, hooks in vars(module).items():
                if name.endswith("_hooks") and hooks:
                    assert not any(isinstance(hook, StandIn) for hook in hooks.values())
    y.sum().backward()


def test_a_model_that_is_copied_while_it_runs_has_the_hooks_and_no_stand_ins() -> None:
    import copy
    import pickle

    copies: list[nn.Module] = []

    class Copies(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            copies.append(copy.deepcopy(self))
            copies.append(pickle.loads(pickle.dumps(self)))
            return x * 2

    globals()["Copies"] = Copies
    Copies.__qualname__ = "Copies"
    model = Copies()
    model.register_forward_hook(module_level_hook)
    model.register_full_backward_hook(module_level_hook)
    with hookviz.watch():
        model(torch.ones(1, requires_grad=True))
    for other in copies:
        assert list(other._forward_hooks.values()) == [module_level_hook]
        assert list(other._backward_hooks.values()) == [module_level_hook]


def module_level_hook(*args: Any) -> None: ...


def test_tensors_die_in_the_block_as_they_do_without_it() -> None:
    net = hooked()
    gc.collect()
    gc.disable()
    try:
        with hookviz.watch(net):
            y = net(torch.ones(64, 64, 2, requires_grad=True))
            inner = weakref.ref(y)
            del y
            x = torch.ones(3)
            other = weakref.ref(x)
            del x
            assert other() is None
        del net
        assert inner() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("end", ["finished", "failed"])
def test_the_graph_and_the_model_can_go_without_the_cycle_collector(end: str) -> None:
    gc.collect()
    gc.disable()
    try:
        net = hooked() if end == "finished" else hooked(fails)
        x = torch.ones(1, 2, requires_grad=True)
        watched = [weakref.ref(thing) for thing in (net, net.lin, net.lin.weight, x)]
        try:
            with hookviz.watch(net) as forward:
                loss = net(x).sum()
                watched.append(weakref.ref(loss))
                trace = hookviz.record(loss)
                del loss
        except ValueError:
            pass
        del net, x, forward
        assert [reference() for reference in watched] == [None] * len(watched)
        if end == "finished":
            assert any(event.kind == "module_backward_hook" for event in trace.events)
    finally:
        gc.enable()


def test_what_is_remembered_of_finished_blocks_holds_nothing_of_the_users() -> None:
    seen_forwards._finished.clear()
    for _ in range(seen_forwards.MOST + 3):
        net = hooked()
        with hookviz.watch(net):
            net(torch.ones(1, 2, requires_grad=True))
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None
    assert len(seen_forwards._finished) == seen_forwards.MOST


def test_a_hook_in_the_graph_runs_in_a_plain_backward_long_after_the_block() -> None:
    net, seen = Net(), list[Any]()
    net.register_full_backward_hook(lambda module, *grads: seen.append(grads) or (grads[0][0] * 3,))
    x = torch.ones(1, 2, requires_grad=True)
    with hookviz.watch(net) as forward:
        loss = net(x).sum()
    trace = forward.trace
    count = len(trace.events)
    loss.backward(retain_graph=True)
    assert len(seen) == 1
    assert len(trace.events) == count
    plain = x.grad
    x.grad = None
    hookviz.record(loss)
    assert torch.equal(x.grad, plain)
    assert len(seen) == 2


def test_a_hook_removed_after_the_forward_still_runs_in_its_graph_as_in_plain_pytorch() -> None:
    results = []
    for watched in (False, True):
        net, seen = Net(), list[Any]()
        handle = net.register_full_backward_hook(lambda *_, seen=seen: seen.append(1))
        x = torch.ones(1, 2, requires_grad=True)
        if watched:
            with hookviz.watch(net):
                loss = net(x).sum()
        else:
            loss = net(x).sum()
        handle.remove()
        hooks = net._backward_hooks
        hooks[77] = lambda *_, seen=seen: seen.append(2)
        loss.backward()
        results.append(seen)
    assert results == [[1], [1]]


class Counting(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class CountingBelow(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("mode", [Counting, CountingBelow])
@pytest.mark.parametrize("size", [2, 200])
def test_the_users_modes_see_what_they_see_without_hookviz(mode: Any, size: int) -> None:
    seen = []
    for watched in (False, True):
        net = hooked()
        x = torch.ones(size, 2, requires_grad=True)
        with mode() as counting:
            if watched:
                with hookviz.watch():
                    net(x)
            else:
                net(x)
        seen.append(counting.seen)
    assert seen[0] == seen[1] != []


def test_another_thread_calls_modules_plainly_meanwhile() -> None:
    net, shared = hooked(), hooked()
    inside, finish = threading.Event(), threading.Event()
    results: list[torch.Tensor] = []

    def wait(module: nn.Module, args: Any) -> None:
        inside.set()
        finish.wait(timeout=30)

    shared.register_forward_pre_hook(wait)
    x = torch.ones(1, 2)

    def elsewhere() -> None:
        inside.wait(timeout=30)
        results.append(shared.lin(x))
        results.append(net(x))
        finish.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    before = state_of(shared)
    with hookviz.watch() as forward:
        y = shared(x)
    thread.join()
    assert state_of(shared) == before
    assert torch.equal(results[0], shared.lin(x))
    assert torch.equal(torch.relu(results[0]), y)
    assert [call.number for call in forward.trace.graph.calls] == [0, 0]


def test_two_threads_watch_one_module_at_once_and_its_hooks_stand_as_before() -> None:
    net = hooked()
    barrier = threading.Barrier(2)

    def wait(module: nn.Module, args: Any) -> None:
        barrier.wait(timeout=30)

    net.lin.register_forward_pre_hook(wait)
    before = state_of(net)
    traces: list[hookviz.Trace] = []

    def work(value: float) -> None:
        x = torch.full((1, 2), value, requires_grad=True)
        with hookviz.watch(net) as forward:
            loss = net(x).sum()
        traces.append(forward.trace)
        traces.append(hookviz.record(loss))

    threads = [threading.Thread(target=work, args=(value,)) for value in (1.0, 5.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert state_of(net) == before
    assert len(traces) == 4
    for trace in traces:
        given = [e for e in trace.events if e.kind == "module_forward" and e.module == "net"]
        (argument,) = given[0].arguments_before
        assert len(given) == 1
        assert argument.snapshot is not None
        value = argument.snapshot.tolist()[0][0]
        for event in trace.events:
            if event.module == "lin" and event.kind.startswith("module_forward_pre"):
                assert event.arguments_before[0].snapshot.tolist() == [[value, value]]  # type: ignore[union-attr]


@pytest.mark.parametrize("tool", ["settrace", "setprofile"])
def test_another_tracer_or_profiler_stays_at_work(tool: str) -> None:
    events: list[str] = []

    def own(frame: Any, event: str, arg: Any) -> Any:
        events.append(frame.f_code.co_name)
        return own

    net = hooked()
    getattr(sys, tool)(own)
    try:
        with hookviz.watch(net) as forward:
            assert getattr(sys, tool.replace("set", "get"))() is own
            loss = net(torch.ones(1, 2, requires_grad=True)).sum()
        assert getattr(sys, tool.replace("set", "get"))() is own
    finally:
        getattr(sys, tool)(None)
    assert "forward" in events
    trace = hookviz.record(loss)
    lines = {node.code_text for node in trace.graph.nodes if node.call is not None}
    assert lines
    assert ("note.no_lines" in trace.graph.notes) == (tool == "settrace")
    assert any("self.lin(x)" in line for line in lines)
    assert forward.trace.events
