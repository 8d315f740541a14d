"""A session of a tensor whose forward was watched: only backward hooks of modules change."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

import hookviz
from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.session import Session
from hookviz.errors import HookRunError, HookvizError
from tests.live.forward.test_watch_leaves_nothing import state_of


class Double(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


KINDS = {
    "module_backward_hook": "register_full_backward_hook",
    "module_backward_pre_hook": "register_full_backward_pre_hook",
}


def opened(kind: str, *, watched: bool = True) -> tuple[Session, nn.Module, torch.Tensor]:
    layer, x = Double(), torch.ones(2, requires_grad=True)
    getattr(layer, KINDS[kind])(lambda module, *grads: (grads[0][0] * 3,))
    layer.register_forward_hook(lambda module, args, output: None)
    if watched:
        with hookviz.watch(layer):
            loss = layer(x).sum()
    else:
        loss = layer(x).sum()
    session = Session(loss, BackwardOptions(), names={"x": x}, echo=False)
    return session, layer, x


def hook(session: Session, kind: str) -> Any:
    (found,) = [h for m in session.trace.graph.modules for h in m.hooks if h.kind == kind]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_backward_hook_is_edited_and_turned_off_without_a_new_forward(kind: Any) -> None:
    session, layer, x = opened(kind)
    before = state_of(layer)
    one = hook(session, kind)
    assert x.grad is not None
    assert x.grad.tolist() == [6, 6]
    session.edit(one, "lambda module, *grads: (grads[0][0] * 5,)")
    assert x.grad.tolist() == [10, 10]
    (event,) = [e for e in session.trace.events if e.kind == kind]
    assert event.hook == hook(session, kind)
    assert event.hook.source == "lambda module, *grads: (grads[0][0] * 5,)"
    session.disable(one)
    assert x.grad.tolist() == [2, 2]
    assert not any(e.kind == kind for e in session.trace.events)
    session.enable(one)
    assert x.grad.tolist() == [10, 10]
    assert session.without().grads["x"].tolist() == [2, 2]  # type: ignore[union-attr]
    with pytest.raises(HookRunError):
        session.edit(one, lambda module, *grads: 1 / 0)
    assert x.grad.tolist() == [10, 10]
    session.close()
    assert state_of(layer) == before


@pytest.mark.parametrize("kind", KINDS)
def test_after_close_the_graph_runs_the_users_own_hook_again(kind: Any) -> None:
    layer, x = Double(), torch.ones(2, requires_grad=True)
    getattr(layer, KINDS[kind])(lambda module, *grads: (grads[0][0] * 3,))
    with hookviz.watch(layer):
        loss = layer(x).sum()
    for factor in (5, 7):
        session = Session(loss, BackwardOptions(), names={"x": x}, echo=False)
        session.edit(hook(session, kind), f"lambda module, *grads: (grads[0][0] * {factor},)")
        assert x.grad.tolist() == [2 * factor] * 2
        session.close()
        x.grad = None
        loss.backward(retain_graph=True)
        assert x.grad.tolist() == [6, 6]
        x.grad = None


def test_everything_else_of_modules_asks_for_a_function() -> None:
    kind = "module_backward_hook"
    session, layer, _ = opened(kind)
    forward_hook = hook(session, "module_forward_hook")
    before, trace = state_of(layer), session.trace
    for action in (
        lambda: session.attach(layer, lambda *_: None),
        lambda: session.attach("layer", lambda *_: None, kind="module_forward_pre_hook"),
        lambda: session.attach(layer, lambda *_: None, kind=kind),
        lambda: session.edit(forward_hook, lambda *_: None),
        lambda: session.disable(forward_hook),
        lambda: session.remove(hook(session, kind)),
        lambda: session.move(hook(session, kind), 0),
    ):
        with pytest.raises(HookvizError, match=r"explore\(lambda"):
            action()
    assert state_of(layer) == before
    assert session.trace is trace
    assert session.module_kinds == ()


def test_a_hook_that_was_registered_after_the_forward_is_no_part_of_the_graph() -> None:
    layer, x = Double(), torch.ones(2, requires_grad=True)
    layer.register_full_backward_hook(lambda module, *grads: None)
    with hookviz.watch(layer):
        loss = layer(x).sum()
    layer.register_full_backward_hook(lambda module, *grads: (grads[0][0] * 3,))
    session = Session(loss, BackwardOptions(), names={"x": x}, echo=False)
    (module,) = session.trace.graph.modules
    assert len(module.hooks) == 2
    session.disable(module.hooks[0])
    with pytest.raises(HookvizError, match=r"explore\(lambda"):
        session.disable(module.hooks[1])


def test_a_forward_that_was_not_watched_has_no_modules() -> None:
    session, _, x = opened("module_backward_hook", watched=False)
    assert session.trace.graph.modules == ()
    assert x.grad is not None
    assert x.grad.tolist() == [6, 6]


def test_a_forward_alone_is_explored_and_its_hooks_stay_as_they_are() -> None:
    layer = Double()
    layer.register_forward_hook(lambda module, args, output: output + 1)
    with hookviz.watch(layer) as forward:
        out = layer(torch.ones(2, requires_grad=True))
    explorer = forward.explore()
    assert [e.kind for e in explorer.trace.events] == ["module_forward", "module_forward_hook"]
    with pytest.raises(HookvizError, match=r"explore\(lambda"):
        explorer.run()
    explorer.close()
    assert out.requires_grad
    with hookviz.watch() as nothing:
        pass
    with pytest.raises(HookvizError, match="nothing to show"):
        nothing.explore()
