"""`%%hookviz` knows modules, lines and inner variables of the cell, and only as long as needed."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any

import pytest

from hookviz._widget.explorer import Explorer
from tests.unmodified.programs import START
from tests.unmodified.shell import Shell

NET = """\
%%hookviz
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 3)
        self.outer = torch.nn.Linear(3, 1)
    def forward(self, x):
        hidden = torch.tanh(self.inner(x))
        return self.outer(hidden)
def loss_of(net, x):
    predicted = net(x)
    return predicted.square().mean()
net = Net()
net.inner.register_forward_hook(lambda module, args, output: print('hook', output.shape))
for _ in range({count}):
    loss = loss_of(net, torch.ones(4, 2))
    loss.backward()
"""


@pytest.fixture
def shell(shell: Shell) -> Shell:
    """A shell with the extension and torch."""
    shell.run(START)
    return shell


def test_modules_lines_and_inner_variables_are_known(
    shell: Shell, explorers: list[Explorer]
) -> None:
    ran = shell.run(NET.format(count=1))
    assert ran.error is None
    assert ran.printed == "hook torch.Size([4, 3])\n"
    (explorer,) = explorers
    trace = explorer.trace
    kinds = [event.kind for event in trace.events]
    assert kinds[:5] == [
        "module_forward",
        "module_forward_hook",
        "module_forward",
        "module_forward",
        "start",
    ]
    assert trace.events[1].printed == "hook torch.Size([4, 3])\n"
    assert {module.name for module in trace.graph.modules} == {"net", "inner", "outer"}
    labels = {tensor.label for tensor in trace.graph.tensors}
    assert labels >= {"loss", "predicted (loss_of)", "hidden (Net.forward)", "net.inner.weight"}
    lines = {node.name: node.code_text for node in trace.graph.nodes}
    assert lines["TanhBackward0"] == "hidden = torch.tanh(self.inner(x))"
    assert lines["MeanBackward0"] == "return predicted.square().mean()"
    (source,) = trace.graph.sources
    assert source.text.startswith("%%hookviz\nclass Net")
    assert explorer.code[0]["first"] == 1


@pytest.mark.parametrize("outside", [3, 0, 1])
def test_each_round_of_a_loop_has_its_own_variables(
    shell: Shell, explorers: list[Explorer], outside: int
) -> None:
    shell.run(
        f"""\
%%hookviz
def loss_of(w):
    hidden = w * w
    hidden.register_hook(lambda grad: grad * 2)
    return hidden.sum()
w = leaf(1.0, 2.0)
for _ in range({outside}):
    loss_of(w).backward()
def step(w):
    inner = w * w
    inner.register_hook(lambda grad: grad * 2)
    inner.sum().backward()
for _ in range({3 - outside}):
    step(w)
"""
    )
    names = ["hidden (loss_of)"] * outside + ["inner"] * (3 - outside)
    for explorer, name in zip(explorers, names, strict=True):
        labels = [tensor.label for tensor in explorer.trace.graph.tensors]
        assert labels == ["t0", name, "w"]


def test_variables_of_a_graph_that_is_still_needed_are_kept(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
def made_by(w):
    inner = w * w
    return inner.exp()
def judged_by(w, made):
    verdict = (w * made).sum()
    return verdict
g, d = leaf(1.0, 2.0), leaf(3.0, 4.0)
made = made_by(g)
judged_by(d, made.detach()).backward()
judged_by(d, made).backward(retain_graph=True)
(made + 1).sum().backward()
""")
    labels = [[tensor.label for tensor in one.trace.graph.tensors] for one in explorers]
    assert labels[0] == ["verdict (judged_by)", "d"]
    assert "inner (made_by)" in labels[1]
    assert "inner (made_by)" in labels[2]


def test_an_edit_on_an_inner_variable_runs_the_pass_again(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run(NET.format(count=1))
    before = shell.variables["net"].inner.bias.grad.clone()
    explorers[0].attach("hidden (Net.forward)", "lambda grad: grad * 2")
    after = shell.variables["net"].inner.bias.grad
    assert after.tolist() == (2 * before).tolist()


def test_nothing_watches_once_the_last_call_is_recorded(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
import sys
traced, streams = [], []
a = leaf(2.0)
for _ in range(5):
    (a * a).backward()
    traced.append(sys.gettrace() is not None)
    streams.append(sys.stdout)
""")
    assert shell.variables["traced"] == [True, True, False, False, False]
    assert len({id(stream) for stream in shell.variables["streams"][2:]}) == 1
    assert len(explorers) == 3


@pytest.mark.parametrize("end", ["1 / 0", "raise KeyboardInterrupt", "pass"])
def test_tracer_and_output_are_as_before_however_the_cell_ends(shell: Shell, end: str) -> None:
    tracer, stream = sys.gettrace(), sys.stdout
    shell.run(f"%%hookviz\na = leaf(2.0)\n(a * a).backward()\n{end}")
    assert sys.gettrace() is tracer
    assert sys.stdout is stream


def test_output_is_as_before_when_the_watch_ended_inside_a_redirection(shell: Shell) -> None:
    stream = sys.stdout
    ran = shell.run("""\
%%hookviz --calls 1
import contextlib, io
a = leaf(2.0)
inside = io.StringIO()
with contextlib.redirect_stdout(inside):
    print('one')
    (a * a).backward()
    print('two')
print('three')
""")
    assert shell.variables["inside"].getvalue() == "one\ntwo\n"
    assert ran.printed == "three\n"
    assert sys.stdout is stream


def test_a_loop_without_backward_does_not_keep_its_graphs(shell: Shell) -> None:
    shell.run("""\
%%hookviz
import weakref
memories = []
w = torch.ones(10, requires_grad=True)
def loss_of(w):
    big = torch.ones(10) * w.detach()
    memories.append(weakref.ref(big.untyped_storage()))
    loss = (w * big).sum()
    return loss.item()
for _ in range(200):
    loss_of(w)
held = sum(memory() is not None for memory in memories)
""")
    assert 0 < shell.variables["held"] <= 64
    gc.collect()
    memories: list[Any] = shell.variables["memories"]
    assert sum(memory() is not None for memory in memories) == 0


def test_a_debugger_that_is_at_work_stays(shell: Shell, explorers: list[Explorer]) -> None:
    shell.run("""\
import sys
def tracer(frame, event, argument):
    return None
""")
    try:
        sys.settrace(shell.variables["tracer"])
        shell.run("%%hookviz\na = leaf(2.0)\n(a * a).backward()\nstanding = sys.gettrace()")
    finally:
        sys.settrace(None)
    assert shell.variables["standing"] is shell.variables["tracer"]
    assert explorers[0].trace.grad("a").item() == 4  # type: ignore[union-attr]


def test_the_pass_without_hooks_can_be_compared_and_saved(
    shell: Shell, explorers: list[Explorer], tmp_path: Path
) -> None:
    shell.run("""\
%%hookviz
a = leaf(2.0)
b = a * a
b.register_hook(lambda grad: grad * 10)
b.backward()
""")
    (explorer,) = explorers
    assert explorer.baseline.grad("a").item() == 4  # type: ignore[union-attr]
    explorer.save_html(tmp_path / "pass.html")
    assert shell.variables["a"].grad.item() == 40
    with pytest.raises(RuntimeError, match="second time"):
        shell.variables["b"].backward()
