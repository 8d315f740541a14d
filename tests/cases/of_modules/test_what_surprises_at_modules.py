"""What surprises people about modules is said where it happens."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.cases.forms import filled, say
from tests.cases.forward_oracle import Scene, compare
from tests.cases.modules import Double, of, values


@pytest.mark.parametrize("hooked", [0, 1], ids=["layer before", "the ReLU"])
def test_an_in_place_relu_beside_a_backward_hook_fails_and_is_explained(hooked) -> None:
    def build() -> Scene:
        network = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
        network[hooked].register_full_backward_hook(lambda *_: None)
        x = torch.ones(1, 2)
        return Scene(lambda: network(x), (network,))

    forward, _ = compare(build)
    (event,) = of(forward, "error")
    assert event.error.explanation == "error.hooked_in_place"
    assert event.module == "1"


def test_a_forward_that_changes_its_input_in_place_is_said_to() -> None:
    def build() -> Scene:
        relu, kept = nn.ReLU(inplace=True), []
        relu.register_forward_hook(lambda module, args, output: say(args[0] is output))
        network = nn.Sequential(Double(), relu)
        network[0].register_forward_hook(lambda module, args, output: kept.append(output))
        x = torch.tensor([-3.0, 1.0], requires_grad=True)
        return Scene(lambda: (network(x), say(kept.pop()))[0].sum(), (network,), (x,))

    forward, _ = compare(build)
    first, second, _ = of(forward, "module_forward")
    assert (first.notes, second.notes) == ((), ("fact.in_place",))
    assert values(first.arguments_after) == {"output": [-6, 2]}
    assert values(second.arguments_before) == {"args[0]": [-6, 2]}
    assert values(second.arguments_after) == {"output": [0, 2]}


def test_a_hook_that_returns_a_handle_is_told_that_it_is_the_output_now() -> None:
    def build() -> Scene:
        network = nn.Sequential(Double(), nn.Linear(2, 2))
        network[0].register_forward_hook(
            lambda module, args, output: output.register_hook(lambda grad: None)
        )
        x = filled((1, 2))
        return Scene(lambda: network(x), (network,), (x,))

    forward, _ = compare(build)
    (hook,) = of(forward, "module_forward_hook")
    assert hook.notes == ("fact.handle_output",)
    assert values(hook.arguments_after) == {"output": "RemovableHandle"}
    (error,) = of(forward, "error")
    assert error.error.explanation == "error.handle_passed_on"
    assert error.module == "1"


def test_a_direct_call_of_forward_is_noticed_where_hooks_do_not_run() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.hooked, self.bare, self.called = Double(), Double(), Double()
            self.hooked.register_forward_hook(lambda *_: say("never"))
            self.called.register_forward_hook(lambda *_: say("once"))

        def forward(self, x: Any) -> Any:
            return self.called(self.hooked.forward(self.bare.forward(x)))

    def build() -> Scene:
        layer, x = Outer(), filled((2,))
        return Scene(lambda: layer(x).sum(), (layer,), (x,))

    forward, both = compare(build)
    assert both is not None
    for trace in (forward, both):
        notes = {module.name: module.notes for module in trace.graph.modules}
        assert notes == {
            "layer": (),
            "called": (),
            "hooked": ("fact.forward_direct",),
        }


def test_a_module_with_hooks_that_is_bypassed_is_said_not_to_be_called() -> None:
    def build() -> Scene:
        attention = nn.MultiheadAttention(4, 2)
        attention.out_proj.register_forward_hook(lambda *_: say("never"))
        x = filled((1, 1, 4))
        return Scene(lambda: attention(x, x, x)[0].sum(), (attention,), (x,))

    forward, both = compare(build)
    assert both is not None
    notes = {module.name: module.notes for module in both.graph.modules}
    assert notes == {"attention": (), "out_proj": ("fact.not_called",)}
    assert all(call.module != "m1" for call in forward.graph.calls)


@pytest.mark.parametrize("how", ["no_grad", "inference", "frozen"])
def test_backward_hooks_without_a_graph_are_said_not_to_run(how) -> None:
    def build() -> Scene:
        layer = Double()
        layer.register_full_backward_hook(lambda *_: say("never"))
        x = torch.ones(2, requires_grad=how != "frozen")
        mode = {"no_grad": torch.no_grad, "inference": torch.inference_mode}.get(how)

        def run() -> Any:
            if mode is None:
                return layer(x)
            with mode():
                return layer(x)

        return Scene(run, (layer,), (x,))

    forward, _ = compare(build)
    (event,) = forward.events
    assert event.notes == ("fact.no_graph",)
    assert forward.graph.nodes == ()


def test_data_parallel_without_a_gpu_passes_the_call_on() -> None:
    def build() -> Scene:
        inner = Double()
        inner.register_forward_hook(lambda *_: say("once"))
        model, x = nn.DataParallel(inner), filled((2,))
        return Scene(lambda: model(x).sum(), (inner,), (x,))

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    forward, _ = compare(build)
    inner, outer = of(forward, "module_forward")
    assert (inner.module, outer.module) == ("module", "model")
    assert outer.notes == ("fact.data_parallel",)


@pytest.mark.parametrize("batch_first", [True, False])
def test_a_recurrent_module_with_an_output_that_is_not_used(batch_first) -> None:
    def build() -> Scene:
        lstm = nn.LSTM(2, 3, batch_first=batch_first)
        lstm.register_full_backward_hook(lambda module, *grads: say(grads))
        x = filled((1, 4, 2))
        return Scene(lambda: lstm(x)[0].sum(), (lstm,), (x,))

    forward, both = compare(build)
    (event,) = of(forward, "module_forward")
    assert [a.path for a in event.arguments_after] == ["output[0]", "output[1][0]", "output[1][1]"]
    assert event.notes == ("fact.nested_output",)
    assert both is not None
    (hook,) = of(both, "module_backward_hook")
    assert hook.arguments_before[1].text == "None"
    assert hook.notes == ("fact.unused_output",)


@pytest.mark.parametrize("reentrant", [True, False])
def test_under_a_checkpoint_the_forward_runs_again_during_backward(reentrant) -> None:
    def build() -> Scene:
        layer = Double()
        layer.register_forward_hook(lambda *_: say("forward"))
        layer.register_full_backward_hook(lambda *_: say("backward"))
        x = filled((2,))

        def run() -> Any:
            return checkpoint(lambda t: layer(t).exp(), x, use_reentrant=reentrant).sum()

        return Scene(run, (layer,), (x,))

    _, both = compare(build)
    assert both is not None
    hooks = of(both, "module_forward_hook")
    assert [e.call for e in hooks] == [0, 1]
    assert "fact.recomputed" in hooks[1].notes
    assert "fact.recomputed" not in hooks[0].notes
    start = of(both, "start")[0].index
    assert hooks[0].index < start < hooks[1].index
    assert len(of(both, "module_backward_hook")) == 1
    (event,) = of(both, "module_backward_hook")
    assert event.timeline == (1 if reentrant else 0)
    assert both.error is None


@pytest.mark.parametrize("dtype", [torch.bfloat16])
def test_under_autocast_values_are_as_plain_and_read_exactly(dtype) -> None:
    def build() -> Scene:
        layer, x = nn.Linear(10, 10), filled((10, 10))
        layer.register_forward_hook(lambda module, args, output: say(output.dtype))

        def run() -> Any:
            with torch.autocast("cpu", dtype=dtype):
                return layer(x).sum()

        return Scene(run, (layer,), (x,))

    forward, _ = compare(build)
    (event,) = of(forward, "module_forward")
    assert event.arguments_after[0].snapshot.dtype == "bfloat16"
    summary = event.arguments_before[0].snapshot.summary
    exact = torch.arange(1, 101, dtype=torch.float64).norm().item()
    assert float(summary.norm) == pytest.approx(exact, rel=1e-6)
