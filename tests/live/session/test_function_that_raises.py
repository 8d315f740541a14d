"""What a learner is told of a function that raises, or gives no tensor to call backward on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import hookviz
from hookviz._view.text.message import Message, render
from hookviz.errors import HookRunError, HookvizError


def raises_at_once() -> torch.Tensor:
    raise ValueError("no such <b>data</b>")


def line_of(function: Callable[[], object]) -> int:
    """Return the first line below the `def`."""
    return function.__code__.co_firstlineno + 1


def test_a_function_that_raises_before_any_module_is_one_step_that_says_all() -> None:
    with pytest.raises(ValueError) as plain:  # noqa: PT011 - the message is compared below
        raises_at_once()

    explorer = hookviz.explore(raises_at_once)

    assert [step["kind"] for step in explorer.steps] == ["ready", "error"]
    assert "ValueError" in explorer.caption
    explorer.last()
    assert "ValueError" in explorer.caption
    assert str(plain.value) in explorer.caption
    assert f"line {line_of(raises_at_once)} of " in explorer.caption
    assert 'raise ValueError("no such <b>data</b>")' in explorer.caption
    assert "Correct that line" in explorer.caption
    index, line = explorer.steps[-1]["code"]
    shown = explorer.code[index]
    assert shown["lines"][line - shown["first"]].strip().startswith("raise ValueError")
    assert explorer.trace.error is not None
    assert explorer.trace.error.traceback.count("File ") == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_transcript_says_so_too(lang: str) -> None:
    trace = hookviz.record(raises_at_once)

    text = trace.text(lang)
    assert "! no such <b>data</b>" in text
    assert str(line_of(raises_at_once)) in text
    assert hookviz._trace.Trace.from_json(trace.to_json()).text(lang) == text


def test_a_saved_page_holds_the_step(tmp_path: Path) -> None:
    hookviz.record(raises_at_once).save_html(tmp_path / "page.html")

    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<b>data</b>" not in text
    assert "It was raised in line" in text


def test_what_is_raised_between_two_calls_comes_after_the_calls_and_keeps_what_was_printed() -> (
    None
):
    model = torch.nn.Linear(2, 1)

    def between() -> torch.Tensor:
        model(torch.ones(1, 2))
        print("looking")
        raise KeyError("label")

    trace = hookviz.record(between)

    assert [event.kind for event in trace.events] == ["module_forward", "error"]
    last = trace.events[-1]
    assert last.module == ""
    assert last.printed == "looking\n"
    assert last.error is not None
    assert (last.error.type, last.error.message) == ("KeyError", "'label'")
    assert last.error.code_text == 'raise KeyError("label")'
    # Backward never began, so it says nothing of what it reached.
    assert "grad" not in trace.text().replace("LinearBackward", "")


def test_what_a_module_raises_is_told_once() -> None:
    class Broken(torch.nn.Module):
        def forward(self) -> torch.Tensor:
            raise RuntimeError("inside")

    broken = Broken()

    trace = hookviz.record(lambda: broken())
    assert [(event.kind, event.module) for event in trace.events] == [("error", "broken")]
    assert "raised by" not in trace.text()


def test_a_watched_block_that_raises_tells_it_too() -> None:
    model = torch.nn.Linear(2, 1)
    forward: hookviz.Forward | None = None

    def block() -> None:
        nonlocal forward
        with hookviz.watch(model) as forward:
            y = model(torch.ones(1, 2))
            _ = y / (1 // 0)

    with pytest.raises(ZeroDivisionError):
        block()

    assert forward is not None
    last = forward.trace.events[-1]
    assert last.error is not None
    assert last.error.code_text == "_ = y / (1 // 0)"
    explorer = forward.explore()
    explorer.last()
    assert "ZeroDivisionError" in explorer.caption
    patches = [patch for step in explorer.steps for patch in step["patches"]]
    assert all(value != {"key": "grad.stopped", "args": {}} for _, _, value in patches)


NO_ROOTS: list[tuple[Any, str]] = [
    (None, "the function returned None"),
    (3, "got an int"),
    (torch.ones(2), "does not require grad"),
]


@pytest.mark.parametrize(("result", "said"), NO_ROOTS, ids=["None", "int", "no-grad"])
def test_what_is_no_root_is_refused_at_first_and_after_a_change(result: Any, said: str) -> None:
    model = torch.nn.Linear(2, 1)
    with pytest.raises(HookvizError, match=said):
        hookviz.record(lambda: result)
    with pytest.raises(HookvizError, match=said):
        hookviz.explore(lambda: result)
    runs = 0

    def once() -> Any:
        nonlocal runs
        runs += 1
        loss = model(torch.ones(1, 2)).sum()
        return loss if runs == 1 else result

    explorer = hookviz.explore(once)
    steps = explorer.steps
    with pytest.raises(HookvizError, match=said):
        explorer.attach("model", lambda module, args, output: output * 2)

    assert explorer.notice["target"] == explorer.trace.graph.modules[0].id
    assert said in explorer.notice["detail"]
    assert explorer.steps == steps
    assert len(model._forward_hooks) == 0


def test_a_change_with_which_the_function_raises_is_told_with_its_line() -> None:
    model = torch.nn.Linear(2, 1)

    def picky() -> torch.Tensor:
        y = model(torch.ones(1, 2))
        if y.shape[-1] != 1:
            raise ValueError("one column expected")
        return y.sum()

    explorer = hookviz.explore(picky)
    with pytest.raises(HookRunError, match="the forward failed: ValueError: one column expected"):
        explorer.attach("model", lambda module, args, output: output.repeat(1, 2))

    notice = explorer.notice
    assert notice["title"]["key"] == "notice.forward_failed"
    assert 'raise ValueError("one column expected")' in notice["detail"]
    assert "or the hook" in render(Message(notice["hint"]["key"]), "en")
    assert len(model._forward_hooks) == 0
