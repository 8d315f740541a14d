"""Full backward pre-hooks and full backward hooks, told by name."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_shape, say
from tests.cases.forward_oracle import Scene, compare
from tests.cases.modules import KINDS, Double, of, values


@of_any_shape
@pytest.mark.parametrize("kind", KINDS[2:])
@pytest.mark.parametrize("change", ["returns", "in place", "nothing"])
def test_a_backward_hook_is_told_with_what_it_was_given_and_what_went_on(
    shape, kind, change
) -> None:
    def build() -> Scene:
        layer = Double()

        def hook(module: nn.Module, *grads: Any) -> Any:
            say(grads)
            if change == "in place":
                grads[0][0].data.mul_(10)
            return (grads[0][0] * 10,) if change == "returns" else None

        getattr(layer, kind)(hook)
        x = filled(shape)
        return Scene(lambda: (layer(x * 1) * 1).sum(), (layer,), (x,))

    _, both = compare(build)
    assert both is not None
    (event,) = [e for e in both.events if e.kind.startswith("module_backward")]
    assert event.kind == kind.replace("register_full", "module")
    assert (event.rewritten, event.mutated) == (change != "nothing", change == "in place")
    assert event.returned_none == (change != "returns")
    if shape == ():
        given = 1 if "pre" in kind else 2
        assert numbers(event.incoming) == (given,)
        assert numbers(event.outgoing) == (given if change == "nothing" else given * 10,)
    assert event.printed.startswith("((tensor")
    assert [e for e in both.events if e.kind == "hidden_rewrite"] == []
    if "pre" not in kind:
        assert [a.path for a in event.arguments_before] == ["grad_output[0]"]


class Mixed(nn.Module):
    def forward(self, x: Any, scale: float, y: Any = None) -> Any:
        return x * scale, (x if y is None else y) + 1


def test_grad_input_is_lined_up_with_the_arguments_and_grad_output_with_the_outputs() -> None:
    def build() -> Scene:
        layer = Mixed()
        layer.register_full_backward_hook(lambda module, *grads: say(grads))
        layer.register_full_backward_pre_hook(lambda module, grads: say(grads))
        x, y = filled((2,)), filled((2,))
        return Scene(lambda: layer(x, 3.0, y)[0].sum(), (layer,), (x, y))

    _, both = compare(build)
    assert both is not None
    (pre,) = of(both, "module_backward_pre_hook")
    (hook,) = of(both, "module_backward_hook")
    assert numbers(pre.incoming) == ([1, 1], None)
    assert numbers(hook.incoming) == ([3, 3], None, [0, 0])
    assert values(hook.arguments_before) == {"grad_output[0]": [1, 1], "grad_output[1]": "None"}
    assert "fact.unused_output" in pre.notes
    assert "fact.unused_output" in hook.notes


@pytest.mark.parametrize("size", [1, 3, 9])
def test_without_an_input_that_needs_grad_the_hook_has_no_grad_input(size) -> None:
    def build() -> Scene:
        layer = nn.Linear(size, 2)
        layer.register_full_backward_hook(
            lambda module, grad_input, _: say(grad_input, module.weight.grad is None)
        )
        x = torch.ones(1, size)
        return Scene(lambda: layer(x).sum(), (layer,))

    _, both = compare(build)
    assert both is not None
    (event,) = of(both, "module_backward_hook")
    assert event.incoming == (None,)
    assert event.printed == "(None,) True\n"
    assert event.notes == ("fact.no_input_grad",)


BAD = {
    "too many": (lambda module, *grads: (*grads[0], None), "error.module_hook_count"),
    "no tuple": (lambda module, *grads: 5, "error.hook_raised"),
    "raises": (lambda module, *grads: 1 / 0, "error.hook_raised"),
    "arguments": (lambda: None, "error.arguments.{kind}"),
}


@pytest.mark.parametrize("kind", KINDS[2:])
@pytest.mark.parametrize("bad", BAD)
def test_a_backward_hook_that_goes_wrong_is_blamed_and_the_rest_is_as_plain(kind, bad) -> None:
    hook, explanation = BAD[bad]

    def build() -> Scene:
        layer = Double()
        getattr(layer, kind)(hook)
        x = filled((2,))
        return Scene(lambda: layer(x).sum(), (layer,), (x,))

    _, both = compare(build)
    assert both is not None
    assert both.error is not None
    event = both.events[-1]
    name = kind.replace("register_full", "module")
    assert (event.kind, event.module, event.call) == ("error", "layer", 0)
    assert both.error.explanation == explanation.replace("{kind}", name)
    assert both.error.hook is not None
    assert both.error.tensor is None


@pytest.mark.filterwarnings("ignore::FutureWarning")
@of_any_shape
def test_a_hook_of_the_old_kind_is_told_and_said_to_be_old(shape) -> None:
    def build() -> Scene:
        layer = Double()
        layer.register_backward_hook(lambda module, *grads: say(grads))
        x = filled(shape)
        return Scene(lambda: layer(x).sum(), (layer,), (x,))

    forward, both = compare(build)
    assert both is not None
    (event,) = of(both, "module_backward_hook")
    assert event.notes == ("fact.old_hook",)
    assert "fact.old_hook" in of(forward, "module_forward")[0].notes
