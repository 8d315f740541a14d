"""Watching goes together with the other tools that change how modules run."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.utils import parametrize

import hookviz


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.relu(self.norm(self.lin(x)))
        return self.drop(out)


def fresh(kind: Callable[[], nn.Module] = Net) -> nn.Module:
    torch.manual_seed(5)
    return kind()


def data() -> torch.Tensor:
    return torch.arange(12.0).reshape(4, 3).requires_grad_()


def both(run: Callable[[], Any]) -> tuple[Any, hookviz.Trace]:
    """Return the result of a run, the same with and without being watched, and the trace."""
    torch.manual_seed(3)
    plain = run()
    torch.manual_seed(3)
    with hookviz.watch() as forward:
        watched = run()
    assert torch.equal(plain, watched)
    return watched, forward.trace


def names(trace: hookviz.Trace) -> list[str]:
    return [event.module or "" for event in trace.events if event.kind == "module_forward"]


def test_dropout_and_batch_norm_run_as_they_would() -> None:
    one, other = fresh(), fresh()
    torch.manual_seed(3)
    expected = one(data())
    torch.manual_seed(3)
    with hookviz.watch(other):
        watched = other(data())
    assert torch.equal(expected, watched)
    for name, buffer in one.named_buffers():
        assert torch.equal(buffer, dict(other.named_buffers())[name])


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("how", ["function", "module", "in place"])
@pytest.mark.parametrize("first", ["before", "inside"])
def test_compiled_code_is_opaque_and_never_wrong(backend: str, how: str, first: str) -> None:
    torch._dynamo.reset()
    model, x = fresh().eval(), data()
    expected = model(x).sum()
    model.norm.register_forward_hook(lambda module, args, output: output * 1)
    run: Any
    if how == "function":
        run = torch.compile(lambda t: model(t).sum(), backend=backend)
    elif how == "module":
        compiled = torch.compile(model, backend=backend)
        run = lambda t: compiled(t).sum()  # noqa: E731
    else:
        model.compile(backend=backend)
        run = lambda t: model(t).sum()  # noqa: E731
    if first == "before":
        run(x)
    count = compilations()
    with hookviz.watch() as forward:
        result = run(x)
    assert torch.allclose(result, expected)
    if first == "before":
        assert compilations() == count
    inside = compilations()
    assert torch.equal(run(x), result)
    assert compilations() == inside
    events = forward.trace.events
    if how == "function":
        assert events == ()
    else:
        (event,) = events
        assert event.notes == ("fact.compiled",)
        assert event.arguments_after[0].snapshot is not None
    trace = hookviz.record(result)
    assert trace.error is None
    assert x.grad is not None
    # What was compiled meanwhile took nothing of hookviz's for PyTorch's own.
    copy = getattr(torch._dynamo.utils, "unpatched_nn_module_call", nn.Module.__call__)
    assert copy is nn.Module.__call__


def compilations() -> int:
    return int(torch._dynamo.utils.counters["stats"]["unique_graphs"])


def test_a_late_hook_inside_compiled_code_is_as_in_plain_pytorch() -> None:
    seen: list[list[str]] = []
    for watched in (False, True):
        torch._dynamo.reset()
        model, x, called = fresh().eval(), data(), list[str]()
        compiled: Any = torch.compile(model, backend="eager")
        compiled(x)
        model.norm.register_forward_hook(lambda *_, called=called: called.append("late"))
        if watched:
            with hookviz.watch():
                compiled(x)
        else:
            compiled(x)
        seen.append(called)
    assert seen[0] == seen[1]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("way", ["trace", "script"])
def test_modules_can_be_traced_and_scripted_in_the_block(way: str) -> None:
    model, x = fresh().eval(), data()
    expected = model(x)
    with hookviz.watch():
        made: Any = torch.jit.trace(model, x) if way == "trace" else torch.jit.script(model)
        result = made(x)
    assert torch.equal(result, expected)
    assert torch.equal(made(x), expected)
    assert "hookviz" not in str(made.graph)


def test_symbolic_tracing_in_the_block_gives_the_same_graph() -> None:
    model, x = fresh().eval(), data()
    plain = torch.fx.symbolic_trace(model)
    with hookviz.watch() as forward:
        made = torch.fx.symbolic_trace(model)
        result = made(x)
    assert made.code == plain.code
    assert torch.equal(result, model(x))
    # A graph module that the user calls is a module like others.
    assert names(forward.trace)[-1] == "made"


def loss_of(parameters: Any, model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return torch.func.functional_call(model, parameters, (x,)).square().sum()


def test_transforms_of_torch_func_work_and_hide_their_numbers() -> None:
    model, x = fresh().eval(), data().detach()
    model.lin.register_forward_hook(lambda *_: None)
    parameters = dict(model.named_parameters())

    def run() -> torch.Tensor:
        grads = torch.func.grad(loss_of)(parameters, model, x)
        rows = torch.func.vmap(lambda row: loss_of(parameters, model, row[None]))(x)
        hessian = torch.func.hessian(lambda t: model.lin(t).sin().sum())(x[0])
        return torch.cat([*(g.flatten() for g in grads.values()), rows, hessian.flatten()])

    _, trace = both(run)
    snapshots = [a.snapshot for e in trace.events for a in e.arguments_before if a.snapshot]
    assert snapshots
    assert all(snapshot.note and snapshot.values is None for snapshot in snapshots)


class Units(torch.Tensor):
    seen: list[str] = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def test_a_tensor_subclass_sees_the_operations_that_it_sees_without_hookviz() -> None:
    seen, results = [], []
    for watched in (False, True):
        model, x = fresh().eval(), torch.arange(12.0).reshape(4, 3).as_subclass(Units)
        Units.seen.clear()
        if watched:
            with hookviz.watch(model):
                results.append(model(x))
        else:
            results.append(model(x))
        seen.append(list(Units.seen))
    assert seen[0] == seen[1] != []
    assert isinstance(results[1], Units)


@pytest.mark.parametrize("hooked", [True, False])
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_the_encoder_takes_the_path_that_it_takes_without_hookviz(hooked: bool, mode: Any) -> None:
    encoder = fresh(lambda: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)).eval()
    called: list[str] = []
    if hooked:
        encoder.linear1.register_forward_hook(lambda *_: called.append("linear1"))
    x = torch.arange(24.0).reshape(2, 3, 4)

    def run() -> torch.Tensor:
        with mode():
            return encoder(x).detach()

    _, trace = both(run)
    assert names(trace).count("linear1") == len(called) // 2 if hooked else True
    # Where the fast path is taken no inner module is called, as without hookviz.
    with mode():
        count = len(calls_of(encoder, x))
    assert len(trace.graph.calls) == count


def calls_of(model: nn.Module, x: torch.Tensor) -> list[str]:
    """Return which modules run their forward, found out without any hook."""
    seen = []
    originals = [(module, module.forward) for module in model.modules()]
    for module, forward in originals:

        def counted(*args: Any, _forward: Any = forward, **kwargs: Any) -> Any:
            seen.append("call")
            return _forward(*args, **kwargs)

        module.forward = counted
    try:
        model(x)
    finally:
        for module, _ in originals:
            del module.forward
    return seen


def test_parametrizations_and_lazy_modules_are_modules_like_others() -> None:
    class Symmetric(nn.Module):
        def forward(self, weight: torch.Tensor) -> torch.Tensor:
            return weight.triu() + weight.triu(1).transpose(-1, -2)

    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    _, trace = both(lambda: layer(data()).sum())
    assert "parametrizations.weight.0" in names(trace)
    lazy = nn.LazyLinear(2)
    with hookviz.watch(lazy) as forward, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = lazy(data())
    assert y.shape == (4, 2)
    assert type(lazy) is nn.Linear
    assert not lazy._forward_pre_hooks
    kinds = [event.kind for event in forward.trace.events]
    assert kinds == ["module_forward_pre_hook", "module_forward"]


def test_blocks_inside_each_other_see_the_same_and_each_its_own() -> None:
    model, x = fresh().eval(), data()
    model.lin.register_forward_hook(lambda module, args, output: output + 1)
    model.register_full_backward_hook(lambda module, *grads: None)
    with hookviz.watch() as outer:
        with hookviz.watch(model.lin) as inner:
            loss = model(x).sum()
        model.lin(x)
    assert names(outer.trace) == ["lin", "norm", "drop", "model", "lin"]
    assert names(inner.trace) == ["model.lin"]
    own = [event for event in inner.trace.events if event.hook]
    assert [event.hook.label for event in own if event.hook] == [
        "lambda module, args, output: output + 1"
    ]
    trace = hookviz.record(loss)
    assert [e.kind for e in trace.events].count("module_forward_hook") == 1
    assert [e.kind for e in trace.events].count("module_backward_hook") == 1
    assert not any(event.kind == "hidden_rewrite" for event in trace.events)


def test_a_module_that_calls_itself_has_a_call_inside_a_call() -> None:
    class Power(nn.Module):
        def forward(self, x: torch.Tensor, times: int) -> torch.Tensor:
            return x if times == 0 else self(x * 2, times - 1)

    module, order = Power(), list[int]()
    module.register_forward_pre_hook(lambda module, args: order.append(args[1]))
    module.register_full_backward_hook(lambda module, *grads: None)
    x = torch.ones(1, requires_grad=True)
    with hookviz.watch(module):
        loss = module(x, 3).sum()
    trace = hookviz.record(loss)
    assert order == [3, 2, 1, 0]
    assert [(c.number, c.parent) for c in trace.graph.calls] == [
        (0, None),
        (1, "k0"),
        (2, "k1"),
        (3, "k2"),
    ]
    backward = [event.call for event in trace.events if event.kind == "module_backward_hook"]
    assert backward == [3, 2, 1, 0]
    assert x.grad is not None
    assert x.grad.item() == 8


def test_a_model_can_be_copied_in_the_block() -> None:
    model = fresh()
    model.register_forward_hook(lambda *_: None)
    with hookviz.watch():
        model(data())
        other = copy.deepcopy(model)
    assert [type(h) for h in other._forward_hooks.values()] == [type(lambda: None)]
    assert other.state_dict().keys() == model.state_dict().keys()


def test_saved_tensor_hooks_run_as_often_as_without_hookviz() -> None:
    counts = []
    for watched in (False, True):
        packed: list[int] = []
        model, x = fresh().eval(), data()

        def pack(tensor: torch.Tensor, packed: list[int] = packed) -> torch.Tensor:
            packed.append(tensor.numel())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            if watched:
                with hookviz.watch():
                    model(x)
            else:
                model(x)
        counts.append(packed)
    assert counts[0] == counts[1] != []


def test_under_anomaly_mode_and_a_default_device_the_same_comes_out() -> None:
    model, x = fresh().eval(), data()
    with torch.autograd.set_detect_anomaly(True):
        _, trace = both(lambda: model(x).sum())
    assert names(trace) == ["lin", "norm", "drop", "model"]
    with torch.device("meta"):
        shapeless = nn.Linear(3, 2)
        with hookviz.watch() as forward:
            shapeless(torch.ones(4, 3))
    (event,) = forward.trace.events
    assert event.arguments_after[0].snapshot is not None
    assert event.arguments_after[0].snapshot.shape == (4, 2)
    assert event.arguments_after[0].snapshot.note


def test_a_faulty_object_among_the_arguments_harms_nothing() -> None:
    class Faulty:
        def __repr__(self) -> str:
            raise RuntimeError("no repr")

        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(f"no {name}")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no comparison")

        def __len__(self) -> int:
            raise RuntimeError("no length")

        __hash__ = None  # type: ignore[assignment]

    class Takes(nn.Module):
        def forward(self, x: torch.Tensor, *others: Any, **named: Any) -> Any:
            return {"x": x, "others": others}

    looped: list[Any] = [1]
    looped.append(looped)
    module = Takes()
    module.register_forward_hook(lambda *_: None)
    with warnings.catch_warnings(), hookviz.watch() as forward:
        warnings.simplefilter("error")
        module(torch.ones(1), Faulty(), looped, 10**5000, "x" * 1000, big=[Faulty()] * 1000)
    event = forward.trace.events[0]
    texts = {argument.path: argument.text for argument in event.arguments_before}
    assert texts["args[1]"] == "Faulty"
    assert texts["args[3]"] == "int of about 5000 digits"
    assert len(texts["args[4]"]) <= 63
    assert "…" in texts
    assert len(texts) < 250
