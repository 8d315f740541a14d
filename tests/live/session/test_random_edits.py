"""Random changes of hooks in a session of a function: after each, all is as in plain PyTorch."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import nn

from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.session import Session
from hookviz.errors import HookRunError
from tests.cases.facts import bits
from tests.live.forward.test_watch_leaves_nothing import state_of

SEEDS = 8
CHANGES = 8

REGISTER = {
    "module_forward_pre_hook": "register_forward_pre_hook",
    "module_forward_hook": "register_forward_hook",
    "module_backward_pre_hook": "register_full_backward_pre_hook",
    "module_backward_hook": "register_full_backward_hook",
}


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Linear(3, 3), nn.Linear(3, 3)
        self.norm, self.drop = nn.BatchNorm1d(3), nn.Dropout(0.3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.tanh(self.norm(self.one(x)))
        h.register_hook(halve)
        h.register_hook(add_one)
        return self.drop(self.two(self.one(h)))


def halve(grad: torch.Tensor) -> torch.Tensor:
    return grad / 2


def add_one(grad: torch.Tensor) -> torch.Tensor:
    return grad + 1


@dataclass
class Expected:
    """One hook as it is expected to stand."""

    id: str
    text: str
    on: bool = True


Chains = dict[tuple[str, str], list[Expected]]
"""By what it stands on (a module, `x`, or `h`) and kind."""


def text_for(dice: random.Random, kind: str) -> str:
    factor = dice.choice([2, 3, -1, 0.5])
    if dice.random() < 0.15:
        return "lambda *args: None"
    return {
        "tensor_hook": f"lambda grad: grad * {factor}",
        "module_forward_pre_hook": f"lambda module, args: (args[0] * {factor},)",
        "module_forward_hook": f"lambda module, args, output: output * {factor}",
        "module_backward_pre_hook": f"lambda module, grads: (grads[0] * {factor},)",
        "module_backward_hook": f"lambda module, grads, _: (grads[0] * {factor},)",
    }[kind]


def fresh() -> tuple[Net, torch.Tensor]:
    torch.manual_seed(1)
    return Net(), torch.randn(4, 3, requires_grad=True)


def outcome(net: Net, x: torch.Tensor) -> Any:
    tensors = [x.grad, *(p.grad for p in net.parameters()), *net.buffers()]
    return [bits(tensor) for tensor in tensors]


def plain(chains: Chains) -> Any:
    net, x = fresh()
    modules = dict(net.named_modules())
    names = {"halve": halve, "add_one": add_one}
    for (place, kind), hooks in chains.items():
        for hook in hooks:
            if hook.on and kind != "tensor_hook":
                getattr(modules[place], REGISTER[kind])(eval(hook.text))
            elif hook.on and place == "x":
                x.register_hook(eval(hook.text))
    of_h = [names.get(h.text) or eval(h.text) for h in chains["h", "tensor_hook"] if h.on]

    def forward(x: torch.Tensor) -> torch.Tensor:
        h = torch.tanh(net.norm(net.one(x)))
        for hook in of_h:
            h.register_hook(hook)
        return net.drop(net.two(net.one(h)))

    net.forward = forward  # type: ignore[method-assign]
    torch.manual_seed(2)
    net(x).sum().backward()
    return outcome(net, x)


def change(dice: random.Random, session: Session, chains: Chains) -> None:
    """Make one random change in a session, and the same in what is expected."""
    places = [("x", "tensor_hook"), ("h", "tensor_hook")]
    places += [(name, kind) for name in ("one", "two", "drop") for kind in REGISTER]
    place, kind = dice.choice(places)
    hooks = chains.setdefault((place, kind), [])
    act = dice.choice(["attach", "edit", "switch", "move", "remove"]) if hooks else "attach"
    chosen = dice.choice(hooks) if hooks else None
    target = {"h": "h (Net.forward)"}.get(place, place)
    if act == "attach" or chosen is None:
        text = text_for(dice, kind)
        hooks.append(Expected(session.attach(target, text, kind=kind), text))  # type: ignore[arg-type]
    elif act == "edit":
        chosen.text = text_for(dice, kind)
        session.edit(chosen.id, chosen.text)
    elif act == "switch":
        (session.disable if chosen.on else session.enable)(chosen.id)
        chosen.on = not chosen.on
    elif act == "move":
        position = dice.randrange(len(hooks))
        hooks.remove(chosen)
        hooks.insert(position, chosen)
        session.move(chosen.id, position)
    else:
        hooks.remove(chosen)
        session.remove(chosen.id)


def bad(*_: Any) -> Any:
    raise ValueError("bad")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_after_each_random_change_all_is_as_in_plain_pytorch(seed: int) -> None:
    dice = random.Random(seed)
    net, x = fresh()
    torch.manual_seed(2)
    session = Session(lambda: net(x).sum(), BackwardOptions(), namespaces=[{"x": x}], echo=False)
    before = state_of(net)
    (h,) = [t for t in session.trace.graph.tensors if t.label == "h (Net.forward)"]
    chains: Chains = {
        ("h", "tensor_hook"): [
            Expected(h.hooks[0].id, "halve"),
            Expected(h.hooks[1].id, "add_one"),
        ]
    }
    assert outcome(net, x) == plain(chains)
    for _ in range(CHANGES):
        change(dice, session, chains)
        assert session.dropped == ()
        expected = plain(chains)
        assert outcome(net, x) == expected
        check_listed(session, chains)
        if dice.random() < 0.2:
            with pytest.raises(HookRunError):
                session.attach(dice.choice(["one", "drop"]), bad)
            assert outcome(net, x) == expected
        if dice.random() < 0.2:
            session.without()
            assert outcome(net, x) == expected
        if dice.random() < 0.2:
            torch.manual_seed(77)
            session.run()
            assert outcome(net, x) == expected
    session.close()
    assert state_of(net) == before
    assert not x._backward_hooks


def check_listed(session: Session, chains: Chains) -> None:
    """Check that what the trace lists is what stands there, in order."""
    graph = session.trace.graph
    for (place, kind), hooks in chains.items():
        expected = [(hook.id, hook.on) for hook in hooks]
        if kind == "tensor_hook":
            tensor = graph.find({"h": "h (Net.forward)"}.get(place, place))
            assert tensor is not None
            found = tensor.hooks
        else:
            (module,) = [m for m in graph.modules if m.name == place]
            found = tuple(hook for hook in module.hooks if hook.kind == kind)
        assert [(hook.id, hook.enabled) for hook in found] == expected
