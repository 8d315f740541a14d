"""Parameters keep their names and their place when the model object itself is gone."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
from torch import nn

import hookviz
from hookviz._live.forward.remembered import seen_in_this_thread
from hookviz._trace import Trace
from hookviz._watch import Forward


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1, bias=False))


def loss_of_a_model_that_goes() -> tuple[torch.Tensor, weakref.ref[nn.Module]]:
    net = network()
    with hookviz.watch(net):
        loss = net(torch.ones(1, 2)).sum()
    return loss, weakref.ref(net)


def plain_grads() -> dict[str, list[object]]:
    net = network()
    net(torch.ones(1, 2)).sum().backward()
    return {
        f"{path.split('.')[1]} ({path.split('.')[0]})": parameter.grad.tolist()  # type: ignore[union-attr]
        for path, parameter in net.named_parameters()
    }


def owners(trace: Trace) -> dict[str, str]:
    modules = {module.id: module.name for module in trace.graph.modules}
    return {
        tensor.label: modules.get(tensor.module or "", "")
        for tensor in trace.graph.tensors
        if tensor.is_leaf
    }


@pytest.mark.parametrize("collected", [False, True])
def test_the_names_and_gradients_are_those_of_the_model_that_is_gone(collected: bool) -> None:
    loss, model = loss_of_a_model_that_goes()
    if collected:
        gc.collect()
    assert model() is None

    trace = hookviz.record(loss)

    wanted = plain_grads()
    assert owners(trace) == {name: name.split("(")[1].rstrip(")") for name in wanted}
    for name, grad in wanted.items():
        snapshot = trace.grad(name)
        assert snapshot is not None
        assert snapshot.tolist() == grad
    # Each lies in the box of its module, as it would if the model were there.
    assert all(tensor.module for tensor in trace.graph.tensors if tensor.is_leaf)
    assert "weight (0)" in trace.text()


def test_a_name_that_is_no_code_is_not_written_as_code() -> None:
    loss, _ = loss_of_a_model_that_goes()
    explorer = hookviz.explore(loss)
    explorer.attach("weight (0)", lambda grad: grad * 2)
    assert "register_hook" not in explorer.as_code()
    explorer.close()


def test_a_name_of_the_callers_comes_first() -> None:
    net = network()
    weight = net[0].weight
    with hookviz.watch(net):
        loss = net(torch.ones(1, 2)).sum()
    assert hookviz.capture(loss).find("weight") is not None
    assert weight.grad is None
    names = {name for tensor in hookviz.capture(loss).tensors for name in tensor.names}
    assert not any("(" in name for name in names)


def test_a_model_out_of_reach_names_its_parameters() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.model = network()

        def loss(self) -> torch.Tensor:
            return self.model(torch.ones(1, 2)).sum()

    trainer = Trainer()
    trace = hookviz.record(lambda: trainer.loss())
    assert {"weight (0)", "bias (0)", "weight (2)"} <= set(owners(trace))


def test_nothing_is_kept_alive_for_the_sake_of_a_name() -> None:
    def watched() -> tuple[Forward, weakref.ref[torch.Tensor]]:
        net = network()
        unused = nn.Linear(5, 5)
        with hookviz.watch(net, unused) as forward:
            net(torch.ones(1, 2))
            unused(torch.ones(1, 5))
        return forward, weakref.ref(unused.weight)

    loss, _ = loss_of_a_model_that_goes()
    forward, unused = watched()
    trace = hookviz.record(loss)
    del forward
    gc.collect()
    assert seen_in_this_thread()
    assert unused() is None
    assert trace.error is None
