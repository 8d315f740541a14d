"""Modules that are bypassed, that overwrite, or whose forward runs again inside backward."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

import hookviz
from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_shape, say
from tests.cases.oracle import compare, compare_passes
from tests.cases.plain import Tensors

both_kinds = pytest.mark.parametrize("reentrant", [True, False])


class Double(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


@pytest.mark.parametrize("part", ["out_proj", "self"])
def test_a_bypassed_submodule_runs_no_hook_and_its_parameters_get_their_gradients(part) -> None:
    def build() -> Tensors:
        attention = nn.MultiheadAttention(4, 2)
        hooked = attention.out_proj if part == "out_proj" else attention
        hooked.register_forward_hook(lambda *_: say("forward", part))
        parameters = dict(attention.named_parameters())
        for name, parameter in parameters.items():
            parameter.register_hook(lambda grad, name=name: say(name, tuple(grad.shape)))
        x = torch.ones(2, 1, 4, requires_grad=True)
        return {"loss": (attention(x, x, x)[0] ** 2).sum(), "x": x, **parameters}

    trace = compare(build)
    hooked = {event.tensor for event in trace.events if event.kind == "tensor_hook"}
    assert {"out_proj.weight", "in_proj_weight"} <= hooked


@pytest.mark.parametrize("training", [True, False])
def test_an_encoder_layer_in_training_or_not_is_recorded_as_it_runs(training) -> None:
    def build() -> Tensors:
        layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.5, batch_first=True).train(training)
        layer.linear1.register_full_backward_hook(lambda *_: say("linear1"))
        parameters = dict(layer.named_parameters())
        parameters["linear2.weight"].register_hook(lambda grad: grad * 2)
        x = torch.ones(1, 2, 4, requires_grad=True)
        return {"loss": layer(x).sum(), "x": x, **parameters}

    compare(build)


@of_any_shape
def test_an_in_place_relu_overwrites_what_a_forward_hook_kept_and_the_recording_does_not(
    shape,
) -> None:
    def build() -> Tensors:
        network, kept = nn.Sequential(Double(), nn.ReLU(inplace=True)), []
        network[0].register_forward_hook(lambda module, args, output: kept.append(output))
        network[1].register_forward_hook(
            lambda module, args, output: say(args[0] is output, output.min())
        )
        x = filled(shape)
        y = network(x - 2)
        kept[0].register_hook(lambda grad: grad * 10)
        assert kept[0].min() >= 0
        return {"loss": y.sum(), "x": x, "y": y, "kept": kept[0]}

    trace = compare(build, passes=2)
    assert trace.graph.find("y").names == ("y", "kept")


@of_any_shape
@both_kinds
def test_the_hook_of_a_weight_that_a_checkpoint_shares_fires_as_often_as_in_plain_pytorch(
    shape, reentrant
) -> None:
    def build() -> Tensors:
        w, x = filled(shape), filled(shape)
        w.register_hook(lambda grad: grad.clamp(-1, 1))
        y = checkpoint(lambda t: t * w, x, use_reentrant=reentrant)
        y.register_hook(lambda grad: grad * 2)
        return {"loss": (y * w).sum(), "w": w, "x": x, "y": y}

    trace = compare(build)
    fired = [event for event in trace.of("w") if event.kind == "tensor_hook"]
    added = [event for event in trace.of("w") if event.kind == "accumulate"]
    assert len(fired) == len(added) == (2 if reentrant else 1)


@both_kinds
@pytest.mark.parametrize("passes", [1, 2])
def test_forward_hooks_under_a_checkpoint_run_again_and_a_reentrant_one_is_one_opaque_node(
    reentrant, passes
) -> None:
    def build() -> Tensors:
        layer = Double()
        layer.register_forward_hook(lambda *_: say("forward"))
        layer.register_full_backward_hook(lambda *_: say("backward"))
        x = filled((3,))
        y = checkpoint(lambda t: layer(t).exp(), x, use_reentrant=reentrant)
        y.register_hook(lambda grad: grad * 2)
        return {"loss": y.sum(), "x": x, "y": y}

    trace = compare(build, passes)
    printed = "".join(event.printed for event in trace.events)
    assert printed.split() == ["forward", "backward"]
    names = {node.id: node.name for node in trace.graph.nodes}
    opaque = "CheckpointFunctionBackward" if reentrant else "ExpBackward0"
    assert names[trace.graph.find("y").node] == opaque
    assert ("MulBackward0" in names.values()) is not reentrant


@both_kinds
def test_a_hook_inside_a_checkpoint_acts_in_the_forward_that_runs_again(reentrant) -> None:
    def segment(t: torch.Tensor) -> torch.Tensor:
        inner = t * 3
        if inner.requires_grad:  # a reentrant checkpoint runs its first forward under no_grad
            inner.register_hook(lambda grad: say("inner", grad) or grad * 10)
        return inner.sin()

    def build() -> Tensors:
        x = filled((3,))
        y = checkpoint(segment, x, use_reentrant=reentrant)
        return {"loss": y.sum(), "x": x, "y": y}

    trace = compare(build, hidden=0 if reentrant else 1)
    assert "".join(e.printed for e in trace.events).count("inner") == 1


@both_kinds
def test_a_checkpoint_with_randomness_draws_the_same_numbers_again(reentrant) -> None:
    def build() -> Tensors:
        x = filled((8,))
        y = checkpoint(lambda t: nn.functional.dropout(t, 0.5).exp(), x, use_reentrant=reentrant)
        x.register_hook(lambda grad: grad * 2)
        return {"loss": y.sum(), "x": x, "y": y}

    compare(build)


UNPACKS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "same": lambda tensor: tensor,
    "changed": lambda tensor: tensor * 100,
    "double": lambda tensor: tensor.double().float(),
}


@of_any_shape
@pytest.mark.parametrize("unpack", UNPACKS.values(), ids=UNPACKS)
@pytest.mark.parametrize("passes", [1, 2])
def test_hooks_on_saved_tensors_run_as_often_and_act_as_in_plain_pytorch(
    shape, unpack, passes
) -> None:
    def unpacked(tensor: torch.Tensor) -> torch.Tensor:
        say("unpack")
        return unpack(tensor)

    def build() -> Tensors:
        x = filled(shape)
        with saved_tensors_hooks(lambda tensor: tensor, unpacked):
            y = x * x
        y.register_hook(lambda grad: grad * 2)
        return {"loss": y.sum(), "x": x, "y": y}

    outcome = compare_passes(build, passes)
    assert outcome.printed.split() == ["unpack"] * 2 * passes
    if shape == () and passes == 1:
        expected = 400 if unpack is UNPACKS["changed"] else 4
        assert numbers(outcome.traces[0].grad("x")) == expected


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_a_backward_hook_under_no_grad_is_silent_and_there_is_no_graph(mode, capsys) -> None:
    layer = Double()
    layer.register_full_backward_hook(lambda *_: say("backward"))
    with mode():
        y = layer(filled((2,)))
    with pytest.raises(hookviz.NoGradError, match="there is no graph"):
        hookviz.record(y)
    assert capsys.readouterr().out == ""
    assert layer._backward_hooks


class Frozen(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body, self.head = nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            x = self.body(x)
        return self.head(x)


def test_the_part_of_a_model_under_no_grad_is_not_in_the_graph() -> None:
    def build() -> Tensors:
        model: Any = Frozen()
        model.body.register_full_backward_hook(lambda *_: say("never"))
        model.head.register_full_backward_hook(lambda *_: say("head"))
        return {"loss": model(torch.ones(1, 2)).sum(), "weight": model.head.weight}

    with warnings.catch_warnings():
        # Newer releases warn of the hook that has nothing to hold on to; older ones say nothing.
        warnings.filterwarnings("ignore", message="Full backward hook")
        trace = hookviz.record(build()["loss"])
    assert "".join(event.printed for event in trace.events) == "head\n"
    compare(build)
