"""A session whose root a function makes: hooks of modules change, and the forward runs again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import hookviz
from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.session import Session
from hookviz.errors import HookRunError, HookSourceError, HookvizError, UnknownTargetError
from tests.live.forward.test_watch_leaves_nothing import state_of


class SumNet(nn.Module):
    def forward(self, a: Any, b: Any, c: Any) -> Any:
        d = a + b + c
        return d


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        out = torch.relu(self.norm(self.lin(x)))
        return self.drop(out)


def fresh() -> tuple[Net, torch.Tensor]:
    torch.manual_seed(5)
    net = Net()
    return net, torch.randn(4, 3, requires_grad=True)


def open_session(function: Callable[[], Any], **variables: Any) -> Session:
    return Session(function, BackwardOptions(), namespaces=[variables], echo=False)


def outcome(net: nn.Module, x: torch.Tensor) -> Any:
    """Return all that a forward and a backward leave in a model and its input."""
    grads = [None if p.grad is None else p.grad.clone() for p in (*net.parameters(), x)]
    return grads, [buffer.clone() for buffer in net.buffers()]


def same(one: Any, other: Any) -> bool:
    pairs = [*zip(one[0], other[0], strict=True), *zip(one[1], other[1], strict=True)]
    return all(
        a is b is None or (a is not None and b is not None and torch.equal(a, b)) for a, b in pairs
    )


def plain(change: Callable[[Net, torch.Tensor], None]) -> Any:
    """One plain forward and backward with the hooks put on by hand."""
    net, x = fresh()
    change(net, x)
    torch.manual_seed(9)
    net(x).sum().backward()
    return outcome(net, x)


def opened(**hooks: Any) -> tuple[Session, Net, torch.Tensor]:
    net, x = fresh()
    for name, hook in hooks.items():
        getattr(net.lin, name)(hook)
    torch.manual_seed(9)
    return open_session(lambda: net(x).sum(), torch=torch), net, x


def events(session: Session, kind: str) -> list[Any]:
    return [event for event in session.trace.events if event.kind == kind]


def the_hook(session: Session, module: str, place: int = 0) -> str:
    found = next(m for m in session.trace.graph.modules if m.name == module)
    return found.hooks[place].id


# -- changes --------------------------------------------------------------------------------------


def test_the_first_run_is_one_plain_forward_and_backward() -> None:
    _, net, x = opened()
    assert same(outcome(net, x), plain(lambda net, x: None))


KINDS = {
    "module_forward_pre_hook": (
        "register_forward_pre_hook",
        "lambda module, args: (args[0] * 2,)",
        lambda module, args: (args[0] * 2,),
    ),
    "module_forward_hook": (
        "register_forward_hook",
        "lambda module, args, output: output + 1",
        lambda module, args, output: output + 1,
    ),
    "module_backward_pre_hook": (
        "register_full_backward_pre_hook",
        "lambda module, grad_output: (grad_output[0] * 3,)",
        lambda module, grad_output: (grad_output[0] * 3,),
    ),
    "module_backward_hook": (
        "register_full_backward_hook",
        "lambda module, grad_input, grad_output: (grad_input[0] * 5,)",
        lambda module, grad_input, grad_output: (grad_input[0] * 5,),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["module", "name", "id"])
def test_a_hook_of_every_kind_is_attached_by_module_name_or_id(kind: Any, target: str) -> None:
    register, text, function = KINDS[kind]
    session, net, x = opened()
    identity = next(m.id for m in session.trace.graph.modules if m.name == "lin")
    where: Any = {"module": net.lin, "name": "lin", "id": identity}[target]
    hook_id = session.attach(where, text, kind=kind)
    expected = plain(lambda net, x: getattr(net.lin, register)(function) and None)
    assert same(outcome(net, x), expected)
    (event,) = events(session, kind)
    assert (event.module, event.hook.id, event.hook.origin) == ("lin", hook_id, "explorer")
    session.remove(hook_id)
    assert same(outcome(net, x), plain(lambda net, x: None))
    assert events(session, kind) == []


@pytest.mark.parametrize("kind", KINDS)
def test_edit_turn_off_and_on_and_close_of_the_users_own_hook(kind: Any) -> None:
    register, text, function = KINDS[kind]
    session, net, x = opened(**{register: function})
    before = state_of(net)
    hook_id = the_hook(session, "lin")
    hooked = plain(lambda net, x: getattr(net.lin, register)(function) and None)
    assert same(outcome(net, x), hooked)
    session.edit(hook_id, text.replace("* ", "* 2 * ").replace("+ 1", "+ 2"))
    assert not same(outcome(net, x), hooked)
    session.edit(hook_id, text)
    assert same(outcome(net, x), hooked)
    session.disable(hook_id)
    assert same(outcome(net, x), plain(lambda net, x: None))
    assert [h.enabled for m in session.trace.graph.modules for h in m.hooks] == [False]
    session.enable(hook_id)
    assert same(outcome(net, x), hooked)
    session.remove(hook_id)
    assert same(outcome(net, x), plain(lambda net, x: None))
    session.close()
    assert state_of(net) == before


@pytest.mark.parametrize("register", ["register_forward_pre_hook", "register_forward_hook"])
def test_hooks_of_modules_are_moved(register: str) -> None:
    def add(*args: Any) -> Any:
        return args[-1] + 1 if register == "register_forward_hook" else (args[-1][0] + 1,)

    def double(*args: Any) -> Any:
        return args[-1] * 2 if register == "register_forward_hook" else (args[-1][0] * 2,)

    net, x = fresh()
    getattr(net.lin, register)(add)
    getattr(net.lin, register)(double)
    torch.manual_seed(9)
    session = open_session(lambda: net(x).sum())

    def swapped(net: Net, x: torch.Tensor) -> None:
        getattr(net.lin, register)(double)
        getattr(net.lin, register)(add)

    before = state_of(net)
    session.move(the_hook(session, "lin", 1), 0)
    assert same(outcome(net, x), plain(swapped))
    assert [h.label for m in session.trace.graph.modules for h in m.hooks] == ["double", "add"]
    session.close()
    assert state_of(net) == before


def test_a_forward_hook_may_ask_for_keyword_arguments() -> None:
    net = SumNet()
    a, b, c = (torch.tensor(v, requires_grad=True) for v in (1.0, 2.0, 3.0))
    session = open_session(lambda: net(a, b, c=c))
    session.attach(
        net,
        "lambda module, args, kwargs: (args, {'c': kwargs['c'] * 10})",
        kind="module_forward_pre_hook",
    )
    assert session.trace.graph.root.value.item() == 33
    session.attach(net, "lambda module, args, kwargs, output: output + kwargs['c']")
    assert session.trace.graph.root.value.item() == 63
    assert c.grad is not None
    assert c.grad.item() == 20
    session.attach(net, lambda *args: print(len(args)), with_kwargs=True)
    assert events(session, "module_forward_hook")[-1].printed == "4\n"
    assert events(session, "module_forward_hook")[-1].hook.with_kwargs


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("module_forward_hook", "lambda output: output", "module, args, output"),
        ("module_forward_pre_hook", "lambda module: None", "module, args"),
        ("module_backward_hook", "lambda module, grad: None", "module, grad_input, grad_output"),
        ("module_backward_pre_hook", "lambda m, i, o: None", "module, grad_output"),
        ("module_forward_hook", "5", "cannot be called"),
        ("module_forward_hook", "lambda module, args output: 1", "invalid syntax"),
    ],
)
def test_a_text_that_does_not_fit_its_kind_is_refused_and_nothing_runs(
    kind: Any, text: str, words: str
) -> None:
    session, _, _ = opened()
    trace = session.trace
    with pytest.raises(HookSourceError, match=words) as caught:
        session.attach("lin", text, kind=kind)
    assert caught.value.expected == f"source.expected.{kind}"
    assert session.trace is trace


def test_what_takes_no_such_hook_is_refused() -> None:
    session, net, _ = opened()
    with pytest.raises(HookvizError, match="takes no tensor_hook"):
        session.attach(net.lin, lambda grad: None, kind="tensor_hook")
    with pytest.raises(UnknownTargetError, match=r"lin, norm, drop"):
        session.attach(nn.Linear(1, 1), lambda *_: None)
    with pytest.raises(UnknownTargetError, match="not a module"):
        session.attach("nowhere", lambda *_: None, kind="module_forward_hook")


# -- taken back -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["raises", "interrupts", "wrong"])
def test_a_change_with_which_a_run_fails_is_taken_back(kind: Any, how: str) -> None:
    session, net, x = opened()
    before, hooks, trace = outcome(net, x), state_of(net), session.trace

    def bad(*args: Any) -> Any:
        if how == "raises":
            raise ValueError("no")
        if how == "interrupts":
            raise KeyboardInterrupt
        return 5 if "backward" in kind else object()

    error = KeyboardInterrupt if how == "interrupts" else HookRunError
    with pytest.raises(error) as caught:
        session.attach("lin", bad, kind=kind)
    if isinstance(caught.value, HookRunError):
        assert caught.value.trace.error is not None
        assert caught.value.trace.events[-1].kind == "error"
        assert "taken back" in str(caught.value)
    assert same(outcome(net, x), before)
    assert state_of(net) == hooks
    assert session.trace is trace
    session.run()
    assert same(outcome(net, x), before)


def test_a_function_that_gives_no_tensor_after_a_change_is_told_and_the_change_taken_back() -> None:
    net, x = fresh()
    session = open_session(lambda: net(x).sum() if net(x) is not None else None)
    with pytest.raises(HookRunError):
        session.attach(net, lambda *_: "text", kind="module_forward_hook")
    layer, x.grad = nn.Identity(), None
    session = open_session(lambda: layer(x).sum())
    with pytest.raises(HookvizError, match="does not require grad"):
        session.attach(layer, lambda module, args, output: output.detach())
    assert not layer._forward_hooks
    session.attach(layer, lambda module, args, output: output * 2)
    assert torch.equal(x.grad, torch.full_like(x, 2))


# -- the world around -----------------------------------------------------------------------------


def test_random_numbers_are_those_of_the_first_run_and_then_what_they_were() -> None:
    session, net, x = opened()
    after_first = torch.get_rng_state()
    torch.manual_seed(123)
    mine = torch.get_rng_state()
    session.attach("lin", "lambda module, args, output: output + 0")
    assert torch.equal(torch.get_rng_state(), mine)
    assert same(outcome(net, x), plain(lambda net, x: None))
    assert not torch.equal(after_first, mine)


def test_running_statistics_are_those_of_one_forward_however_often_it_ran() -> None:
    session, net, _ = opened()
    buffer = net.norm.running_mean
    for _ in range(3):
        session.run()
    assert net.norm.num_batches_tracked.item() == 1
    assert net.norm.running_mean is buffer


def test_grads_of_before_are_kept() -> None:
    net, x = fresh()
    x.grad = torch.ones_like(x)
    grad = x.grad
    torch.manual_seed(9)
    session = open_session(lambda: net(x).sum())
    session.run()
    expected = plain(lambda net, x: setattr(x, "grad", torch.ones_like(x)))
    assert same(outcome(net, x), expected)
    assert x.grad is grad


def test_hooks_that_the_function_registers_itself_do_not_pile_up() -> None:
    net, x = fresh()
    calls: list[str] = []

    def run() -> torch.Tensor:
        net.lin.weight.register_hook(lambda grad: calls.append("tensor"))
        net.lin.register_forward_hook(lambda *_: calls.append("module"))
        return net(x).sum()

    session = open_session(run)
    session.run()
    session.attach(net.norm, lambda module, args, output: output)
    calls.clear()
    session.run()
    assert sorted(calls) == ["module", "tensor"]
    with pytest.raises(HookRunError):
        session.attach(net.norm, lambda module, args, output: 1 / 0)
    assert len(net.lin._forward_hooks) == 1
    assert len(net.lin.weight._backward_hooks or {}) == 1


def test_hooks_that_the_function_registers_on_lasting_things() -> None:
    net, x = fresh()

    def run() -> torch.Tensor:
        net.lin.bias.register_hook(lambda grad: grad * 2)
        net.lin.bias.register_hook(lambda grad: grad * 3)
        net.lin.register_forward_hook(lambda module, args, output: output * 1)
        return net.lin(x).sum()

    session = open_session(run)
    (bias,) = [t for t in session.trace.graph.tensors if t.label.endswith("bias")]
    session.edit(bias.hooks[0], "lambda grad: grad * 10")
    session.remove(bias.hooks[1])
    assert net.lin.bias.grad is not None
    expected = net.lin.bias.grad.clone()
    assert expected.tolist() == [40.0] * 3
    session.run()
    assert torch.equal(net.lin.bias.grad, expected)
    with pytest.raises(HookvizError, match="registers the hook"):
        session.disable(the_hook(session, "net.lin"))


def test_a_backward_hook_that_is_off_leaves_no_node_in_the_graph() -> None:
    def hook(module: nn.Module, *grads: Any) -> None: ...

    session, _, _ = opened(register_full_backward_hook=hook)
    names = [node.name for node in session.trace.graph.nodes]
    assert "BackwardHookFunctionBackward" in names
    session.disable(the_hook(session, "lin"))
    names = [node.name for node in session.trace.graph.nodes]
    assert "BackwardHookFunctionBackward" not in names


def test_a_hook_that_keeps_a_relu_from_working_in_place_can_be_turned_off() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
    net[0].register_full_backward_hook(lambda module, *grads: None)
    x = torch.ones(1, 2, requires_grad=True)
    session = open_session(lambda: net(x).sum())
    assert session.trace.error is not None
    assert session.trace.error.explanation == "error.hooked_in_place"
    assert session.trace.graph.nodes == ()
    session.disable(the_hook(session, "0"))
    assert session.trace.error is None
    assert x.grad is not None


def test_the_articles_hook_is_mended_in_the_explorer() -> None:
    def first(module: nn.Module, inputs: Any) -> Any:
        a, b, c = inputs
        return a + 10, b, c + 10

    net = SumNet()
    net.register_forward_pre_hook(first)
    a, b, c = (torch.tensor(v, requires_grad=True) for v in (1.0, 2.0, 3.0))
    session = open_session(lambda: net(a, b, c=c))
    assert session.trace.error is not None
    session.edit(the_hook(session, "net"), "lambda module, inputs: (inputs[0] + 10, inputs[1])")
    assert session.trace.error is None
    assert session.trace.graph.root.value.item() == 16
    with pytest.raises(HookRunError):
        session.edit(the_hook(session, "net"), first)
    assert session.trace.graph.root.value.item() == 16


# -- tensor hooks in a new graph ------------------------------------------------------------------


def with_tensor_hook() -> tuple[Session, Net, torch.Tensor, Callable[[], torch.Tensor]]:
    net, x = fresh()
    scale = 3.0

    def run() -> torch.Tensor:
        inner = net(x)
        inner.register_hook(lambda grad: grad * scale)
        inner.register_hook(lambda grad: grad + 1)
        return inner.sum()

    torch.manual_seed(9)
    return open_session(run), net, x, run


def hooks_of(session: Session, name: str) -> list[tuple[str, str, bool, str]]:
    found = session.trace.graph.find(name)
    assert found is not None
    return [(h.id, h.label, h.enabled, h.origin) for h in found.hooks]


def test_what_was_done_to_tensor_hooks_is_done_in_the_graph_of_the_next_forward_too() -> None:
    session, _, _, _ = with_tensor_hook()
    name = "inner (with_tensor_hook.<locals>.run)".replace("with_tensor_hook.<locals>.", "")
    first, second = (hook[0] for hook in hooks_of(session, name))
    added = session.attach(name, "lambda grad: grad * 7")
    session.edit(first, "lambda grad: grad * scale * 2")
    session.disable(second)
    session.move(added, 0)
    before = hooks_of(session, name)
    value = session.trace.grads["x"]
    session.attach("lin", "lambda module, args, output: None")
    assert hooks_of(session, name) == before
    assert session.trace.grads["x"] == value
    assert session.dropped == ()
    chain = [e for e in session.trace.events if e.kind == "tensor_hook"]
    assert [e.hook.id for e in chain] == [added, first]
    last = chain[-1].outgoing
    assert last.tolist()[0][0] == pytest.approx(7 * 3.0 * 2)
    session.remove(first)
    session.run()
    assert [hook[0] for hook in hooks_of(session, name)] == [added, second]


def test_in_a_graph_of_another_structure_a_variable_of_the_same_name_is_found() -> None:
    session, _, _, _ = with_tensor_hook()
    first, second = (hook[0] for hook in hooks_of(session, "inner (run)"))
    session.disable(second)
    added = session.attach("inner (run)", "lambda grad: grad * 7")
    nodes = len(session.trace.graph.nodes)
    session.attach("lin", "lambda module, args, output: output * 1")
    assert len(session.trace.graph.nodes) == nodes + 1
    hooks = hooks_of(session, "inner (run)")
    assert [(hook[0], hook[2]) for hook in hooks] == [(first, True), (second, False), (added, True)]
    assert session.dropped == ()


def test_hooks_that_have_no_place_in_another_graph_are_dropped_and_told() -> None:
    net, x = fresh()
    wide = {"on": False}

    def run() -> torch.Tensor:
        if wide["on"]:
            return (net.lin(x) * 2 + 1).sum()
        inner = net.lin(x)
        return (inner + 1).sum()

    session = open_session(run)
    session.attach("inner (run)", "lambda grad: grad * 7")
    session.attach("n1", lambda inputs, outputs: None)
    wide["on"] = True
    session.run()
    assert session.dropped == (
        "lambda grad: grad * 7 (inner (run))",
        "lambda inputs, outputs: None (n1)",
    )
    assert not any(t.hooks for t in session.trace.graph.tensors)
    session.run()
    assert session.dropped == ()


def test_a_change_of_a_tensor_hook_runs_backward_only() -> None:
    runs: list[int] = []
    net, x = fresh()

    def run() -> torch.Tensor:
        runs.append(1)
        return net(x).sum()

    session = open_session(run)
    hook = session.attach("x", "lambda grad: grad * 2")
    session.edit(hook, "lambda grad: grad * 4")
    session.disable(hook)
    session.attach("n0", "lambda grad_inputs, grad_outputs: None")
    assert len(runs) == 1
    session.attach("lin", "lambda module, args, output: None")
    assert len(runs) == 2


def test_without_hooks_is_one_more_run_that_leaves_all_as_it_was() -> None:
    session, net, x = opened(
        register_forward_hook=lambda module, args, output: output * 2,
        register_full_backward_hook=lambda module, *grads: (grads[0][0] * 3,),
    )
    session.attach("x", lambda grad: grad * 5)
    before, trace, hooks = outcome(net, x), session.trace, state_of(net)
    bare = session.without()
    assert not [e for e in bare.events if e.hook]
    expected = plain(lambda net, x: None)[0][-1]
    assert torch.tensor(bare.grads["x"].tolist()).allclose(expected)
    partly = session.without([the_hook(session, "lin", 0)])
    assert [e.kind for e in partly.events if e.hook] == ["module_backward_hook", "tensor_hook"]
    assert same(outcome(net, x), before)
    assert session.trace is trace
    assert state_of(net) == hooks
    session.run()
    assert same(outcome(net, x), before)


# -- the end --------------------------------------------------------------------------------------


def test_close_leaves_nothing_behind() -> None:
    net, x = fresh()
    for module in (net, net.lin):
        for register in (entry[0] for entry in KINDS.values()):
            getattr(module, register)(lambda *args: None)
    before = state_of(net)
    session = open_session(lambda: net(x).sum())
    for kind, (_, text, _) in KINDS.items():
        session.attach("lin", text, kind=kind)  # type: ignore[arg-type]
    session.disable(the_hook(session, "net", 0))
    session.move(the_hook(session, "lin", 1), 0)
    session.remove(the_hook(session, "lin", 3))
    session.attach("x", lambda grad: grad)
    session.close()
    assert state_of(net) == before
    assert not x._backward_hooks


def test_after_close_graph_and_model_can_go_without_the_cycle_collector() -> None:
    gc.collect()
    gc.disable()
    try:
        net, x = fresh()
        session = open_session(lambda net=net, x=x: net(x).sum())
        session.attach("lin", "lambda module, args, output: output + 1")
        session.attach("n1", lambda inputs, outputs: None)
        session.run()
        gone = [weakref.ref(thing) for thing in (net, net.lin.weight, x)]
        session.close()
        del net, x, session
        assert [reference() for reference in gone] == [None] * 3
    finally:
        gc.enable()


def test_the_explorer_takes_a_function() -> None:
    net, x = fresh()
    explorer = hookviz.explore(lambda: net(x).sum())
    assert any(event.kind == "module_forward" for event in explorer.trace.events)
    explorer.close()
