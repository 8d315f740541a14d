"""What people build with hooks: reversal, masks, guards, guided backprop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import hookviz
from hookviz._records import Event, TensorSnapshot
from tests.cases.facts import numbers
from tests.cases.forms import filled, of_any_kind, of_any_shape, say
from tests.cases.oracle import compare, compare_passes
from tests.cases.plain import Tensors

BRANCHES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "view_as": lambda h: h.view_as(h),
    "times one": lambda h: h * 1,
    "clone": torch.clone,
    "alias": lambda h: h.unsqueeze(0).squeeze(0),
}


@of_any_kind
@pytest.mark.parametrize("branch_of", BRANCHES.values(), ids=BRANCHES)
def test_a_reversed_branch_and_a_straight_one_meet_in_their_difference(
    shape, form, branch_of
) -> None:
    def build() -> Tensors:
        f = filled(shape)
        h = f * 1
        branch = branch_of(h)
        branch.register_hook(form(torch.neg))
        h.register_hook(lambda grad: say(grad.shape))
        return {"loss": (h * 3).sum() + (branch * 5).sum(), "f": f, "h": h, "branch": branch}

    trace = compare(build)
    (arrived,) = [event for event in trace.of("h") if event.kind == "tensor_hook"]
    (reversed_,) = [event for event in trace.of("branch") if event.kind == "tensor_hook"]
    if shape == ():
        assert numbers((reversed_.incoming, reversed_.outgoing)) == (5, -5)
        assert numbers((arrived.incoming, trace.grad("f"))) == (-2, -2)
    target = trace.graph.find("h").node
    assert len([edge for edge in trace.graph.edges if edge.target == target]) == 2


OPTIMIZERS: dict[str, tuple[Callable[[Any], torch.optim.Optimizer], bool]] = {
    "SGD": (lambda leaves: torch.optim.SGD(leaves, lr=0.1), True),
    "weight decay": (lambda leaves: torch.optim.SGD(leaves, lr=0.1, weight_decay=0.5), False),
    "AdamW": (lambda leaves: torch.optim.AdamW(leaves, lr=0.1), False),
}


@pytest.mark.parametrize("shape", [(3,), (2, 3), (10, 10)], ids=str)
@pytest.mark.parametrize(("optimizer", "frozen"), OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_a_masked_gradient_is_zero_and_whether_the_weight_stays_is_up_to_the_optimizer(
    shape, optimizer, frozen
) -> None:
    def build() -> Tensors:
        w = filled(shape)
        mask = torch.ones(shape)
        mask[..., 0] = 0
        w.register_hook(lambda grad: grad * mask)
        return {"loss": (w * 2).sum(), "w": w}

    recorded = compare_passes(build)
    (event,) = [event for event in recorded.traces[0].of("w") if event.kind == "tensor_hook"]
    assert event.rewritten
    plain = build()
    plain["loss"].backward()
    for tensors in (plain, recorded.tensors):
        optimizer([tensors["w"]]).step()
    assert torch.equal(plain["w"], recorded.tensors["w"])
    before = filled(shape)[..., 0]
    assert torch.equal(plain["w"][..., 0], before) is frozen
    with pytest.raises(RuntimeError, match="requires_grad flags of leaf variables"):
        plain["w"][0].requires_grad_(False)


def is_finite(snapshot: TensorSnapshot) -> bool:
    if snapshot.summary is not None:
        return snapshot.summary.nan_count == snapshot.summary.inf_count == 0
    return all(abs(number) < float("inf") for number in snapshot.numbers())


def first_not_finite(trace: hookviz.Trace) -> Event:
    def all_of(value: Any) -> list[TensorSnapshot]:
        values = value if isinstance(value, tuple) else (value,)
        return [one for one in values if one is not None]

    bad = (e for e in trace.events if not all(map(is_finite, all_of(e.outgoing))))
    event = next(bad)
    assert all(map(is_finite, all_of(event.incoming)))
    return event


AT_A_NODE: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], str]] = {
    "sqrt at 0": (lambda x: torch.sqrt(x), "SqrtBackward0"),
    "log at 0": (lambda x: torch.log(x), "LogBackward0"),
    "power at 0": (lambda x: x**0.5, "PowBackward0"),
    "division by 0": (lambda x: 1 / x, "ReciprocalBackward0"),
}


@pytest.mark.parametrize("shape", [(2,), (2, 3), (10, 10)], ids=str)
@pytest.mark.parametrize(("operation", "node"), AT_A_NODE.values(), ids=AT_A_NODE)
def test_the_first_value_that_is_not_finite_is_seen_at_the_node_that_made_it(
    operation, node, shape
) -> None:
    def build() -> Tensors:
        with torch.no_grad():
            x = filled(shape).sub_(1)
        x.requires_grad_()
        mask = (x.detach() > 0).float()
        r = operation(x)
        y = torch.where(mask == 1, r, torch.zeros(()))
        for tensor in (x, r):
            tensor.register_hook(lambda grad: None)
        return {"loss": (y * 1).sum(), "x": x, "r": r, "y": y}

    trace = compare(build, passes=2)
    event = first_not_finite(trace)
    assert event.kind == "node"
    assert next(n.name for n in trace.graph.nodes if n.id == event.node) == node


@of_any_shape
@pytest.mark.parametrize("factor", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("on", ["loss", "a", "c"])
def test_a_hook_that_makes_the_first_such_value_is_seen_to_make_it(shape, factor, on) -> None:
    def build() -> Tensors:
        a = filled(shape)
        c = a * 2
        tensors = {"loss": c.sum(), "a": a, "c": c}
        tensors[on].register_hook(lambda grad: grad * factor)
        return tensors

    event = first_not_finite(compare(build))
    assert (event.kind, event.tensor) == ("tensor_hook", on)


def guard(grad: torch.Tensor) -> None:
    if not torch.isfinite(grad).all():
        raise FloatingPointError("non-finite gradient")


@of_any_kind
def test_a_guarding_hook_stops_backward_at_its_tensor(shape, form) -> None:
    def build() -> Tensors:
        with torch.no_grad():
            x = filled(shape).mul_(0)
        x.requires_grad_()
        r = torch.sqrt(x)
        for tensor in (x, r):
            tensor.register_hook(form(guard))
        return {"loss": (r * 0).sum(), "x": x, "r": r}

    trace = compare(build)
    assert (trace.error.type, trace.error.tensor) == ("FloatingPointError", "x")
    assert first_not_finite(trace).kind == "node"


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("source", ["hook", "node"])
def test_anomaly_mode_says_what_it_says_without_a_recorder(source) -> None:
    def build() -> Tensors:
        a = filled((2,))
        b = (a - 1).sqrt() * 0 if source == "node" else a * 1
        b.register_hook(lambda grad: grad * float("nan") if source == "hook" else None)
        return {"loss": (b * 2).sum(), "a": a, "b": b}

    with torch.autograd.set_detect_anomaly(True):
        trace = compare(build)
    assert "returned nan values" in trace.error.message
    assert trace.error.explanation != "error.hook_raised"


class Functional(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(x)


def clamp_input(module: nn.Module, grad_input: Any, grad_output: Any) -> Any:
    return (grad_input[0].clamp(min=0),)


WEIGHTS = torch.tensor([1.0, -3.0, 4.0, -0.5])


def by_module(x: torch.Tensor) -> Tensors:
    relu = nn.ReLU()
    relu.register_full_backward_hook(clamp_input)
    return {"y": relu(x)}


def by_tensor_hook(x: torch.Tensor) -> Tensors:
    network = Functional()
    assert not [module for module in network.modules() if isinstance(module, nn.ReLU)]
    inner = x * 1
    inner.register_hook(lambda grad: grad.clamp(min=0))
    return {"y": network(inner), "inner": inner}


@pytest.mark.parametrize("shape", [(4,), (2, 4), (2, 16, 4)], ids=str)
@pytest.mark.parametrize("way", [by_module, by_tensor_hook])
def test_guided_backprop_by_a_module_hook_or_where_there_is_no_module_by_a_tensor_hook(
    way, shape
) -> None:
    def build() -> Tensors:
        x = torch.full(shape, 2.0)
        x[..., 0] = -1
        x.requires_grad_()
        tensors = way(x)
        return {"loss": (tensors["y"] * WEIGHTS).sum(), "x": x, **tensors}

    trace = compare(build)
    if shape == (4,):
        assert numbers(trace.grad("x")) == [0, 0, 4, 0]
    assert bool([e for e in trace.events if e.kind == "tensor_hook"]) == (way is by_tensor_hook)
