"""The code of `as_code()` says what a hook took along from where it was made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._view.code.code import as_code
from tests.view.code.test_as_code import grads, second_example

Hook = Callable[[torch.Tensor], Any]

k = 100


def plain() -> list[Hook]:
    def h(g: torch.Tensor, name: str = "é", *, more: float = -2.5) -> torch.Tensor:
        """Say
        something."""
        return g * k if name == "é" else g + more

    hooks: list[Hook] = [h, lambda g, i=2: g * i]
    return [*hooks, lambda g: torch.where(g < 3, g * 2, g)]


def with_the_same_name() -> list[Hook]:
    return [plain()[0], plain()[0]]


def that_calls_itself() -> list[Hook]:
    def h(g: torch.Tensor, depth: int = 3) -> torch.Tensor:
        return g if depth == 0 else h(g * 2, depth - 1)

    return [h]


@pytest.mark.parametrize("make", [plain, with_the_same_name, that_calls_itself])
def test_a_hook_that_took_nothing_along_is_written(make: Callable[[], list[Hook]]) -> None:
    first, again = second_example(), second_example()
    for hook in make():
        first["c"].register_hook(hook)
    trace = hookviz.record(first["e"], names={name: first[name] for name in "abcde"})
    code = as_code(hookviz.Trace.from_json(trace.to_json())._record)
    variables = {**again, "k": k}
    exec(code, variables)
    assert grads(again) == grads(first)
    assert code.count("c.register_hook(") == len(make())
    assert "#" not in code


def with_a_number() -> Hook:
    k = 5
    return lambda g: g * k


def with_a_tensor() -> Hook:
    scale = torch.tensor(3.0)
    return lambda g: g * scale


def that_counts() -> Hook:
    count = 0

    def h(g: torch.Tensor) -> torch.Tensor:
        nonlocal count
        count += 1
        return g * count

    return h


def with_a_default() -> Hook:
    step = 7.5

    def h(g: torch.Tensor, *, factor: Any = step) -> torch.Tensor:
        return g * factor

    return h


def in_a_loop() -> Hook:
    return [lambda g, i=i: g * i for i in range(1, 4)][-1]


SAID = {
    with_a_number: "# uses k from where it was written:\n# c.register_hook(lambda g: g * k)\n",
    with_a_tensor: "# uses scale from where it was written:\n",
    that_counts: "# uses count from where it was written:\n# def h(g: torch.Tensor)",
    with_a_default: "# uses factor from where it was written:\n",
    in_a_loop: "# uses i from where it was written:\n# c.register_hook(lambda g, i=i: g * i)\n",
}


@pytest.mark.parametrize("make", SAID)
def test_what_a_hook_took_along_is_said_and_the_rest_runs(make: Callable[[], Hook]) -> None:
    names = second_example()
    names["c"].register_hook(make())
    names["c"].register_hook(lambda g: g + 1)
    code = as_code(hookviz.record(names["e"], names={name: names[name] for name in "abcde"}))
    assert SAID[make] in code
    again = second_example()
    exec(code, again)
    assert again["b"].grad == 10.0


def test_a_typed_hook_says_what_it_sees_of_the_one_in_its_place() -> None:
    names = second_example()
    names["c"].register_hook(with_a_number())
    explorer = hookviz.explore(names["e"], names={name: names[name] for name in "abcde"})
    explorer.edit("h0", "lambda g: g * k + 1")
    assert names["b"].grad == 42.0
    assert explorer.as_code().startswith("# uses k from where it was written:\n# c.register_hook(")


def double(g: torch.Tensor) -> torch.Tensor:
    return g * 2


def other_double() -> Hook:
    def double(g: torch.Tensor) -> torch.Tensor:
        return g * 3

    return double


def test_a_hook_that_is_named_as_something_else_leaves_that_alone() -> None:
    names = second_example()
    names["c"].register_hook(other_double())
    names["c"].register_hook(lambda g: double(g))
    explorer = hookviz.explore(names["e"], names={name: names[name] for name in "abcde"})
    explorer.attach("c", "def e(g):\n    return g * 2")
    code = explorer.as_code()
    assert "# needs another name: double is something else here:\n# def double(g: " in code
    assert "# needs another name: e is something else here:\n# def e(g):\n" in code
    again = second_example()
    exec(code, {**again, "double": double})
    assert again["b"].grad == 16.0


class Old(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x * 2) * 3


@pytest.mark.filterwarnings("ignore:.*register_backward_hook|.*non-full backward hook")
def test_a_hook_of_the_old_kind_is_registered_as_one() -> None:
    net = Old()
    net.register_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10, None))
    x = torch.tensor(1.0, requires_grad=True)
    with hookviz.watch():
        y = net(x)
    code = as_code(hookviz.record(y, names={"x": x, "y": y}))
    assert "net.register_backward_hook(" in code
    assert "full" not in code


class Registers(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        handle = self.inner.register_forward_hook(lambda module, args, output: output * 2)
        result = self.inner(x) * 1
        handle.remove() if x.item() < 0 else None
        result.register_hook(lambda g: g * 5)
        return result


@pytest.mark.parametrize("start", [1.0, -1.0])
def test_what_the_forward_itself_registers_or_removes_is_said(start: float) -> None:
    def run(net: torch.nn.Module, x: torch.Tensor) -> dict[str, Any]:
        return {"net": net, "x": x, "y": net(x)}

    net, x = Registers(), torch.tensor(start, requires_grad=True)
    with hookviz.watch():
        y = net(x)
    code = as_code(hookviz.record(y, names={"x": x, "y": y}))
    assert "# y.register_hook(...)  # the forward itself registers" in code
    if start > 0:
        assert "# net.inner.register_forward_hook(...)  # the forward itself registers" in code
    else:
        assert "of inner ran in this forward and has been removed since" in code
    before, after = code.split("# run the forward here; the lines below come after it\n")
    again = {"net": Registers(), "x": torch.tensor(start, requires_grad=True), "torch": torch}
    exec(before, again)
    again["y"] = again["net"](again["x"])
    exec(after, again)
    assert again["x"].grad == x.grad == 10.0


def test_a_hook_that_removed_itself_is_said() -> None:
    net = torch.nn.Identity()
    x = torch.tensor(1.0, requires_grad=True)

    def once(module: torch.nn.Module, args: Any, output: torch.Tensor) -> torch.Tensor:
        handle.remove()
        return output * 2

    handle = net.register_forward_hook(once)
    with hookviz.watch():
        y = net(x)
    code = as_code(hookviz.record(y, names={"x": x, "y": y}))
    assert "# hook once of net ran in this forward and has been removed since" in code
