from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz._records import BackwardArguments
from hookviz._view.code.code import as_code


def second_example() -> dict[str, Any]:
    """Return the tensors of the article's second example, without hooks."""
    a, b, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 4.0))
    c = a * b
    return {"a": a, "b": b, "c": c, "d": d, "e": c * d, "torch": torch}


def grads(names: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.grad if value.is_leaf or value.retains_grad else None
        for name, value in names.items()
        if isinstance(value, torch.Tensor)
    }


def c_hook(grad: torch.Tensor) -> torch.Tensor:
    # A comment and an empty line stay.

    return grad + 2


def test_the_lines_give_the_numbers_of_the_explorer() -> None:
    first = second_example()
    explorer = hookviz.explore(first["e"], names={k: first[k] for k in "abcde"})
    explorer.attach("c", c_hook)
    explorer.attach("c", "lambda grad: grad * 3")
    explorer.attach("d", "def plus(grad):\n    return grad + 100")
    explorer.attach("e", "lambda grad: grad * 2")
    off = explorer.attach("a", "lambda grad: grad * 0")
    explorer.disable(off)
    again = second_example()
    exec(as_code(explorer.trace), again)
    assert grads(again) == grads(first)
    assert again["a"].grad == 90.0


def test_retained_tensors_post_accumulate_hooks_and_a_gradient_are_written() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    y.retain_grad()
    x.register_post_accumulate_grad_hook(lambda leaf: (leaf.grad.mul_(10), None)[1])
    gradient = torch.tensor([1.0, float("inf"), 0.5])
    code = as_code(hookviz.record(y, gradient=gradient))
    again: dict[str, Any] = {"torch": torch, "x": torch.ones(3, requires_grad=True)}
    again["y"] = again["x"] * 2
    exec(code, again)
    assert torch.equal(again["x"].grad, x.grad)  # type: ignore[arg-type]
    assert torch.equal(again["y"].grad, gradient)


def test_inputs_are_written() -> None:
    names = second_example()
    trace = hookviz.record(names["e"], inputs=[names["a"]], names={k: names[k] for k in "abcde"})
    again = second_example()
    exec(as_code(trace, BackwardArguments(inputs=(("a",),))), again)
    assert (again["a"].grad, again["b"].grad) == (12.0, None)


class Scale:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def times(self, grad: torch.Tensor) -> torch.Tensor:
        return grad * self.factor

    def __call__(self, grad: torch.Tensor) -> torch.Tensor:
        return grad * self.factor


def times(factor: float, grad: torch.Tensor) -> torch.Tensor:
    return grad * factor


WITHOUT_A_SOURCE_OF_THEIR_OWN = {
    "partial of a built-in": functools.partial(torch.mul, torch.tensor(3.0)),
    "partial": functools.partial(times, 3.0),
    "partial of a lambda": functools.partial(lambda factor, grad: grad * factor, 3.0),
    "method": Scale(3.0).times,
    "object": Scale(3.0),
    "built-in": torch.neg,
}


@pytest.mark.parametrize("kind", WITHOUT_A_SOURCE_OF_THEIR_OWN)
def test_what_cannot_be_written_is_said_in_a_comment_and_the_rest_runs(kind: str) -> None:
    names = second_example()
    names["c"].register_hook(WITHOUT_A_SOURCE_OF_THEIR_OWN[kind])
    names["c"].register_hook(lambda grad: grad + 1)
    code = as_code(hookviz.record(names["e"], names={k: names[k] for k in "abcde"}))
    assert "has no source of its own" in code
    again = second_example()
    exec(code, again)
    assert again["b"].grad == 10.0


@pytest.mark.skipif(
    not internals.can_see_saved(), reason="this PyTorch does not tell about unpack hooks"
)
def test_a_tensor_without_a_name_is_said_in_a_comment() -> None:
    def build() -> torch.Tensor:
        x = torch.tensor(2.0, requires_grad=True)
        y = x * 3
        y.register_hook(lambda grad: grad + 1)
        return y**2

    root = build()
    code = as_code(hookviz.record(root, names={"root": root}))
    assert "has no name" in code
    compile(code, "code", "exec")


class Sum(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return a + b + c


def test_hooks_of_modules_are_written_with_their_flags() -> None:
    net = Sum()
    a, b, c = (torch.tensor(x, requires_grad=True) for x in (1.0, 2.0, 3.0))
    explorer = hookviz.explore(lambda: net(a, b, c=c), names={"a": a, "b": b, "c": c})
    see = "lambda module, args, kwargs: (args, {**kwargs, 'c': kwargs['c'] * 10})"
    explorer.attach(net, see, kind="module_forward_pre_hook", with_kwargs=True)
    explorer.attach(net, "lambda module, args, output: output * 2")
    half = "lambda module, grad_input, grad_output: (grad_input[0] / 2, grad_input[1])"
    explorer.attach(net, half, kind="module_backward_hook")
    code = explorer.as_code()
    given = {name: leaf.grad.item() for name, leaf in zip("abc", (a, b, c), strict=True)}  # type: ignore[union-attr]
    explorer.close()
    before, after = code.split("# run the forward here; the lines below come after it\n")
    a, b, c = (torch.tensor(x, requires_grad=True) for x in (1.0, 2.0, 3.0))
    again: dict[str, Any] = {"torch": torch, "net": Sum(), "a": a, "b": b, "c": c}
    exec(before, again)
    again["result"] = again["net"](a, b, c=c)
    exec(after, again)
    assert {name: again[name].grad.item() for name in "abc"} == given
    assert given == {"a": 1.0, "b": 2.0, "c": 20.0}


def test_a_function_that_fails_at_once_leaves_no_code_and_no_error() -> None:
    def fails() -> torch.Tensor:
        raise ValueError("no")

    explorer = hookviz.explore(fails)
    assert explorer.as_code().strip() == ""
    assert explorer.trace.error is not None
