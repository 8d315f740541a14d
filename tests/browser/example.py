"""Make the article's second example, and an explorer of it that shows an error."""

from __future__ import annotations

import contextlib

import torch

import hookviz
from hookviz._widget.explorer import Explorer


def second_example() -> Explorer:
    """Return an explorer of e = c * d, with hooks of every sort that one has at first."""

    def c_hook(grad):
        print("c_hook", grad)  # noqa: T201
        return grad + 2

    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a * b
    c.register_hook(c_hook)
    c.register_hook(lambda grad: print("hello my grad is", grad))  # noqa: T201
    c.retain_grad()
    d = torch.tensor(4.0, requires_grad=True)
    d.register_hook(lambda grad: grad + 100)
    e = c * d
    e.register_hook(lambda grad: grad * 2)
    e.retain_grad()
    return hookviz.explore(e)


def small_network() -> Explorer:
    """Return an explorer of two layers in boxes, with a hook on one of them."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 4),
        torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(4, 2)),
    )
    model[0].register_forward_hook(lambda module, args, output: output * 2)
    with hookviz.watch(model):
        loss = model(torch.ones(1, 3)).sum()
    return hookviz.explore(loss)


def refuse(explorer: Explorer, target: str, source: str) -> None:
    """Have the explorer show why a hook is refused."""
    with contextlib.suppress(hookviz.HookvizError):
        explorer.attach(target, source)
    assert explorer.notice is not None
