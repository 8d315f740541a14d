"""Save what an explorer shows. In a browser: tests/browser/page/test_saved_page.py."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import torch

import hookviz
from hookviz._widget.explorer import Explorer
from hookviz.errors import HookvizError
from tests.live.scripts import second_example
from tests.nets import NETS
from tests.test_saved_page import read, state_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def explorer() -> Explorer:
    tensors = second_example()
    return hookviz.explore(tensors["e"], names=tensors)


def saved_state(path: Path) -> dict[str, Any]:
    (state,) = state_of(read(path))["explorers"]
    return dict(state)


def texts(frame: ET.Element, field: str) -> set[str]:
    return {
        "".join(text.itertext())
        for text in frame.iter()
        if text.get("data-hv-field") == field and "".join(text.itertext())
    }


def ghosts_in(state: dict[str, Any], name: str) -> dict[str, str]:
    """Return what a page says that another pass has, by tensor, where both have reached."""
    labels = {tensor["id"]: tensor["label"] for tensor in state["tensors"]}
    return {
        labels[key]: value["args"]["gradient"]
        for _, patches, _ in state["kept"]["passes"][name]["steps"]
        for key, field, value in patches
        if field == "ghost" and value
    }


def plain_grads(off: str, hooks: dict[str, list[Any]]) -> dict[str, str]:
    """Return what plain PyTorch has after all hooks of each tensor, without those of one."""
    tensors = {
        name: tensor.detach().requires_grad_()
        for name, tensor in second_example().items()
        if name in "abd"
    }
    tensors["c"] = tensors["a"] * tensors["b"]
    tensors["e"] = tensors["c"] * tensors["d"]
    for name in "ce":
        tensors[name].retain_grad()
    for name, functions in hooks.items():
        for function in functions if name != off else ():
            tensors[name].register_hook(function)
    tensors["e"].backward()
    return {name: f"{tensor.grad.item():g}" for name, tensor in tensors.items()}  # type: ignore[union-attr]


HOOKS: dict[str, list[Any]] = {
    "e": [lambda grad: grad * 2],
    "d": [lambda grad: grad + 100],
    "a": [lambda grad: grad - 1],
}


def test_a_saved_page_keeps_the_pass_without_each_hook(tmp_path: Path) -> None:
    tensors = second_example()
    for tensor in tensors.values():
        if tensor._backward_hooks:
            tensor._backward_hooks.clear()
    for name, functions in HOOKS.items():
        for function in functions:
            tensors[name].register_hook(function)
    explorer = hookviz.explore(tensors["e"], names=tensors)
    before = explorer.trace
    grads = {name: tensor.grad for name, tensor in tensors.items()}
    explorer.save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    ids = {name: explorer.hooks(name)[0].id for name in HOOKS}
    assert [choice["id"] for choice in state["comparisons"]] == [
        "hooks",
        *(hook.id for tensor in explorer.trace.graph.tensors for hook in tensor.hooks),
    ]
    for name, hook in ids.items():
        assert ghosts_in(state, hook) == plain_grads(name, HOOKS), name
        assert state["kept"]["passes"][hook]["comparison"]["against"] == hook
    assert ghosts_in(state, "hooks") == plain_grads("", {})
    # Saving has changed nothing, and nothing is compared at first.
    assert explorer.trace is before
    assert explorer.comparison is state["comparison"] is None
    for name, tensor in tensors.items():
        assert tensor.grad is grads[name]


def test_a_saved_page_keeps_the_pass_before_the_last_edit(
    explorer: Explorer, tmp_path: Path
) -> None:
    before = {name: explorer.trace.of(name)[-1].after for name in "abd"}
    explorer.edit(explorer.hooks("e")[0], "lambda grad: grad * 5")
    explorer.save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    assert state["comparisons"][-1]["id"] == "edit"
    ghosts = ghosts_in(state, "edit")
    assert {name: ghosts[name] for name in "abd"} == {
        name: f"{value.item():g}"
        for name, value in before.items()  # type: ignore[union-attr]
    }
    assert ghosts["e"] == "2"


def test_many_hooks_are_not_all_left_out_and_the_page_says_which(tmp_path: Path) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    for number in range(10):
        a.register_hook(named_hook(number))
    explorer = hookviz.explore(a * 3)
    explorer.save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    assert len(state["comparisons"]) == len(state["kept"]["passes"]) == 9
    said = " ".join(read(tmp_path / "pass.html").texts)
    assert "Not compared here: without hook_8; without hook_9." in said
    assert "only the passes without each of the first 8 hooks" in said
    assert "without hook_7" not in said


def named_hook(number: int) -> Any:
    def hook(grad: torch.Tensor) -> torch.Tensor:
        return grad + number

    hook.__name__ = f"hook_{number}"
    return hook


def test_saving_leaves_random_numbers_buffers_and_grads_as_they_were(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout())
    x = torch.randn(4, 2)
    net[0].register_forward_hook(lambda module, args, output: output + torch.rand(3))
    net[0].weight.register_hook(lambda grad: grad * torch.rand(()))
    explorer = hookviz.explore(lambda: net(x).sum())
    kept = {name: value.clone() for name, value in net.state_dict().items()}
    grads = {name: parameter.grad for name, parameter in net.named_parameters()}
    numbers = {name: grad.clone() for name, grad in grads.items() if grad is not None}
    random = torch.get_rng_state()
    hooks = [list(module._forward_hooks.values()) for module in net.modules()]
    explorer.save_html(tmp_path / "pass.html")
    assert len(saved_state(tmp_path / "pass.html")["kept"]["passes"]) == 3
    assert torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(value, kept[name]) for name, value in net.state_dict().items())
    for name, parameter in net.named_parameters():
        assert parameter.grad is grads[name]
        assert torch.equal(parameter.grad, numbers[name])  # type: ignore[arg-type]
    assert [list(module._forward_hooks.values()) for module in net.modules()] == hooks


def test_hooks_that_draw_random_numbers_leave_the_generator_as_it_was(tmp_path: Path) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    for _ in range(2):
        a.register_hook(lambda grad: grad * torch.rand(()))
    explorer = hookviz.explore(a * 3)
    random = torch.get_rng_state()
    explorer.save_html(tmp_path / "pass.html")
    assert torch.equal(torch.get_rng_state(), random)
    explorer.compare(explorer.hooks("a")[0])
    assert torch.equal(torch.get_rng_state(), random)


def test_where_a_pass_cannot_be_run_again_the_page_says_so(tmp_path: Path) -> None:
    w, x = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    h = w * x
    h.register_hook(lambda grad: grad * 2)
    explorer = hookviz.explore(h * 1, names={"w": w, "x": x, "h": h})
    with torch.no_grad():
        w -= 1
    explorer.save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    assert state["comparisons"] == []
    said = [text for text in read(tmp_path / "pass.html").texts if "Not compared here" in text]
    assert len(said) == 1
    assert "without hooks; without λ" in said[0] or "without hooks; without lambda" in said[0]
    assert "could not be run to its end" in said[0]
    explorer.close()
    explorer.save_html(tmp_path / "closed.html")
    assert "closed" in " ".join(read(tmp_path / "closed.html").texts)


def test_a_recording_compares_with_nothing_and_says_why(tmp_path: Path) -> None:
    tensors = second_example()
    hookviz.record(tensors["e"], names=tensors).save_html(tmp_path / "pass.html")
    texts = read(tmp_path / "pass.html").texts
    assert any("recorded once and cannot be run again" in text for text in texts)
    a = torch.tensor(2.0, requires_grad=True)
    hookviz.record(a * 3).save_html(tmp_path / "plain.html")
    texts = read(tmp_path / "plain.html").texts
    assert not any("cannot be run again" in text for text in texts)


def test_a_forward_alone_can_be_saved_though_it_cannot_run_again(tmp_path: Path) -> None:
    net = torch.nn.Linear(2, 2)
    net.register_forward_hook(lambda module, args, output: output * 2)
    with torch.no_grad(), hookviz.watch(net) as forward:
        net(torch.ones(1, 2))
    forward.explore().save_html(tmp_path / "pass.html")
    (choice,) = saved_state(tmp_path / "pass.html")["comparisons"]
    assert choice["absent"]
    assert choice["text"]["key"] == "compare.absent"


def test_without_hooks_there_is_nothing_to_compare(tmp_path: Path) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    hookviz.explore(a * 3).save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    assert state["comparisons"] == []
    assert "kept" not in state


def test_a_page_stays_small_whatever_it_keeps(tmp_path: Path) -> None:
    explorer = hookviz.explore(NETS["LeNet"]())
    explorer.save_html(tmp_path / "pass.html")
    kept = saved_state(tmp_path / "pass.html")["kept"]
    assert len(kept["passes"]) == 5
    assert len(json.dumps(kept)) < 2_000_000
    # Steps are kept once, and pictures with room for another pass once for all passes.
    assert set(kept["pictures"]) == {"plain", "compared"}
    for other in kept["passes"].values():
        assert len(json.dumps(other["steps"])) < len(json.dumps(explorer.steps)) / 2


def test_a_saved_page_opens_its_boxes(tmp_path: Path) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    out = a
    for _ in range(40):
        out = out * 2
    explorer = hookviz.explore(out, names={"a": a, "out": out})
    explorer.save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    kept = state["kept"]
    start, *others = kept["pictures"]["plain"]
    assert start == " ".join(explorer.expanded)
    assert " ".join(kept["all"]) in others
    assert len(kept["stops"]) > len(state["stops"])


@pytest.mark.parametrize(("step", "shown"), [(0, set()), (7, {"8", "12", "1"})])
def test_any_step_is_saved_as_a_picture(
    explorer: Explorer, tmp_path: Path, step: int, shown: set[str]
) -> None:
    explorer.save_svg(tmp_path / "step.svg", step=step)
    picture = ET.fromstring((tmp_path / "step.svg").read_text(encoding="utf-8"))
    assert texts(picture, "incoming") == shown


def test_the_current_step_is_saved_if_none_is_named(explorer: Explorer, tmp_path: Path) -> None:
    explorer.last()
    explorer.save_svg(tmp_path / "one.svg")
    explorer.save_svg(tmp_path / "two.svg", step=12)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_an_animation_holds_one_picture_per_stop(explorer: Explorer, tmp_path: Path) -> None:
    explorer.save_animation(tmp_path / "pass.svg", seconds=2)
    text = (tmp_path / "pass.svg").read_text(encoding="utf-8")
    film = ET.fromstring(text)
    frames = [g for g in film if g.tag == f"{SVG}g"]
    assert len(frames) == len(explorer.stops) == 13
    assert [frame.get("style") for frame in frames][:2] == [
        "animation-delay:0s",
        "animation-delay:2s",
    ]
    assert texts(frames[0], "incoming") == set()
    assert texts(frames[-1], "incoming") == {"1", "8", "12", "30", "20"}
    assert "animation:hv-film 26s" in text
    assert "prefers-reduced-motion" in text
    assert text.count("<style>") == 2


def test_what_cannot_be_saved_is_said(explorer: Explorer, tmp_path: Path) -> None:
    with pytest.raises(HookvizError, match="steps 0 to 12"):
        explorer.save_svg(tmp_path / "x.svg", step=99)
    with pytest.raises(HookvizError, match="seconds=0"):
        explorer.save_animation(tmp_path / "x.svg", seconds=0)
    for save in (explorer.save_html, explorer.save_svg, explorer.save_animation):
        with pytest.raises(HookvizError):
            save(tmp_path / "no such folder" / "x")
    assert list(tmp_path.iterdir()) == []


def test_the_code_of_the_hooks_follows_every_edit(explorer: Explorer) -> None:
    explorer.edit(explorer.hooks("e")[0], "lambda grad: grad * 7")
    assert "e.register_hook(lambda grad: grad * 7)" in explorer.as_code()
    assert explorer.hooks_code == explorer.as_code()


def test_a_name_that_no_file_can_have_is_refused(explorer: Explorer, tmp_path: Path) -> None:
    for save in (explorer.save_html, explorer.save_svg, explorer.save_animation):
        with pytest.raises(HookvizError, match=r"File name too long\. Choose another"):
            save(tmp_path / ("x" * 300 + ".html"))
