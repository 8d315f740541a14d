"""Each node knows the user's line that made it, and inner variables have names."""

from __future__ import annotations

import linecache
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import hookviz
from hookviz._live.forward.inner_tensors import NamedTensors
from hookviz._live.user.code import is_users, lines_of, name_of_file


class LeNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc = nn.Linear(16 * 5 * 5, 10)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        first = self.conv1(image)
        out = torch.max_pool2d(torch.relu(first), 2)
        out = torch.max_pool2d(torch.relu(self.conv2(out)), 2)
        out = out.view(out.size(0), -1)
        return self.fc(out)


def lines(trace: hookviz.Trace) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in trace.graph.nodes:
        found.setdefault(node.name, []).append(node.code_text)
    return found


def test_the_article_s_network_has_its_shapes_and_each_node_its_line() -> None:
    model, image = LeNet(), torch.randn(1, 1, 32, 32)
    with hookviz.watch(model) as forward:
        out = model(image)
        loss = out.square().mean()
    shapes = {
        event.module: event.arguments_after[0].snapshot.shape  # type: ignore[union-attr]
        for event in forward.trace.events
        if event.kind == "module_forward"
    }
    assert shapes == {
        "conv1": (1, 6, 28, 28),
        "conv2": (1, 16, 10, 10),
        "fc": (1, 10),
        "model": (1, 10),
    }
    trace = hookviz.record(loss)
    found = lines(trace)
    assert found["MeanBackward0"] == ["loss = out.square().mean()"]
    assert found["PowBackward0"] == ["loss = out.square().mean()"]
    assert found["AddmmBackward0"] == ["return self.fc(out)"]
    assert found["ViewBackward0"] == ["out = out.view(out.size(0), -1)"]
    assert found["ConvolutionBackward0"] == [
        "out = torch.max_pool2d(torch.relu(self.conv2(out)), 2)",
        "first = self.conv1(image)",
    ]
    assert set(found["AccumulateGrad"]) == {""}
    calls = {m.name: c for c in trace.graph.calls for m in trace.graph.modules if m.id == c.module}
    assert calls["model"].code_text == "out = model(image)"
    assert calls["conv1"].code_text == "first = self.conv1(image)"
    inside = {n.name for n in trace.graph.nodes if n.call == calls["model"].id}
    assert inside >= {"ReluBackward0", "ViewBackward0"}
    names = [tensor.names[0] for tensor in trace.graph.tensors if tensor.names]
    assert "first (LeNet.forward)" in names
    assert "out (LeNet.forward)" in names
    assert "loss" in names
    owners = {t.label: t.module for t in trace.graph.tensors}
    ids = {module.name: module.id for module in trace.graph.modules}
    assert owners["model.conv1.weight"] == ids["conv1"]
    assert owners["model.fc.bias"] == ids["fc"]


def test_sources_hold_the_whole_function_of_each_line() -> None:
    model = LeNet()
    with hookviz.watch(model):
        loss = model(torch.randn(1, 1, 32, 32)).sum()
    trace = hookviz.record(loss)
    sources = {source.text.split("\n")[0].strip(): source for source in trace.graph.sources}
    forward = sources["def forward(self, image: torch.Tensor) -> torch.Tensor:"]
    assert forward.file.endswith("tests/live/forward/test_lines_and_names.py")
    assert forward.text.rstrip().endswith("return self.fc(out)")
    file_lines = linecache.getlines(__file__)
    assert file_lines[forward.first_line - 1].strip().startswith("def forward")
    assert any(first.startswith("def test_sources_hold") for first in sources)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 3 * ctx.saved_tensors[0] ** 2


def test_operators_indexing_custom_functions_and_branches_have_their_lines() -> None:
    x = torch.ones(3, requires_grad=True)
    with hookviz.watch():
        a = x * 2
        b = a[0:2]
        c = Cube.apply(b)
        if c.sum() > 0:
            d = torch.exp(
                c,
            )
        e = torch.stack([part - 1 for part in d])
        e += 1
        loss = e.sum()
    found = lines(hookviz.record(loss))
    assert found["MulBackward0"] == ["a = x * 2"]
    assert found["SliceBackward0"] == ["b = a[0:2]"]
    assert found["CubeBackward"] == ["c = Cube.apply(b)"]
    assert found["ExpBackward0"] == ["d = torch.exp("]
    assert found["StackBackward0"] == ["e = torch.stack([part - 1 for part in d])"]
    assert found["SubBackward0"] == found["StackBackward0"] * 2
    assert found["AddBackward0"] == ["e += 1"]
    assert found["SumBackward0"] == ["loss = e.sum()"]


def deep(x: torch.Tensor, times: int) -> torch.Tensor:
    return x if times == 0 else deep(x * 2, times - 1) + 1


def test_after_an_inner_function_the_line_is_the_outer_ones_again() -> None:
    x = torch.ones(1, requires_grad=True)
    with hookviz.watch():
        loss = deep(x, 2).sum() * 3
    found = lines(hookviz.record(loss))
    line = "loss = deep(x, 2).sum() * 3"
    assert found["AddBackward0"] == ["return x if times == 0 else deep(x * 2, times - 1) + 1"] * 2
    assert found["SumBackward0"] == [line]
    assert line in found["MulBackward0"]


def generated(x: torch.Tensor) -> Any:
    for factor in (2, 3):
        yield x * factor


