"""Random modules with random hooks: watched, recorded and run plainly, all three the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.cases.forms import say
from tests.cases.forward_oracle import Scene, compare
from tests.cases.modules import tensors_in

SEEDS = 40


class Piece(nn.Module):
    """A module that does one random thing with its first argument and calls its parts."""

    def __init__(self, dice: random.Random, depth: int) -> None:
        super().__init__()
        self.how = dice.choice(["scale", "matmul", "relu", "in place", "twice", "kwargs", "tuple"])
        self.weight = nn.Parameter(torch.eye(3) * dice.choice([1.0, 2.0, -1.0]))
        count = dice.randrange(3) if depth else 0
        self.parts = nn.ModuleList(Piece(dice, depth - 1) for _ in range(count))
        self.checkpointed = dice.random() < 0.1

    def forward(self, x: Any, *, factor: float = 1.0) -> Any:
        if not isinstance(x, torch.Tensor):
            x = tensors_in(x)[0]
        y = self.work(x) * factor
        for part in self.parts:
            if self.checkpointed:
                y = checkpoint(part, y, use_reentrant=False)
            else:
                y = part(y, factor=2.0) if self.how == "kwargs" else part(y)
            y = tensors_in(y)[0]
        if self.how == "twice" and self.parts:
            y = tensors_in(self.parts[0](y))[0]
        return (y, {"half": y * 0.5}) if self.how == "tuple" else y

    def work(self, x: torch.Tensor) -> torch.Tensor:
        if self.how == "matmul":
            return x @ self.weight
        if self.how == "relu":
            return torch.relu(x + self.weight)
        if self.how == "in place":
            return (x * 1).mul_(3)
        return x * self.weight.sum()


def a_hook(dice: random.Random, kind: str, name: str) -> Callable[..., Any]:
    """Return a hook that says what it is given and does one random thing."""
    act = dice.choice(["nothing", "nothing", "scale", "in place", "remove", "raise", "wrong"])
    if act in ("raise", "wrong") and dice.random() < 0.8:
        act = "scale"
    handles: list[Any] = []

    def hook(module: nn.Module, *args: Any) -> Any:
        given = args[-1] if kind == "register_forward_hook" else args[0]
        found = [t for t in tensors_in(given) if t is not None]
        say(name, act, [tuple(t.shape) for t in found], [t.sum().item() for t in found])
        if act == "remove":
            handles[0].remove()
        elif act == "raise":
            raise ValueError(name)
        elif act == "wrong":
            return (None, None, None, "wrong")
        elif act == "in place":
            for tensor in found[:1]:
                tensor.data.mul_(2)
        elif act == "scale" and found:
            if kind == "register_forward_hook":
                return found[0] * 2
            return tuple(item * 2 if isinstance(item, torch.Tensor) else item for item in given)
        return None

    hook.handles = handles  # type: ignore[attr-defined]
    return hook


KINDS = (
    "register_forward_pre_hook",
    "register_forward_hook",
    "register_full_backward_pre_hook",
    "register_full_backward_hook",
)


def build_from(seed: int) -> Callable[[], Scene]:
    def build() -> Scene:
        dice = random.Random(seed)
        torch.manual_seed(seed)
        model = Piece(dice, depth=3)
        for number, module in enumerate(model.modules()):
            if isinstance(module, Piece) and dice.random() < 0.5:
                for place in range(dice.randrange(1, 3)):
                    kind = dice.choice(KINDS)
                    hook = a_hook(dice, kind, f"{number}.{place}")
                    hook.handles.append(getattr(module, kind)(hook))
        x = torch.randn(3, 3, requires_grad=dice.random() < 0.8)
        mode = dice.choice(["grad", "grad", "grad", "no_grad"])

        def run() -> Any:
            with torch.set_grad_enabled(mode == "grad"):
                result = model(x)
                return sum(tensor.sum() for tensor in tensors_in(result))

        return Scene(run, (model,), (x,))

    return build


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_random_model_does_what_it_does_without_hookviz(seed: int) -> None:
    compare(build_from(seed))
