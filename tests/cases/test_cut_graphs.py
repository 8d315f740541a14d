"""Tensors that no gradient can reach, and weights that are not what they seem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

import hookviz
from tests.cases.forms import filled, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors


def made_under_no_grad() -> torch.Tensor:
    with torch.no_grad():
        return filled((2,)) * 3


def made_in_inference_mode() -> torch.Tensor:
    with torch.inference_mode():
        return torch.ones(2)


CUT: dict[str, Callable[[], torch.Tensor]] = {
    "plain data": lambda: torch.ones(2),
    "under no_grad": made_under_no_grad,
    "inference mode": made_in_inference_mode,
    "detached": lambda: (filled((2,)) * 2).detach(),
    "data": lambda: filled((2,)).data,
    "integer": lambda: torch.ones(2, dtype=torch.long),
    "compared": lambda: filled((2,)) > 1,
    "argmax": lambda: filled((2,)).argmax(),
}


@pytest.mark.parametrize("make", CUT.values(), ids=CUT)
def test_a_tensor_without_a_graph_can_neither_be_hooked_nor_recorded(make) -> None:
    cut = make()
    with pytest.raises(RuntimeError, match="doesn't require grad"):
        cut.register_hook(print)
    with pytest.raises(RuntimeError, match="can't retain_grad"):
        cut.retain_grad()
    with pytest.raises(RuntimeError, match="does not require grad"):
        cut.sum().backward()
    with pytest.raises(hookviz.NoGradError, match=r"does not require grad.*no_grad"):
        hookviz.record(cut)


@of_any_shape
@pytest.mark.parametrize("make", CUT.values(), ids=CUT)
def test_a_tensor_without_a_graph_takes_no_part_in_a_recorded_pass(make, shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        cut = make()
        a.retain_grad()  # on a leaf this does nothing
        return {"loss": (a * 2).sum() + cut.sum(), "a": a, "cut": cut}

    trace = compare(build)
    assert [tensor.label for tensor in trace.graph.tensors] == ["loss", "a"]
    assert not trace.graph.find("a").retains_grad
    assert not any(event.kind == "retain_grad" for event in trace.events)


@of_any_shape
def test_a_detached_copy_cuts_the_graph_between_the_two(shape) -> None:
    def build() -> Tensors:
        a = filled(shape)
        b = a * 2
        d = b.detach().requires_grad_()
        b.register_hook(lambda grad: say("b", grad))
        d.register_hook(lambda grad: grad * 10)
        return {"loss": (d * 3).sum(), "d": d}

    trace = compare(build)
    assert [event.tensor for event in trace.events if event.kind == "accumulate"] == ["d"]


class Doubled(nn.Module):
    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * 2


def doubled(layer: nn.Module) -> nn.Module:
    parametrize.register_parametrization(layer, "weight", Doubled())
    return layer


PARAMETRIZED: dict[str, Callable[[nn.Module], nn.Module]] = {
    "weight_norm": parametrizations.weight_norm,
    "spectral_norm": parametrizations.spectral_norm,
    "orthogonal": parametrizations.orthogonal,
    "of the user": doubled,
}


def layer_of(shape: int, wrap: Callable[[nn.Module], nn.Module]) -> nn.Module:
    torch.manual_seed(1)
    return wrap(nn.Linear(shape, shape, bias=False))


@pytest.mark.parametrize("size", [1, 3, 9])
@pytest.mark.parametrize("wrap", PARAMETRIZED.values(), ids=PARAMETRIZED)
def test_a_parametrized_weight_is_new_at_each_access_and_only_its_originals_are_hooked(
    wrap, size
) -> None:
    def build() -> Tensors:
        layer = layer_of(size, wrap)
        layer.weight.register_hook(lambda grad: say("never"))
        originals = dict(layer.named_parameters())
        for name, original in originals.items():
            original.register_hook(lambda grad, name=name: say(name))
        return {"loss": layer(torch.ones(1, size)).sum(), **originals}

    trace = compare(build)
    hooked = [event for event in trace.events if event.kind == "tensor_hook"]
    assert {event.printed.strip() for event in hooked} == {event.tensor for event in hooked}
    assert len(hooked) == len(trace.graph.tensors) - 1


@pytest.mark.parametrize("wrap", PARAMETRIZED.values(), ids=PARAMETRIZED)
def test_the_originals_of_a_parametrized_weight_are_named_through_the_callers_module(wrap) -> None:
    layer: Any = layer_of(3, wrap)
    loss = layer(torch.ones(1, 3)).sum()
    trace = hookviz.record(loss)
    names = [f"layer.{name}" for name, _ in layer.named_parameters()]
    assert sorted(tensor.label for tensor in trace.graph.tensors[1:]) == sorted(names)
    for name in names:
        assert name.startswith("layer.parametrizations.weight.original")
        assert trace.grad(name) is not None
