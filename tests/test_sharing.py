"""Save what an explorer shows. In a browser: tests/browser/test_saved_page.py."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import torch

import hookviz
from hookviz.errors import HookvizError
from hookviz.explorer import Explorer
from tests.live.scripts import second_example
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


def test_a_saved_page_keeps_the_pass_without_hooks(explorer: Explorer, tmp_path: Path) -> None:
    grads = dict(explorer.trace.grads)
    explorer.save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    assert [choice["id"] for choice in state["comparisons"]] == ["hooks"]
    answer = state["answers"]["compare:hooks"]
    assert answer["comparison"]["changed"]
    steps = state["step_lists"][answer["steps"]]
    ghosts = {
        str(value) for step in steps for _, field, value in step["patches"] if field == "ghost"
    }
    assert any("'12'" in ghost for ghost in ghosts)
    assert state["answers"]["compare:"]["comparison"] is None
    assert dict(explorer.trace.grads) == grads


def test_without_hooks_there_is_nothing_to_compare(tmp_path: Path) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    hookviz.explore(a * 3).save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    assert state.get("comparisons", []) == []
    assert "answers" not in state


def test_a_saved_page_opens_its_boxes(tmp_path: Path) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    out = a
    for _ in range(40):
        out = out * 2
    explorer = hookviz.explore(out, names={"a": a, "out": out})
    explorer.save_html(tmp_path / "pass.html")
    state = saved_state(tmp_path / "pass.html")
    box = next(name for name in state["answers"] if name.startswith("expand:"))
    opened = state["answers"][box]
    assert opened["picture"] != state["picture"]
    assert len(opened["stops"]) > len(state["stops"])


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
