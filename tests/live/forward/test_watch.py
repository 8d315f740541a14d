"""`watch`, and `record` with a function: what they give and what they refuse."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import hookviz
from hookviz._live.forward import remembered as seen_forwards
from hookviz.errors import HookvizError


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv2(torch.relu(self.conv1(x)))


class Deep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer1 = nn.Sequential(Block(), Block())
        self.head = nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.layer1(x))


def x() -> torch.Tensor:
    return torch.ones(1, 2, requires_grad=True)


def called(trace: hookviz.Trace) -> list[str]:
    names = {module.id: module.name for module in trace.graph.modules}
    return [names[call.module] for call in trace.graph.calls]


def kinds(trace: hookviz.Trace) -> list[str]:
    return [event.kind for event in trace.events]


def test_modules_are_named_as_named_modules_has_them_and_the_outer_one_by_its_variable() -> None:
    network = Deep()
    with hookviz.watch(network) as forward:
        network(x())
    expected = [name or "network" for name, _ in network.named_modules()]
    assert called(forward.trace) == expected
    types = {module.name: module.type for module in forward.trace.graph.modules}
    assert types["layer1.0.conv1"] == "Linear"
    assert types["layer1.0"] == "Block"
    parents = {call.id: call.parent for call in forward.trace.graph.calls}
    names = dict(zip(parents, called(forward.trace), strict=True))
    for call, parent in parents.items():
        if parent is not None and names[parent] != "network":
            assert names[call].startswith(names[parent] + ".")


def test_only_the_given_modules_and_what_they_call_are_watched() -> None:
    network = Deep()
    with hookviz.watch(network.layer1[1]) as forward:
        network(x())
        nn.ReLU()(x())
    assert called(forward.trace) == ["network.layer1.1", "conv1", "conv2"]


def test_modules_without_a_variable_are_named_by_their_class_and_no_two_alike() -> None:
    def run(layers: Any) -> torch.Tensor:
        value = x()
        for place in range(2):
            value = layers()[place](value)
        return value

    kept = [Block(), Block()]
    with hookviz.watch() as forward:
        run(lambda: kept)
        nn.Sequential(nn.ReLU(), nn.ReLU())(x())
        nn.Sequential(nn.Tanh())(x())
    names = called(forward.trace)
    assert names[:6] == ["Block", "conv1", "conv2", "Block 2", "Block.conv1", "Block.conv2"]
    assert names[6:] == ["Sequential", "0", "1", "Sequential 2", "Sequential.0"]
    assert len(set(names)) == len(names)


def test_a_trace_of_a_forward_alone_has_the_graph_behind_its_output() -> None:
    network = Deep()
    with hookviz.watch(network) as forward:
        out = network(x())
    trace = forward.trace
    assert set(kinds(trace)) == {"module_forward"}
    assert trace.graph.root.names[0] == "out"
    assert trace.graph.nodes[0].name == "AddmmBackward0"
    assert all(node.call is not None for node in trace.graph.nodes if node.leaf is None)
    assert trace.error is None
    assert trace.grads == {}
    assert forward.trace is trace
    assert repr(forward) == "Forward(9 calls, 9 events)"
    assert out.grad_fn is not None


def test_several_outputs_have_one_graph() -> None:
    class Two(nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return {"a": x * 2, "b": [x.exp(), x.detach()]}

    two = Two()
    with hookviz.watch() as forward:
        two(x())
    nodes = forward.trace.graph.nodes
    assert {node.name for node in nodes} == {"MulBackward0", "ExpBackward0", "AccumulateGrad"}
    assert len(forward.trace.graph.tensors) == 3


@pytest.mark.parametrize("how", ["no_grad", "freed", "nothing", "failed"])
def test_a_trace_of_a_forward_without_a_graph_to_run_is_there_all_the_same(how: str) -> None:
    network = Deep()
    if how == "failed":
        network.head.register_forward_hook(lambda *_: 1 / 0)
    try:
        with hookviz.watch(network) as forward, torch.set_grad_enabled(how != "no_grad"):
            if how != "nothing":
                out = network(x())
            if how == "freed":
                out.sum().backward()
    except ZeroDivisionError:
        pass
    trace = forward.trace
    assert bool(trace.graph.nodes) == (how == "freed")
    assert bool(trace.graph.tensors) == (how in ("no_grad", "freed"))
    assert (trace.error is not None) == (how == "failed")
    assert hookviz.Trace.from_json(trace.to_json()) == trace
    assert len(trace.graph.calls) == (0 if how == "nothing" else 9)


def test_the_trace_can_be_asked_for_while_the_block_runs() -> None:
    network = Deep()
    with hookviz.watch(network) as forward:
        assert forward.trace.events == ()
        network(x())
        assert len(forward.trace.events) == 9
        assert "still running" in repr(forward)
        network(x())
    assert len(forward.trace.events) == 18


def test_a_later_record_tells_the_forward_first_and_knows_module_and_line_of_each_node() -> None:
    network = Deep()
    handle = network.head.register_forward_hook(lambda module, args, output: output * 2)
    with hookviz.watch(network):
        loss = network(x()).sum()
    trace = hookviz.record(loss)
    assert kinds(trace)[:10].count("module_forward") == 9
    assert "module_forward_hook" in kinds(trace)[:10]
    assert kinds(trace)[10] == "start"
    assert [event.index for event in trace.events] == list(range(len(trace.events)))
    assert {module.name for module in trace.graph.modules} >= {"network", "layer1.0.conv1"}
    (hook,) = next(module.hooks for module in trace.graph.modules if module.name == "head")
    (event,) = [event for event in trace.events if event.kind == "module_forward_hook"]
    assert event.hook == hook
    assert handle.id in network.head._forward_hooks
    assert hookviz.capture(loss).modules == trace.graph.modules


def test_only_the_iteration_that_made_the_graph_is_told() -> None:
    network, losses = Deep(), []
    with hookviz.watch(network):
        for _ in range(3):
            losses.append(network(x()).sum())
            with torch.no_grad():
                network(x())
    for loss in losses:
        trace = hookviz.record(loss)
        assert kinds(trace).count("module_forward") == 9
        assert {call.number for call in trace.graph.calls} == {0}
        assert {event.call for event in trace.events if event.module} == {0}


def test_graphs_of_two_blocks_are_put_together() -> None:
    encoder, decoder = Block(), Block()
    with hookviz.watch(encoder):
        z = encoder(x())
    z = z * 3
    with hookviz.watch(decoder):
        loss = decoder(z).sum()
    trace = hookviz.record(loss)
    assert called(trace) == ["encoder", "conv1", "conv2", "decoder", "conv1 2", "conv2 2"]
    assert [module.id for module in trace.graph.modules] == [f"m{i}" for i in range(6)]
    by_name = {node.name: node.call for node in trace.graph.nodes}
    assert by_name["MulBackward0"] is None
    hooks = [event.module for event in trace.events if event.kind == "module_forward"]
    assert hooks == ["conv1", "conv2", "encoder", "conv1 2", "conv2 2", "decoder"]


def test_a_module_called_in_two_blocks_is_one_module_with_two_calls() -> None:
    layer = nn.Linear(2, 2)
    with hookviz.watch(layer):
        y = layer(x())
    with hookviz.watch(layer):
        loss = layer(y).sum()
    trace = hookviz.record(loss)
    assert [(call.module, call.number) for call in trace.graph.calls] == [("m0", 0), ("m0", 1)]


def test_what_another_thread_has_watched_is_not_taken_for_this_ones() -> None:
    seen_forwards._finished.clear()
    layer = nn.Linear(2, 2)

    def work() -> None:
        for _ in range(50):
            with hookviz.watch(layer):
                layer(x())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    results: list[hookviz.Trace] = []

    def other() -> None:
        results.append(hookviz.record(nn.Linear(2, 2)(x()).sum()))

    # A thread that is new has the numbers of the one before, and often its identity as well.
    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert results[0].graph.calls == ()
    assert results[0].graph.nodes[0].call is None


def test_nodes_with_one_number_come_from_two_threads_and_are_left_alone() -> None:
    layer, made = nn.Linear(2, 2), list[torch.Tensor]()

    def work() -> None:
        with hookviz.watch(layer):
            y = layer(x())
        made.append(hookviz.record(y.sum()).graph and y)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    def joined() -> None:
        with hookviz.watch(layer):
            z = layer(x())
        loss = (z + made[0]).sum()
        results.append(hookviz.record(loss))

    results: list[hookviz.Trace] = []
    thread = threading.Thread(target=joined)
    thread.start()
    thread.join()
    doubled = [node for node in results[0].graph.nodes if node.name == "AddmmBackward0"]
    assert [node.call for node in doubled] == [None, None]


def test_watch_refuses_what_is_no_module() -> None:
    for wrong in (x(), [nn.ReLU()], nn.ReLU, None):
        with pytest.raises(hookviz.NotAModuleError, match="watch"), hookviz.watch(wrong):
            pass
    with pytest.raises(hookviz.HookvizError, match="keep="), hookviz.watch(keep="most"):
        pass


def test_keep_all_keeps_every_element() -> None:
    layer = nn.Identity()
    with hookviz.watch(layer, keep="all") as forward:
        layer(torch.arange(100.0))
    snapshot = forward.trace.events[0].arguments_after[0].snapshot
    assert snapshot is not None
    assert snapshot.tolist() == list(range(100))


# -- a function in the root's place ---------------------------------------------------------------


def test_record_runs_a_function_and_then_backward_on_what_it_returns() -> None:
    network, value = Deep(), x()
    expected = network(value).sum()
    expected.backward()
    plain = value.grad
    value.grad = None
    network.zero_grad()

    def run() -> torch.Tensor:
        loss = network(value).sum()
        return loss

    trace = hookviz.record(run)
    assert torch.equal(value.grad, plain)
    assert trace.graph.root.names[0] == "loss (run)"
    assert kinds(trace)[:10] == ["module_forward"] * 9 + ["start"]
    assert trace.error is None


def test_record_of_a_function_that_raises_keeps_the_forward_events() -> None:
    network = Deep()
    network.layer1[1].register_forward_pre_hook(lambda module, args: 1 / 0)
    trace = hookviz.record(lambda: network(x()).sum())
    assert trace.error is not None
    assert trace.error.hook is not None
    assert kinds(trace) == ["module_forward"] * 3 + ["error"]
    assert called(trace)[-1] == "layer1.1"
    outside = hookviz.record(lambda: (network.head(x()), {}["missing"])[1])
    assert outside.error is not None
    assert (outside.error.type, kinds(outside)) == ("KeyError", ["module_forward", "error"])


def test_an_interrupt_in_the_function_goes_on_to_the_caller() -> None:
    def interrupted() -> torch.Tensor:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hookviz.record(interrupted)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda: None, hookviz.NotATensorError, "returned None"),
        (lambda: {"loss": x()}, hookviz.NotATensorError, "'loss'"),
        (lambda: 3.0, hookviz.NotATensorError, "float"),
        (lambda: torch.ones(1), hookviz.NoGradError, "requires_grad=True"),
        (nn.Linear(1, 1), hookviz.NotATensorError, "the module Linear itself"),
        (nn.Linear, hookviz.NotATensorError, "the class Linear"),
        (lambda: x() * 2, hookviz.GradientError, "Reduce it"),
    ],
)
def test_a_function_that_gives_nothing_to_run_backward_on_is_refused(
    function: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        hookviz.record(function)


def test_options_of_backward_go_with_a_function_too() -> None:
    value = x()
    trace = hookviz.record(
        lambda: value * 3, gradient=torch.tensor([[1.0, 5.0]]), inputs=[value], retain_graph=False
    )
    assert trace.grad("value").tolist() == [[3, 15]]  # type: ignore[union-attr]


@pytest.mark.parametrize("ask", [lambda watch: watch.trace, lambda watch: watch.explore()])
def test_a_watch_that_was_not_entered_says_how_to(ask: Callable[[Any], object]) -> None:
    model = torch.nn.Linear(2, 1)
    watch = hookviz.watch(model)
    model(torch.ones(1, 2))
    with pytest.raises(HookvizError, match=r"with hookviz\.watch\(model\) as forward"):
        ask(watch)
