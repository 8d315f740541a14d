"""Recording works beside other threads, and from one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import torch

import hookviz
from tests.live.scripts import grad_of, leaf, plain_grads, second_example


def in_a_thread(work: Callable[[], Any]) -> Any:
    results: list[Any] = []

    def run() -> None:
        results.append(work())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    (result,) = results
    return result


def test_a_pass_can_be_recorded_in_a_worker_thread() -> None:
    tensors = second_example()
    trace = in_a_thread(lambda: hookviz.record(tensors["e"], names=tensors))
    assert len(trace.events) == 12
    assert "c_hook tensor(8.)\n" in [event.printed for event in trace.events]
    assert {name: grad_of(t) for name, t in tensors.items()} == plain_grads(second_example)


def test_what_another_thread_prints_is_not_taken_for_the_hooks_print() -> None:
    x = leaf(2.0)
    x.register_hook(lambda grad: in_a_thread(lambda: print("elsewhere")))
    trace = hookviz.record(x * 3)
    assert "elsewhere" not in "".join(event.printed for event in trace.events)


def test_two_threads_record_two_graphs_at_once() -> None:
    barrier = threading.Barrier(2)

    def build(factor: float) -> dict[str, torch.Tensor]:
        x = leaf(2.0)

        def hook(grad: torch.Tensor) -> torch.Tensor:
            barrier.wait(timeout=30)
            return grad * factor

        x.register_hook(hook)
        return {"out": x * 3, "x": x}

    def work(tensors: dict[str, torch.Tensor], traces: list[hookviz.Trace]) -> None:
        traces.append(hookviz.record(tensors["out"], names=tensors))

    stream = sys.stdout
    both = [build(10.0), build(100.0)]
    traces: list[list[hookviz.Trace]] = [[], []]
    threads = [threading.Thread(target=work, args=pair) for pair in zip(both, traces, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.stdout is stream
    assert [grad_of(tensors["x"]) for tensors in both] == [30, 300]
    for (trace,), factor in zip(traces, (10, 100), strict=True):
        (event,) = [event for event in trace.events if event.kind == "tensor_hook"]
        assert event.outgoing is not None
        assert event.outgoing.item() == 3 * factor  # type: ignore[union-attr]


def test_nodes_that_run_on_a_thread_of_the_engine_are_recorded() -> None:
    # Nested deeper than the engine's limit, a backward moves to a thread of the engine's pool.
    depth = 70
    x = leaf(1.0)

    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, value: torch.Tensor, level: int) -> torch.Tensor:
            ctx.level = level
            return value * 1

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> Any:
            if ctx.level:
                with torch.enable_grad():
                    inner = leaf(1.0)
                    Nested.apply(inner, ctx.level - 1).backward()
                assert inner.grad is not None
                return grad * inner.grad, None
            return grad * 2, None

    trace = hookviz.record(Nested.apply(x, depth))
    assert grad_of(x) == 2
    assert [event.kind for event in trace.events] == ["start", "node", "accumulate"]


def test_a_graph_shared_with_another_threads_backward_gives_both_their_gradients() -> None:
    shared = leaf(2.0)
    left, right = shared * 3, shared * 5
    started, finish = threading.Event(), threading.Event()

    def wait(grad: torch.Tensor) -> None:
        started.set()
        finish.wait(timeout=30)

    left.register_hook(wait)
    other = threading.Thread(target=left.backward)
    other.start()
    started.wait(timeout=30)
    trace = hookviz.record(right)
    finish.set()
    other.join()
    assert grad_of(shared) == 8
    assert trace.error is None
    assert trace.events[-1].kind == "accumulate"


def test_a_hook_that_records_another_pass_keeps_the_prints_apart() -> None:
    inner = leaf(1.0)
    inner.register_hook(lambda grad: print("inner"))
    traces: list[hookviz.Trace] = []

    def outer_hook(grad: torch.Tensor) -> None:
        print("before")
        with torch.enable_grad():
            traces.append(hookviz.record(inner * 2))
        print("after")

    outer = leaf(1.0)
    outer.register_hook(outer_hook)
    trace = hookviz.record(outer * 3)
    assert [event.printed for event in traces[0].events if event.printed] == ["inner\n"]
    (event,) = [event for event in trace.events if event.kind == "tensor_hook"]
    assert event.printed == "before\ninner\nafter\n"
