"""Modules that are called twice, change their hooks while they run, or share a weight."""

from __future__ import annotations

from typing import Any

import pytest
from torch import nn

from tests.cases.forms import filled, of_any_shape, say
from tests.cases.forward_oracle import Scene, compare
from tests.cases.modules import KINDS, Double, Twice, of


@of_any_shape
def test_a_module_that_is_called_twice_has_two_calls_and_its_backward_comes_in_reverse(
    shape,
) -> None:
    def build() -> Scene:
        model = Twice()
        model.part.register_forward_hook(lambda module, args, output: say("forward"))
        model.part.register_full_backward_hook(lambda module, *grads: say("backward"))
        x = filled(shape)
        return Scene(lambda: model(x).sum(), (model,), (x,))

    _, both = compare(build)
    assert both is not None
    assert [e.call for e in of(both, "module_forward_hook")] == [0, 1]
    assert [e.call for e in of(both, "module_backward_hook")] == [1, 0]
    inner = [call for call in both.graph.calls if call.parent is not None]
    assert [call.number for call in inner] == [0, 1]
    made = {node.call for node in both.graph.nodes if node.name == "MulBackward0"}
    assert made == {"k0", "k1", "k2"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("calls", [1, 2])
def test_a_hook_that_removes_itself_stays_removed_and_the_next_one_runs(kind, calls) -> None:
    def build() -> Scene:
        layer, handles = Double(), []

        def once(*args: Any) -> None:
            say("once")
            handles[0].remove()

        handles.append(getattr(layer, kind)(once))
        getattr(layer, kind)(lambda *args: say("second"))
        x = filled((2,))

        def run() -> Any:
            y = x
            for _ in range(calls):
                y = layer(y)
            return y.sum()

        return Scene(run, (layer,), (x,))

    _, both = compare(build)
    assert both is not None
    ran = [e.hook.label for e in both.events if e.hook is not None]
    # A backward hook is taken when the module is called, so removing it then is too late.
    assert ran.count("once") == (calls if "backward" in kind else 1)
    assert len(ran) - ran.count("once") == calls


@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_hook_registered_while_its_module_runs_is_seen_from_when_pytorch_runs_it(kind) -> None:
    def build() -> Scene:
        class Registers(nn.Module):
            def forward(self, x: Any) -> Any:
                self.register_forward_hook(lambda module, args, output: output + 1)
                return x * 2

        layer = Registers()
        getattr(layer, kind)(
            lambda module, *_: module.register_forward_hook(lambda m, a, o: say("late")) and None
        )
        x = filled((2,))
        return Scene(lambda: layer(x).sum() + layer(x).sum(), (layer,), (x,))

    forward, _ = compare(build)
    late = [e for e in forward.events if e.printed == "late\n"]
    assert len(late) == (3 if kind == "register_forward_pre_hook" else 1)
    assert all(e.kind == "module_forward_hook" for e in late)
    for event in forward.events:
        if event.kind == "module_forward":
            assert [a.path for a in event.arguments_after] == ["output"]
            assert event.arguments_after[0].snapshot.tolist() == [2, 4]


def test_tied_weights_belong_to_the_first_module_that_has_them() -> None:
    def build() -> Scene:
        model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False))
        model[1].weight = model[0].weight
        x = filled((1, 2))
        return Scene(lambda: model(x).sum(), (model,), (x,))

    _, both = compare(build)
    assert both is not None
    (weight,) = [t for t in both.graph.tensors if t.module is not None]
    (module,) = [m for m in both.graph.modules if m.id == weight.module]
    assert (module.name, module.type) == ("0", "Linear")
