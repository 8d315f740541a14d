"""A trace that tells a forward and a backward: one story, made when somebody looks."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch

import hookviz


def test_a_trace_that_nobody_looked_at_keeps_no_module() -> None:
    trace, kept = _recorded()
    gc.collect()
    assert [one() for one in kept] == [None, None, None]
    assert "module_backward_hook" in [event.kind for event in trace.events]


def _recorded() -> tuple[hookviz.Trace, list[weakref.ref[object]]]:
    model = torch.nn.Sequential(torch.nn.Linear(100, 100), torch.nn.Linear(100, 3))
    model[0].register_full_backward_hook(lambda *_: None)
    x = torch.ones(50, 100, requires_grad=True)
    trace = hookviz.record(lambda: model(x).sum(), retain_graph=False)
    return trace, [weakref.ref(one) for one in (model, model[0].weight, model[0]._backward_hooks)]


def test_the_numbers_of_the_backward_follow_those_of_the_forward() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    events = hookviz.record(lambda: model(torch.ones(1, 2)).sum()).events
    assert [event.index for event in events] == list(range(len(events)))
    kinds = [event.kind for event in events]
    assert kinds.index("start") == kinds.count("module_forward") == 3


def test_a_backward_hook_is_told_with_what_it_was_given_at_the_time() -> None:
    model = torch.nn.Linear(100, 100)
    given = []

    def double(
        _: object, grad_input: tuple[torch.Tensor], grad_output: tuple[torch.Tensor]
    ) -> None:
        given.append((grad_input[0].clone(), grad_output[0].clone()))
        grad_input[0].mul_(2)
        grad_output[0].data.mul_(3)

    model.register_full_backward_hook(double)
    x = torch.ones(4, 100, requires_grad=True)
    weights = torch.rand(4, 100)
    trace = hookviz.record(lambda: (model(x) * weights).sum(), keep="all")
    (event,) = [event for event in trace.events if event.kind == "module_backward_hook"]
    (before,) = given
    assert isinstance(event.incoming, tuple)
    assert event.incoming[0] is not None
    assert event.incoming[0].numbers() == tuple(before[0].flatten().tolist())
    (told,) = event.arguments_before
    assert told.snapshot is not None
    assert told.snapshot.numbers() == tuple(before[1].flatten().tolist())
    assert event.mutated
    final = trace.grad("x")
    assert final is not None
    assert final.numbers() == tuple((2 * before[0]).flatten().tolist())


@pytest.mark.parametrize("kind", ["register_full_backward_hook", "register_full_backward_pre_hook"])
def test_a_refused_backward_hook_is_blamed_after_a_forward(kind: str) -> None:
    model = torch.nn.Linear(2, 1)
    getattr(model, kind)(lambda *_: (torch.ones(1, 1), torch.ones(1, 1)))
    x = torch.ones(1, 2, requires_grad=True)
    with hookviz.watch(model):
        y = model(x).sum()
    trace = hookviz.record(y)
    assert trace.error is not None
    assert trace.error.hook is not None
    last = trace.events[-1]
    assert (last.kind, last.module, last.call) == ("error", "model", 0)
    assert last.index == len(trace.events) - 1
