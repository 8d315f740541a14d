"""Compare passes from Python, without a browser; plain PyTorch is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hookviz
from hookviz._view.compare.choices import choices
from hookviz._view.text.message import render
from hookviz._widget.explorer import Explorer
from hookviz.errors import HookvizError, UnknownTargetError
from tests.live.scripts import second_example


@pytest.fixture
def tensors() -> dict[str, torch.Tensor]:
    return second_example()


@pytest.fixture
def explorer(tensors: dict[str, torch.Tensor]) -> Explorer:
    return hookviz.explore(tensors["e"], names=tensors)


def ghosts(explorer: Explorer) -> dict[str, str]:
    """Return what the last step shows beside each gradient."""
    labels = {tensor.id: tensor.label for tensor in explorer.trace.graph.tensors}
    return {
        labels[key]: render(value, "en").split(": ")[-1]
        for step in explorer._stepper.steps
        for key, field, value in step.patches
        if field == "ghost" and value
    }


def plain_grads() -> dict[str, float]:
    tensors = second_example()
    for tensor in tensors.values():
        if tensor._backward_hooks:
            tensor._backward_hooks.clear()
    for name in "abcde":
        if not tensors[name].is_leaf:
            tensors[name].retain_grad()
    tensors["e"].backward()
    return {name: tensors[name].grad.item() for name in "abcde"}  # type: ignore[union-attr]


def test_the_baseline_is_a_real_pass_without_hooks(
    explorer: Explorer, tensors: dict[str, torch.Tensor]
) -> None:
    before = {name: tensors[name].grad for name in "abcde"}
    baseline = explorer.baseline
    assert {name: baseline.grad(name).item() for name in "abcde"} == plain_grads()  # type: ignore[union-attr]
    assert not [event for event in baseline.events if event.hook is not None]
    for name in "abcde":
        assert torch.equal(tensors[name].grad, before[name])  # type: ignore[arg-type]
    assert [hook.enabled for hook in explorer.hooks("c")] == [True, True]


def test_every_ghost_is_what_plain_pytorch_gives_without_hooks(explorer: Explorer) -> None:
    explorer.compare()
    assert {name: float(text) for name, text in ghosts(explorer).items()} == plain_grads()
    assert explorer.comparison["against"] == "hooks"
    explorer.compare(None)
    assert ghosts(explorer) == {}
    assert explorer.comparison is None


def test_one_hook_can_be_left_out(explorer: Explorer) -> None:
    explorer.compare(explorer.hooks("d")[0])
    labels = {tensor.id: tensor.label for tensor in explorer.trace.graph.tensors}
    assert {labels[key] for key in explorer.comparison["changed"] if key in labels} == {"d"}
    assert ghosts(explorer)["d"] == "12"


def test_before_and_after_an_edit(explorer: Explorer) -> None:
    with pytest.raises(HookvizError, match="no hook was changed yet"):
        explorer.compare("edit")
    explorer.edit(explorer.hooks("e")[0], "lambda grad: grad * 5")
    explorer.compare("edit")
    assert ghosts(explorer)["e"] == "2"
    assert ghosts(explorer)["a"] == "30"


def test_running_again_is_no_change_to_compare_with(
    explorer: Explorer, tensors: dict[str, torch.Tensor]
) -> None:
    explorer.run()
    with pytest.raises(HookvizError, match="no hook was changed yet"):
        explorer.compare("edit")
    explorer.edit(explorer.hooks("e")[0], "lambda grad: grad * 5")
    explorer.run()
    explorer.compare("edit")
    explorer.run()
    assert ghosts(explorer)["e"] == "2"
    tensors["d"].register_hook(lambda grad: grad * 0)
    explorer.run()
    assert ghosts(explorer)["e"] == "the same"
    assert float(ghosts(explorer)["d"]) != 0  # somebody else's change counts too


def test_where_no_hook_is_on_there_is_nothing_to_compare_with(explorer: Explorer) -> None:
    for name in "cde":
        for hook in explorer.hooks(name):
            explorer.disable(hook)
    with pytest.raises(HookvizError, match=r"^no hook is on, so there is nothing to compare with"):
        explorer.compare()
    with pytest.raises(HookvizError, match="is turned off"):
        explorer.compare(explorer.hooks("c")[0])


@pytest.mark.parametrize("against", [[], {}, 0, False, ["h0"]])
def test_what_is_no_hook_does_not_end_the_comparison(explorer: Explorer, against: object) -> None:
    explorer.compare()
    with pytest.raises(UnknownTargetError, match="To compare, give the id of a hook"):
        explorer.compare(against)  # type: ignore[arg-type]
    assert explorer.comparison is not None


def test_a_comparison_goes_on_over_an_edit(explorer: Explorer) -> None:
    explorer.compare()
    explorer.edit(explorer.hooks("e")[0], "lambda grad: grad * 5")
    assert {name: float(text) for name, text in ghosts(explorer).items()} == plain_grads()
    explorer.compare(explorer.hooks("d")[0])
    explorer.remove(explorer.hooks("d")[0])
    assert explorer.comparison is None


def test_the_choices_follow_the_hooks(explorer: Explorer) -> None:
    assert explorer.comparisons[0]["id"] == "hooks"
    for name in "cde":
        for hook in explorer.hooks(name):
            explorer.disable(hook)
    assert [choice["id"] for choice in explorer.comparisons] == ["edit"]


def test_an_unknown_hook_is_refused_and_the_page_stays(explorer: Explorer) -> None:
    steps = explorer.steps
    with pytest.raises(UnknownTargetError, match='"hooks" for a pass without any'):
        explorer.compare("h99")
    assert explorer.steps == steps
    assert explorer.comparison is None


def test_the_step_stays_where_it_was(explorer: Explorer) -> None:
    explorer.goto(7)
    explorer.compare()
    assert explorer.step == 7
    assert "without hooks, it is 4" in explorer.caption


def test_a_pass_that_cannot_be_run_again_is_not_compared_and_still_saved(tmp_path: Path) -> None:
    w, x = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    h = w * x
    h.register_hook(lambda grad: grad * 2)
    explorer = hookviz.explore(h * 1, names={"w": w, "x": x, "h": h})
    with torch.no_grad():
        w -= 1
    with pytest.raises(HookvizError, match="could not be run to its end"):
        explorer.compare()
    assert explorer.comparison is None
    explorer.save_html(tmp_path / "pass.html")
    assert '"comparisons":[]' in (tmp_path / "pass.html").read_text(encoding="utf-8")


def watched() -> tuple[torch.nn.Linear, torch.Tensor, hookviz.Forward]:
    model = torch.nn.Linear(2, 1)
    model.register_forward_hook(lambda module, args, output: output * 2)
    model.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    with hookviz.watch(model) as forward:
        loss = model(torch.ones(1, 2, requires_grad=True)).sum()
    return model, loss, forward


def test_a_forward_alone_offers_no_comparison_and_says_why(tmp_path: Path) -> None:
    model, _, forward = watched()
    explorer = forward.explore()
    assert [(choice["id"], choice.get("absent")) for choice in explorer.comparisons] == [
        ("absent", True)
    ]
    assert explorer.comparisons[0]["text"]["key"] == "compare.absent"
    with pytest.raises(HookvizError, match=r"hookviz\.explore"):
        explorer.compare()
    assert [tensor["hookable"] for tensor in explorer.tensors] == [False] * len(explorer.tensors)
    # It has a hook and no pass without it, and a page of it can be saved all the same.
    explorer.save_html(tmp_path / "forward.html")
    assert model._forward_hooks


def test_a_forward_without_hooks_has_nothing_to_explain() -> None:
    model = torch.nn.Linear(2, 1)
    with hookviz.watch(model) as forward:
        model(torch.ones(1, 2))
    assert forward.explore().comparisons == []


def test_a_forward_hook_is_left_out_only_where_the_forward_can_run_again() -> None:
    _, loss, _ = watched()
    explorer = hookviz.explore(loss)
    kinds = {hook.id: hook.kind for hook in explorer.trace.graph.modules[0].hooks}
    forward_hook = next(name for name, kind in kinds.items() if kind == "module_forward_hook")
    offered = [choice["id"] for choice in explorer.comparisons]
    backward_hook = next(name for name in kinds if name != forward_hook)
    assert offered == ["hooks", backward_hook, "absent"]
    # A pass without it would show no difference at all, though the hook doubles every gradient.
    with pytest.raises(HookvizError, match="forward to be run again"):
        explorer.compare(forward_hook)
    assert explorer.comparison is None

    model = torch.nn.Linear(2, 1)
    model.register_forward_hook(lambda module, args, output: output * 2)
    x = torch.ones(1, 2, requires_grad=True)
    again = hookviz.explore(lambda: model(x).sum())
    assert [choice["id"] for choice in again.comparisons] == ["hooks", "h0"]
    again.compare("h0")
    grad = again.baseline.grad("x")
    assert grad is not None
    assert grad.tolist() == model.weight.tolist()
    assert x.grad is not None
    assert torch.equal(x.grad, 2 * model.weight)


def test_two_hooks_with_the_same_source_can_be_told_apart() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    explorer = hookviz.explore(y * 4, names={"x": x, "y": y})
    for target in (x, y, y):
        explorer.attach(target, "lambda grad: grad * 2")
    explorer.attach(x, "lambda grad: grad + 1")
    texts = [render(one.text, "en") for one in choices(explorer.trace.graph, has_edit=True)]
    assert len(explorer.comparisons) == len(texts)
    assert texts == [
        "without hooks",
        "without hook 1 of y: lambda grad: grad * 2",
        "without hook 2 of y: lambda grad: grad * 2",
        "without hook 1 of x: lambda grad: grad * 2",
        "without lambda grad: grad + 1",
        "before the last change",
    ]
    explorer.close()
