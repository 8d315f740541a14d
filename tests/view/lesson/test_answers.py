from __future__ import annotations

import json
from pathlib import Path

import pytest

from hookviz._view.lesson.answers import is_right, judge, read_answer
from hookviz.errors import AnswerError

TABLE = json.loads((Path(__file__).parents[2] / "predictions.json").read_text(encoding="utf-8"))
"""The browser reads answers too, from the same table: see `tests/js/answers.test.mjs`."""


@pytest.mark.parametrize(("given", "recorded"), TABLE["right"])
def test_what_agrees_with_the_recording_is_right(given: str, recorded: list[str | None]) -> None:
    assert is_right(read_answer(given), recorded)


@pytest.mark.parametrize(("given", "recorded"), TABLE["wrong"])
def test_what_differs_is_wrong(given: str, recorded: list[str | None]) -> None:
    assert not is_right(read_answer(given), recorded)


@pytest.mark.parametrize("given", TABLE["unreadable"])
def test_what_is_no_answer_is_refused_and_shown(given: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read_answer(given)
    assert caught.value.given == given


def test_complex_numbers_are_read_by_python() -> None:
    assert is_right(read_answer("4-8j"), ["(4-8j)"])
    assert not is_right(read_answer("4+8j"), ["(4-8j)"])
    assert not is_right(read_answer("4"), ["(4-8j)"])


@pytest.mark.parametrize("given", ["(" * 600 + "8" + ")" * 600, "9" * 5000, "9" * 900 + "**60"])
def test_an_endless_answer_is_refused(given: str) -> None:
    with pytest.raises(AnswerError):
        read_answer(given)


def test_a_long_answer_is_not_repeated_whole() -> None:
    for given in ("x" * 100_000, "1, " * 33_000):
        with pytest.raises(AnswerError) as caught:
            read_answer(given)
        assert len(str(caught.value)) < 400
        assert caught.value.given == given
    assert len(str(judge([1.0] * 150, ["1.0"], "1"))) < 300
