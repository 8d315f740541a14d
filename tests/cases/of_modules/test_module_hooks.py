"""Hooks on modules, seen from the loss: hookviz records the tensors of such a pass."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import hookviz
from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_kind, of_any_shape, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors


class Double(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Scaled(nn.Module):
    def forward(self, x: torch.Tensor, *, scale: Any = 1.0) -> torch.Tensor:
        return x * scale


class Fails(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raise ValueError("inside forward")


KINDS = (
    "register_forward_pre_hook",
    "register_forward_hook",
    "register_full_backward_pre_hook",
    "register_full_backward_hook",
)


def module_hooks(model: nn.Module) -> list[tuple[str, dict[int, Any]]]:
    """Return every hook dictionary of a model and of its parts as it is now."""
    names = [name for name in vars(model) if name.endswith(("_hooks", "_kwargs", "_called"))]
    return [
        (f"{path}.{name}", dict(vars(module)[name]))
        for path, module in model.named_modules()
        for name in names
    ]


@of_any_shape
def test_forward_hooks_that_replace_the_output_in_turn_are_in_the_graph(shape) -> None:
    def build() -> Tensors:
        layer = Double()
        layer.register_forward_hook(lambda module, args, output: output * 100)
        layer.register_forward_hook(lambda module, args, output: output + 1)
        x = filled(shape)
        y = layer(x)
        y.register_hook(lambda grad: grad * 3)
        return {"loss": y.sum(), "x": x, "y": y}

    trace = compare(build, passes=2)
    if shape == ():
        assert trace.graph.find("y").value.item() == 201
        assert numbers(trace.of("x")[-1].incoming) == 600


@of_any_shape
@pytest.mark.parametrize("by_keyword", [True, False])
def test_what_hooks_with_and_without_keyword_arguments_do_is_in_the_graph(
    shape, by_keyword
) -> None:
    def build() -> Tensors:
        layer = Scaled()
        layer.register_forward_pre_hook(lambda module, args: say(len(args)))
        layer.register_forward_pre_hook(
            lambda module, args, kwargs: (args, {**kwargs, "scale": kwargs["scale"] * 7}),
            with_kwargs=True,
        )
        layer.register_forward_hook(
            lambda module, args, kwargs, output: say(len(args), sorted(kwargs)), with_kwargs=True
        )
        x, scale = filled(shape), filled(())
        y = layer(x=x, scale=scale) if by_keyword else layer(x, scale=scale)
        scale.register_hook(lambda grad: grad * 2)
        return {"loss": y.sum(), "x": x, "scale": scale}

    compare(build, passes=2)


@pytest.mark.parametrize("always_call", [True, False])
def test_a_forward_that_failed_leaves_a_pass_through_the_rest_as_it_was(always_call) -> None:
    def build() -> Tensors:
        fails, works = Fails(), Double()
        for layer in (fails, works):
            layer.register_forward_hook(
                lambda module, args, output: say(output), always_call=always_call
            )
        x = filled((2,))
        with pytest.raises(ValueError, match="inside forward"):
            fails(x)
        return {"loss": works(x).sum(), "x": x}

    assert compare(build).error is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("calls", [1, 2])
def test_a_module_hook_that_removes_itself_does_so_under_a_recording_too(kind, calls) -> None:
    def build() -> Tensors:
        layer, handles = Double(), []

        def once(*args: Any) -> None:
            say("once")
            handles[0].remove()

        handles.append(getattr(layer, kind)(once))
        getattr(layer, kind)(lambda *args: say("second"))
        x = filled((2,))
        y = x
        for _ in range(calls):
            y = layer(y)
        return {"loss": y.sum(), "x": x}

    compare(build, passes=2)


@of_any_kind
@pytest.mark.parametrize("kind", KINDS[2:])
def test_a_full_backward_hook_changes_the_gradients_that_it_changes_in_plain_pytorch(
    shape, kind, form
) -> None:
    def build() -> Tensors:
        layer = Double()
        change = form(lambda grads: (grads[0] * 10,))

        def hook(module: nn.Module, *grads: Any) -> Any:
            say(kind, grads)
            return change(grads[0])

        getattr(layer, kind)(hook)
        x = filled(shape)
        inner = x * 1
        inner.register_hook(lambda grad: grad + 1)
        y = layer(inner)
        y.register_hook(lambda grad: grad * 3)
        return {"loss": y.sum(), "x": x, "inner": inner, "y": y}

    trace = compare(build, passes=2)
    assert trace.error is None
    if shape == ():
        hooked = [e for e in trace.of("inner") if e.kind == "tensor_hook"]
        assert numbers((hooked[0].incoming, hooked[0].outgoing)) == (60, 61)


@pytest.mark.parametrize("of_input", [True, False])
@pytest.mark.parametrize("size", [1, 3, 9])
def test_whether_a_weight_has_its_grad_inside_the_hook_depends_on_the_input(of_input, size) -> None:
    def build() -> Tensors:
        layer = nn.Linear(size, 2, bias=False)
        layer.register_full_backward_hook(lambda module, *_: say(module.weight.grad is None))
        layer.weight.register_hook(lambda grad: grad * 2)
        x = torch.ones(1, size, requires_grad=of_input)
        return {"loss": layer(x).sum(), "weight": layer.weight}

    trace = compare(build)
    said = "".join(event.printed for event in trace.events)
    assert said == f"{not of_input}\n"


@pytest.mark.parametrize("hooked", [0, 1], ids=["layer before", "the ReLU"])
def test_an_in_place_relu_beside_a_backward_hook_fails_in_forward_and_tensor_hooks_help(
    hooked,
) -> None:
    network = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
    handle = network[hooked].register_full_backward_hook(lambda *_: None)
    with pytest.raises(
        RuntimeError, match=r"Output 0 of BackwardHookFunction(Backward)? is a view"
    ):
        network(torch.ones(1, 2))
    handle.remove()

    def build() -> Tensors:
        network = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
        inner = network[0](torch.ones(1, 2))
        inner.register_hook(lambda grad: grad * 10)
        y = network[1](inner)
        y.register_hook(lambda grad: grad + 1)
        return {"loss": y.sum(), "y": y, **dict(network.named_parameters())}

    assert compare(build, hidden=1).error is None


class Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.part = Double()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.part(self.part(x) * 5)


@of_any_shape
def test_a_module_that_is_called_twice_runs_its_backward_hooks_for_each_call(shape) -> None:
    def build() -> Tensors:
        model = Twice()
        model.part.register_forward_hook(lambda module, args, output: say("forward", args))
        model.part.register_full_backward_hook(lambda module, *grads: say("backward", grads))
        x = filled(shape)
        x.register_hook(lambda grad: grad * 2)
        return {"loss": model(x).sum(), "x": x}

    trace = compare(build)
    assert "".join(event.printed for event in trace.events).count("backward") == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("end", ["finished", "failed"])
def test_the_hooks_of_a_model_stand_as_before_after_a_recording(kind, end) -> None:
    model = Twice()
    for module in (model, model.part):
        getattr(module, kind)(lambda *args: None)
    x = filled((2,))
    if end == "failed":
        x.register_hook(lambda grad: 1 / 0)
    loss = model(x).sum()
    before = module_hooks(model)
    assert (hookviz.record(loss).error is None) == (end == "finished")
    assert module_hooks(model) == before
