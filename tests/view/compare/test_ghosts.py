from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
import torch

import hookviz
from hookviz._view.compare.compare import Comparison, compare
from hookviz._view.compare.ghosts import with_ghosts
from hookviz._view.steps.steps import Step, build_steps, frame_at
from hookviz._view.svg.picture import picture_svg
from hookviz._view.text.message import Message, render
from tests.view.compare.test_comparison import example

AGAINST = Message("compare.baseline")


def compared() -> tuple[dict[str, str], tuple[Step, ...], Comparison, object]:
    trace, plain = example(with_hooks=True), example(with_hooks=False)
    comparison = compare(trace, plain, AGAINST)
    steps = with_ghosts(build_steps(trace.graph, trace.events), comparison)
    return {t.label: t.id for t in trace.graph.tensors}, steps, comparison, trace.graph


def test_a_ghost_comes_with_the_gradient_it_stands_beside() -> None:
    ids, steps, _, _ = compared()
    first = frame_at(steps, 0)
    last = frame_at(steps, len(steps) - 1)
    assert {first[ids[name], "ghost"] for name in "abcde"} == {""}
    assert {name: render(last[ids[name], "ghost"], "en") for name in "abcde"} == {
        "a": "without hooks: 12",
        "b": "without hooks: 8",
        "c": "without hooks: 4",
        "d": "without hooks: 6",
        "e": "without hooks: 1",
    }
    arrived = next(k for k in range(len(steps)) if frame_at(steps, k)[ids["a"], "incoming"])
    assert frame_at(steps, arrived - 1)[ids["a"], "ghost"] == ""
    assert frame_at(steps, arrived)[ids["a"], "ghost"] != ""


def test_the_sentence_tells_what_it_is_in_the_other_pass() -> None:
    ids, steps, _, _ = compared()
    hook = next(step for step in steps if step.tensor == ids["c"] and step.kind == "tensor_hook")
    assert "For comparison: without hooks, it is 4." in render(hook.caption, "en")
    assert "对比：没有钩子时是 4。" in render(hook.caption, "zh")
    node = next(step for step in steps if step.kind == "node")
    assert "For comparison" not in render(node.caption, "en")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_cards_have_a_row_for_it(lang: str) -> None:
    _, steps, _, graph = compared()
    svg = picture_svg(graph, steps, step=len(steps) - 1, lang=lang)  # type: ignore[arg-type]
    rows = [
        text
        for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
        if text.get("data-hv-field") == "ghost"
    ]
    assert len(rows) == 5
    assert all(row.text for row in rows)


def test_without_a_comparison_there_is_no_row() -> None:
    trace = example(with_hooks=True)
    steps = build_steps(trace.graph, trace.events)
    assert 'data-hv-field="ghost"' not in picture_svg(trace.graph, steps, step=0, lang="en")


def test_what_an_error_kept_this_pass_from_has_its_ghost_at_the_error() -> None:
    def run(*, is_broken: bool) -> hookviz.Trace:
        a, b = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
        c = a * b
        root = c * 4
        if is_broken:
            c.register_hook(lambda grad: 1 / 0)
        return hookviz.record(root, names={"a": a, "b": b, "c": c, "root": root})

    trace = run(is_broken=True)
    comparison = compare(trace, run(is_broken=False), AGAINST)
    steps = with_ghosts(build_steps(trace.graph, trace.events), comparison)
    assert steps[-1].kind == "error"
    ids = {tensor.label: tensor.id for tensor in trace.graph.tensors}
    before, last = frame_at(steps, len(steps) - 2), frame_at(steps, len(steps) - 1)
    for name, ghost in {"a": "without hooks: 12", "b": "without hooks: 8"}.items():
        assert before[ids[name], "ghost"] == ""
        assert render(last[ids[name], "ghost"], "en") == ghost
        assert ids[name] in comparison.changed
    assert render(last[ids["c"], "ghost"], "en") == "without hooks: the same"
