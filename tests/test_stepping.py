"""Stepping and predicting from Python, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import hookviz
from hookviz._widget.explorer import Explorer
from hookviz.errors import AnswerError, HookvizError, UnknownTargetError
from tests.live.scripts import second_example


@pytest.fixture
def explorer() -> Explorer:
    tensors = second_example()
    return hookviz.explore(tensors["e"], names=tensors)


def test_it_runs_on_to_hooks_rewrites_and_tensors(explorer: Explorer) -> None:
    def kinds(go: Any) -> list[str]:
        explorer.first()
        found = []
        while go():
            event = explorer.trace.events[explorer.step - 1]
            found.append(f"{event.tensor} {event.hook_index}")
        return found

    assert kinds(explorer.next_hook) == ["e 0", "d 0", "c 0", "c 1"]
    assert kinds(explorer.next_rewrite) == ["e 0", "d 0", "c 0"]
    explorer.first()
    assert explorer.run_to("a")
    assert explorer.trace.events[explorer.step - 1].kind == "accumulate"
    assert not explorer.run_to("a")
    assert explorer.step == 11


def test_it_stays_where_nothing_is_to_run_to(explorer: Explorer) -> None:
    explorer.goto(9)
    assert not explorer.next_rewrite()
    assert explorer.step == 9
    with pytest.raises(UnknownTargetError):
        explorer.run_to("nobody")
    assert explorer.step == 9


def test_it_finds_the_first_nan_also_from_behind_it() -> None:
    a = torch.tensor(0.0, requires_grad=True)
    b = torch.sqrt(a)
    c = b * 2
    c.register_hook(lambda grad: grad * float("inf"))
    explorer = hookviz.explore(c * 3)
    explorer.last()
    assert explorer.first_nonfinite()
    assert explorer.trace.events[explorer.step - 1].tensor == "c"
    a.grad = None
    finite = hookviz.explore(a * 2)
    assert not finite.first_nonfinite()


def test_a_prediction_is_checked_counted_and_shown(explorer: Explorer) -> None:
    assert explorer.question is None  # nobody has to guess what backward starts with
    explorer.goto(1)
    assert explorer.question == (
        "e has received 1. What goes on after its hook lambda grad: grad * 2?"
    )
    verdict = explorer.predict("1 * 2")
    assert verdict
    assert str(verdict) == "right: 2"
    assert explorer.step == 2
    wrong = explorer.predict(3)
    assert not wrong
    assert str(wrong) == "not 3: 2"
    assert (explorer.score["right"], explorer.score["asked"]) == (1, 2)
    explorer.back()
    explorer.predict(2)
    assert (explorer.score["right"], explorer.score["asked"]) == (1, 2)


@pytest.mark.parametrize("answer", [[8, 12], (8.0, 12.0), torch.tensor([8.0, 12.0]), "8, 12"])
def test_an_answer_may_be_a_list_or_a_tensor(explorer: Explorer, answer: object) -> None:
    explorer.goto(3)
    assert explorer.predict(answer)


def test_a_refused_answer_neither_counts_nor_moves(explorer: Explorer) -> None:
    explorer.goto(1)
    with pytest.raises(AnswerError):
        explorer.predict("two")
    assert explorer.step == 1
    assert explorer.score["asked"] == 0
    explorer.last()
    with pytest.raises(HookvizError, match="nothing to predict"):
        explorer.predict(8)


def test_the_question_is_in_the_language_of_the_explorer(explorer: Explorer) -> None:
    explorer.goto(4)
    explorer.lang = "zh"
    assert explorer.question is not None
    assert "d" in explorer.question
    assert "钩子" in explorer.question


def test_an_edit_asks_again_and_keeps_the_score(explorer: Explorer) -> None:
    explorer.goto(1)
    explorer.predict(2)
    explorer.edit(explorer.hooks("e")[0], "lambda grad: grad * 5")
    explorer.goto(1)
    assert explorer.predict(5)
    assert (explorer.score["right"], explorer.score["asked"]) == (2, 2)


def test_every_value_on_the_page_is_in_the_trait(explorer: Explorer) -> None:
    places = [
        place
        for step in explorer.steps
        for side in step["values"].values()
        for _, place in side
        if place is not None
    ]
    assert places
    assert set(places) == set(range(len(explorer.values)))


def test_the_picture_can_be_turned(explorer: Explorer) -> None:
    assert 'data-hv-direction="across"' in explorer.picture
    explorer.goto(5)
    explorer.direction = "down"
    assert 'data-hv-direction="down"' in explorer.picture
    explorer.edit(explorer.hooks("e")[0], "lambda grad: grad * 5")
    assert 'data-hv-direction="down"' in explorer.picture
    explorer.direction = "auto"
    assert 'data-hv-direction="across"' in explorer.picture
    assert explorer.step == 5