def test_generators_and_exceptions_do_not_confuse_the_lines() -> None:
    x = torch.ones(1, requires_grad=True)

    def raising(y: torch.Tensor) -> torch.Tensor:
        z = y.exp()
        raise ValueError(z)

    with hookviz.watch():
        first, *rest = generated(x)
        try:
            raising(x)
        except ValueError:
            second = rest[0].sin()
        loss = (first + second).sum()
    found = lines(hookviz.record(loss))
    assert found["MulBackward0"] == ["yield x * factor"] * 2
    assert found["SinBackward0"] == ["second = rest[0].sin()"]
    assert found["AddBackward0"] == ["loss = (first + second).sum()"]


def test_inside_a_checkpoint_lines_and_variables_are_known() -> None:
    def inside(x: torch.Tensor) -> torch.Tensor:
        power = x**2
        return power.exp()

    x = torch.ones(2, requires_grad=True)
    with hookviz.watch() as forward:
        loss = checkpoint(inside, x, use_reentrant=False).sum()
    trace = hookviz.record(loss)
    found = lines(trace)
    assert found["PowBackward0"] == ["power = x**2"]
    assert found["ExpBackward0"] == ["return power.exp()"]
    assert found["SumBackward0"] == ["loss = checkpoint(inside, x, use_reentrant=False).sum()"]
    assert any("power (inside)" in tensor.names for tensor in trace.graph.tensors)
    assert len(forward.trace.events) == 0


def test_nodes_made_outside_every_block_have_no_line_and_no_call() -> None:
    x = torch.ones(1, requires_grad=True)
    layer = nn.Linear(1, 1)
    before = x.exp()
    with hookviz.watch():
        inside = layer(before[None])
    loss = inside.sin().sum()
    trace = hookviz.record(loss)
    known = {n.name: (n.code_line is not None, n.call is not None) for n in trace.graph.nodes}
    assert known["ExpBackward0"] == (False, False)
    assert known["SinBackward0"] == (False, False)
    assert known["AddmmBackward0"] == (True, True)
    assert known["UnsqueezeBackward0"] == (True, False)


def test_names_of_inner_variables_come_last_and_are_numbered() -> None:
    def step(h: torch.Tensor) -> torch.Tensor:
        state = torch.tanh(h * 2)
        return state + 1

    x = torch.ones(2, requires_grad=True)
    with hookviz.watch() as forward:
        y = step(step(step(x)))
        loss = y.sum()
    trace = hookviz.record(loss)
    names = [tensor.names for tensor in trace.graph.tensors]
    assert ("y",) in names
    assert names[0] == ("loss",)
    states = sorted(n for found in names for n in found if n.startswith("state"))
    assert states == ["state (step)", "state (step, 2)", "state (step, 3)"]
    assert ("x", "h (step)") in names
    assert len({tensor.label for tensor in trace.graph.tensors}) == len(trace.graph.tensors)
    del forward
    again = hookviz.record(loss)
    assert not any(n.startswith("state") for t in again.graph.tensors for n in t.names)


def test_inner_variables_are_held_up_to_a_bound() -> None:
    held = NamedTensors()

    def function(value: torch.Tensor) -> None:
        held.take_from(sys._getframe())

    for number in range(6):
        function(torch.full((4_000_000,), float(number), requires_grad=True))
    values = [tensor[0].item() for _, tensor in held.names()]
    assert values == [2, 3, 4, 5]


def test_hookviz_pytorch_and_python_are_not_the_users_code() -> None:
    import contextlib

    assert is_users(test_hookviz_pytorch_and_python_are_not_the_users_code.__code__)
    assert not is_users(hookviz.record.__code__)
    assert not is_users(nn.Linear.forward.__code__)
    assert not is_users(contextlib.ExitStack.close.__code__)


def test_a_file_that_was_edited_since_gives_a_line_number_and_no_text(tmp_path: Any) -> None:
    path = tmp_path / "edited_module.py"
    path.write_text("def double(x):\n    return x * 2\n", encoding="utf-8")
    namespace: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    double = namespace["double"]
    assert lines_of(double.__code__)[2] == "    return x * 2"
    path.write_text("import os\n\n\ndef double(x):\n    y = x\n    return y\n", encoding="utf-8")
    linecache.checkcache(str(path))
    x = torch.ones(1, requires_grad=True)
    with hookviz.watch():
        loss = double(x).sum()
    node = next(n for n in hookviz.capture(loss).nodes if n.name == "MulBackward0")
    assert (node.code_line, node.code_text) == (2, "")
    assert node.code_file == "edited_module.py"


@pytest.mark.parametrize("name", ["<stdin>", "<hookviz hook 3>"])
def test_a_text_without_a_file_keeps_its_name(name: str) -> None:
    assert name_of_file(name) == name


CELLS = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in (
    "import torch, hookviz\\ndef double(x):\\n    y = x * 2\\n    return y",
    "a = torch.ones(1, requires_grad=True)\\nwith hookviz.watch():\\n    loss = double(a).sum()",
    "trace = hookviz.record(loss)",
):
    shell.run_cell(cell, store_history=True).raise_error()
trace = shell.user_ns["trace"]
for node in trace.graph.nodes[:2]:
    print(node.code_file, node.code_line, node.code_text)
for source in trace.graph.sources:
    print(source.file, source.first_line, len(source.text.split(chr(10))))
"""


def test_in_a_notebook_a_line_is_that_of_a_numbered_cell() -> None:
    done = subprocess.run([sys.executable, "-c", CELLS], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "cell 2 3 loss = double(a).sum()",
        "cell 1 3 y = x * 2",
        "cell 2 1 3",
        "cell 1 1 4",
    ]
