"""After a recording everything is as plain PyTorch would have left it."""

from __future__ import annotations

import copy
import functools
import gc
import operator
import pickle
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from tests.identity import entries
from tests.live.scripts import leaf, second_example

Hooks = dict[int, Callable[[torch.Tensor], torch.Tensor]]


def hook_state(tensors: dict[str, torch.Tensor]) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for name, tensor in tensors.items():
        hooks = internals.tensor_hooks(tensor)
        state[name] = (id(hooks), entries(hooks), sorted(vars(tensor)))
    return state


def test_the_same_hooks_stand_under_the_same_keys_in_the_same_dictionaries() -> None:
    tensors = second_example()
    before = hook_state(tensors)
    hookviz.record(tensors["e"], names=tensors)
    assert hook_state(tensors) == before


def test_the_same_after_an_exception_in_a_hook() -> None:
    tensors = second_example()
    tensors["b"].register_hook(lambda grad: 1 / 0)
    before = hook_state(tensors)
    trace = hookviz.record(tensors["e"], names=tensors)
    assert trace.error is not None
    assert hook_state(tensors) == before


def test_the_same_after_a_keyboard_interrupt_which_goes_on_to_the_caller() -> None:
    tensors = second_example()

    def interrupt(grad: torch.Tensor) -> None:
        raise KeyboardInterrupt

    tensors["b"].register_hook(interrupt)
    before = hook_state(tensors)
    stream = sys.stdout
    with pytest.raises(KeyboardInterrupt):
        hookviz.record(tensors["e"], names=tensors)
    assert hook_state(tensors) == before
    assert sys.stdout is stream


def test_nothing_of_ours_runs_in_a_plain_backward_afterwards() -> None:
    tensors = second_example()
    trace = hookviz.record(tensors["e"], names=tensors)
    count = len(trace.events)
    tensors["e"].backward(retain_graph=True)  # type: ignore[no-untyped-call]
    assert len(trace.events) == count


def test_a_hook_that_removes_itself_stays_removed() -> None:
    x = leaf(1.0)
    handle = x.register_hook(lambda grad: handle.remove())
    hookviz.record(x * 2)
    assert not internals.tensor_hooks(x)


def test_grad_mode_default_dtype_and_random_state_are_untouched() -> None:
    torch.manual_seed(3)
    tensors = second_example()
    before = (torch.get_rng_state(), torch.is_grad_enabled(), torch.get_default_dtype())
    hookviz.record(tensors["e"], names=tensors)
    after = (torch.get_rng_state(), torch.is_grad_enabled(), torch.get_default_dtype())
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:]


def test_the_graph_is_freed_without_the_cycle_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        tensors = second_example()
        watched = [weakref.ref(tensor) for tensor in tensors.values()]
        trace = hookviz.record(tensors["e"], names=tensors)
        del tensors
        assert [reference() for reference in watched] == [None] * 5
        assert trace.events
    finally:
        gc.enable()


def test_unrelated_warnings_are_not_provoked(recwarn: pytest.WarningsRecorder) -> None:
    a = leaf(2.0)
    middle = a * 3
    hookviz.record(middle * 2)
    assert [str(warning.message) for warning in recwarn] == []


LOOKS: dict[str, Callable[[torch.Tensor, Hooks], object]] = {
    "capture": lambda w, hooks: hookviz.capture(w),
    "record": lambda w, hooks: hookviz.record(w, inputs=[w]),
    "explore": lambda w, hooks: hookviz.explore(w, inputs=[w]).close(),
    "pickle": lambda w, hooks: pickle.dumps(hooks),
    "deepcopy": lambda w, hooks: copy.deepcopy(hooks),
    "copy of each": lambda w, hooks: [copy.copy(hook) for hook in hooks.values()],
}


@pytest.mark.parametrize("look", LOOKS)
def test_a_hook_that_looks_at_hooks_during_a_pass_changes_nothing(look: str) -> None:
    def grads(run: Callable[[torch.Tensor], object]) -> list[torch.Tensor | None]:
        x = leaf(2.0)
        x.register_hook(operator.neg)
        x.register_hook(functools.partial(operator.mul, 10))
        w = x * 4
        y = w * 3
        y.register_hook(lambda grad: (LOOKS[look](w, internals.tensor_hooks(x)), grad)[1])
        run(y)
        return [x.grad]

    recorded = []
    assert grads(lambda y: recorded.append(hookviz.record(y))) == grads(lambda y: y.backward())
    assert recorded[0].error is None


def test_what_a_hook_reads_of_hooks_during_a_pass_are_the_users_own() -> None:
    seen = []
    x = leaf(2.0)

    def hook(grad: torch.Tensor) -> torch.Tensor:
        return grad * 10

    x.register_hook(hook)
    y = x * 3

    def look(grad: torch.Tensor) -> None:
        hooks = internals.tensor_hooks(x)
        seen.extend(hooks.values())
        seen.extend(copy.copy(hooks).values())
        seen.extend(copy.deepcopy(hooks).values())

    y.register_hook(look)
    hookviz.record(y)
    assert seen == [hook] * 3
    assert {repr(one) for one in seen} == {repr(hook)}
    assert len({*seen, hook}) == 1


def test_a_pickle_made_by_a_hook_during_a_pass_holds_the_hook() -> None:
    pickles = []
    x = leaf(2.0)
    x.register_hook(operator.neg)
    y = x * 3
    y.register_hook(lambda grad: pickles.append(pickle.dumps(internals.tensor_hooks(x))))
    trace = hookviz.record(y)
    assert trace.error is None
    assert list(pickle.loads(pickles[0]).values()) == [operator.neg]
    assert b"hookviz" not in pickles[0]
