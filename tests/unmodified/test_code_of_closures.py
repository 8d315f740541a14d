"""What a hook took along from where it was made is in the code of `as_code()`, or it is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._trace import Trace
from hookviz._view.code.code import as_code
from tests.view.test_as_code import grads, second_example

Hook = Callable[[torch.Tensor], Any]

k = 100


def closure() -> list[Hook]:
    k = 5

    def h(g: torch.Tensor) -> torch.Tensor:
        """Say
        something."""
        return g * k

    return [h, lambda g: g + k]


def defaults() -> list[Hook]:
    hooks: list[Hook] = [lambda g, i=i: g * i for i in range(1, 4)]
    step = 7.5

    def h(g: torch.Tensor, name: str = "no", step: float = step, *, more: float = -step) -> Any:
        return g * step if name == "é" else g + more

    return [*hooks, h]


def multi_line_lambda() -> list[Hook]:
    factor = float("inf")
    return [(lambda g: torch.where(g < factor, g * 2, g))]


def named_as_a_tensor() -> list[Hook]:
    def e(g: torch.Tensor) -> torch.Tensor:
        return g * 3

    return [e]


def named_as_a_helper() -> list[Hook]:
    def twice(g: torch.Tensor) -> torch.Tensor:
        return g * 3

    return [twice, lambda g: double(g)]


def double(g: torch.Tensor) -> torch.Tensor:
    return g * 2


WRITTEN = [closure, defaults, multi_line_lambda, named_as_a_tensor, named_as_a_helper]


@pytest.mark.parametrize("make", WRITTEN)
def test_what_a_hook_took_along_is_written(make: Callable[[], list[Hook]]) -> None:
    first, again = second_example(), second_example()
    for hook in make():
        first["c"].register_hook(hook)
    trace = hookviz.record(first["e"], names={name: first[name] for name in "abcde"})
    code = as_code(Trace.from_json(trace.to_json()))
    exec(code, {**again, "k": 100, "i": 100, "step": 100, "double": double, "factor": 0}, again)
    assert grads(again) == grads(first)
    assert code.count("c.register_hook(") == len(make())
    assert "# c.register_hook" not in code


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


def with_a_list() -> Hook:
    def h(g: torch.Tensor, seen: list[float] = [2.0]) -> torch.Tensor:  # noqa: B006
        return g * seen[0]

    return h


def with_a_default() -> Hook:
    def h(g: torch.Tensor, factor: Any = torch.tensor(2.0)) -> torch.Tensor:  # noqa: B008
        return g * factor

    return h


@pytest.mark.parametrize("make", [with_a_tensor, that_counts, with_a_list, with_a_default])
def test_what_is_no_plain_value_is_said(make: Callable[[], Hook]) -> None:
    names = second_example()
    names["c"].register_hook(make())
    names["c"].register_hook(lambda g: g + 1)
    code = as_code(hookviz.record(names["e"], names={name: names[name] for name in "abcde"}))
    again = second_example()
    exec(code, again)
    assert "# c.register_hook(...)  # " in code
    assert "of the function it was written in" in code or "that is no number and no text" in code
    assert again["b"].grad == 10.0


def test_a_typed_hook_keeps_what_the_one_in_its_place_had_seen() -> None:
    names = second_example()
    names["c"].register_hook(closure()[0])
    explorer = hookviz.explore(names["e"], names={name: names[name] for name in "abcde"})
    explorer.edit("h0", "lambda g: g * k + 1")
    again = second_example()
    exec(explorer.as_code(), {**again, "k": 100}, again)
    assert again["b"].grad == names["b"].grad == 42.0


def test_a_typed_hook_that_is_named_as_a_tensor_leaves_the_tensor() -> None:
    names = second_example()
    explorer = hookviz.explore(names["e"], names={name: names[name] for name in "abcde"})
    explorer.attach("c", "def e(g):\n    return g * 2")
    again = second_example()
    exec(explorer.as_code(), again)
    assert grads(again) == grads(names)


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
