"""Copying, saving and freeing hooked tensors, and gradients of other dtypes."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import hookviz
from tests.cases.forms import filled, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors


def times_five(grad: torch.Tensor) -> torch.Tensor:
    return grad * 5


def hooked(shape: tuple[int, ...]) -> Tensors:
    a = filled(shape)
    a.register_hook(times_five)
    c = a * 2
    c.register_hook(times_five)
    return {"loss": c.sum(), "a": a, "c": c}


def saved_and_loaded(tensor: torch.Tensor) -> tuple[torch.Tensor, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        buffer = io.BytesIO()
        torch.save(tensor, buffer)
        buffer.seek(0)
        loaded = torch.load(buffer)
    return loaded, [str(warning.message) for warning in caught]


@pytest.mark.filterwarnings("ignore:backward hook")
@of_any_shape
def test_copies_of_a_recorded_leaf_are_what_copies_are_without_a_recording(shape) -> None:
    plain, recorded = hooked(shape), hooked(shape)
    plain["loss"].backward(retain_graph=True)
    hookviz.record(recorded["loss"])
    for copied in (copy.deepcopy, copy.copy, torch.clone):
        twins = [copied(tensors["a"]).detach().requires_grad_() for tensors in (plain, recorded)]
        for twin in twins:
            (twin * 1).sum().backward()
        assert torch.equal(twins[0].grad, twins[1].grad)
        assert torch.equal(twins[0], twins[1])
    (one, said), (other, also_said) = (saved_and_loaded(t["a"]) for t in (plain, recorded))
    assert torch.equal(one, other)
    assert not other._backward_hooks
    assert said == also_said
    assert "not be serialized" in said[0]
    for tensors in (plain, recorded):
        with pytest.raises(RuntimeError, match="created explicitly by the user"):
            copy.deepcopy(tensors["c"])


@of_any_shape
def test_recording_copies_none_of_the_users_objects(shape, monkeypatch) -> None:
    tensors = hooked(shape)
    layer = nn.Linear(2, 2)
    loss = tensors["loss"] + layer(torch.ones(1, 2)).sum()

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a copy was made")

    for module, name in ((copy, "deepcopy"), (pickle, "dumps")):
        monkeypatch.setattr(module, name, refuse)
    for kind in (torch.Tensor, nn.Module):
        for name in ("__copy__", "__deepcopy__", "__reduce_ex__"):
            monkeypatch.setattr(kind, name, refuse, raising=False)
    assert hookviz.record(loss).error is None


def test_a_trace_copies_and_pickles_without_the_graph() -> None:
    tensors = hooked((2,))
    trace = hookviz.record(tensors["loss"], names=tensors)
    alive = [weakref.ref(tensor) for tensor in tensors.values()]
    del tensors
    assert [reference() for reference in alive] == [None] * 3
    assert copy.deepcopy(trace) == trace
    assert pickle.loads(pickle.dumps(trace)) == trace


def holding(tensor: torch.Tensor) -> Callable[[torch.Tensor], None]:
    return lambda grad: say(tensor.shape)


@pytest.mark.parametrize("on", ["a", "c"])
def test_a_hook_that_refers_to_its_own_tensor_is_freed_as_in_plain_pytorch(on) -> None:
    def run(backward: Callable[[torch.Tensor], Any]) -> list[bool]:
        tensors = hooked((3,))
        tensors[on].register_hook(holding(tensors[on]))
        alive = [weakref.ref(t) for t in tensors.values()]
        backward(tensors["loss"])
        tensors.clear()
        return [reference() is not None for reference in alive]

    gc.collect()
    gc.disable()
    try:
        plain = run(lambda loss: loss.backward(retain_graph=True))
        assert run(lambda loss: hookviz.record(loss)) == plain
    finally:
        gc.enable()


FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@of_any_shape
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_every_floating_dtype_is_kept_and_named(shape, dtype) -> None:
    def build() -> Tensors:
        a = filled(shape, dtype)
        c = a / 3
        c.register_hook(lambda grad: grad * 0.1)
        c.retain_grad()
        return {"loss": c.sum(), "a": a, "c": c}

    trace = compare(build, passes=2)
    name = str(dtype).removeprefix("torch.")
    events = [event for event in trace.events if event.tensor in ("a", "c")]
    assert {event.incoming.dtype for event in events} == {name}


LAYERS: dict[str, Callable[[], tuple[nn.Module, torch.Tensor]]] = {
    "linear": lambda: (nn.Linear(2, 3, bias=False), torch.ones(1, 2)),
    "large linear": lambda: (nn.Linear(20, 30, bias=False), torch.ones(5, 20)),
    "convolution": lambda: (nn.Conv1d(2, 3, 2, bias=False), torch.ones(1, 2, 4)),
}

any_layer = pytest.mark.parametrize("make", LAYERS.values(), ids=LAYERS)
any_low_dtype = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)


def under_autocast(make: Callable[[], Any], dtype: torch.dtype, hook: Any) -> Tensors:
    layer, x = make()
    with torch.autocast("cpu", dtype=dtype):
        y = layer(x)
    y.register_hook(hook)
    layer.weight.register_hook(lambda grad: say("weight", grad.dtype))
    return {"loss": y.sum(), "y": y, "weight": layer.weight}


@any_layer
@any_low_dtype
def test_under_autocast_each_value_has_its_own_dtype(make, dtype) -> None:
    trace = compare(lambda: under_autocast(make, dtype, lambda grad: say("y", grad.dtype)))
    name = str(dtype).removeprefix("torch.")
    (at_y,) = [event for event in trace.of("y") if event.kind == "tensor_hook"]
    at_weight, _ = trace.of("weight")
    assert (at_y.incoming.dtype, at_weight.incoming.dtype) == (name, "float32")
    assert (at_y.printed, at_weight.printed) == (f"y {dtype}\n", "weight torch.float32\n")
    casts = [event for event in trace.events if event.kind == "node" and event.outgoing[0]]
    changed = [e for e in casts if e.incoming[0].dtype != e.outgoing[0].dtype]
    assert changed
    assert trace.graph.find("y").value.dtype == name


@any_layer
@any_low_dtype
def test_a_hook_that_casts_a_gradient_of_autocast_is_refused(make, dtype) -> None:
    trace = compare(lambda: under_autocast(make, dtype, lambda grad: grad.float()))
    assert (trace.error.tensor, trace.error.explanation) == ("y", "error.hook_dtype")
    error = trace.events[-1]
    assert (error.incoming.dtype, error.outgoing.dtype) == (
        str(dtype).removeprefix("torch."),
        "float32",
    )
