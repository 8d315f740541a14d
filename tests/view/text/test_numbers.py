from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookviz._records import TensorSnapshot, TensorSummary
from hookviz._records.number import number_text
from hookviz._view.text.message import render
from hookviz._view.text.numbers import (
    change_text,
    pair_text,
    shape_text,
    short_text,
    snapshot_text,
)
from tests.view.example import scalar, vector


def matrix(rows: int, columns: int, *numbers: float) -> TensorSnapshot:
    values = tuple(repr(float(number)) for number in numbers)
    return TensorSnapshot(shape=(rows, columns), dtype="float32", values=values)


def large(
    *, norm: str = "1.25", mean: str = "0.5", nan_count: int = 0, inf_count: int = 0
) -> TensorSnapshot:
    summary = TensorSummary(
        minimum="-1.0",
        maximum="1.0",
        mean=mean,
        std="0.25",
        norm=norm,
        nan_count=nan_count,
        inf_count=inf_count,
        zero_count=0,
    )
    return TensorSnapshot(shape=(3, 32, 32), dtype="float32", summary=summary)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (8.0, "8"),
        (-8.0, "-8"),
        (0.0, "0"),
        (-0.0, "-0"),
        (1 / 3, "0.333333"),
        (0.10000000149011612, "0.1"),
        (123456.0, "123456"),
        (1e20, "1e+20"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (7, "7"),
        (12345678901, "12345678901"),
        (True, "True"),
        (complex(4, -8), "4-8j"),
        (complex(0, float("nan")), "0+nanj"),
    ],
)
def test_a_number_is_written_as_a_person_writes_it(
    number: float | int | bool | complex, text: str
) -> None:
    assert number_text(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_six_digits_of_every_float_are_kept(number: float) -> None:
    assert float(number_text(number)) == pytest.approx(number, rel=1e-5, abs=0)


@pytest.mark.parametrize(
    ("snapshot", "text"),
    [
        (None, "None"),
        (scalar(8), "8"),
        (vector(1, 5), "[1, 5]"),
        (vector(7), "[7]"),
        (matrix(2, 2, 1, 2, 3, 4), "[[1, 2], [3, 4]]"),
        (TensorSnapshot(shape=(0, 3), dtype="float32", values=()), "empty [0, 3]"),
        (TensorSnapshot(shape=(2,), dtype="float32", note="meta"), "float32 [2], values cannot"),
        (TensorSnapshot(shape=(512, 3), dtype="float32"), "[512, 3]"),
        (TensorSnapshot(shape=(512, 3), dtype="float64"), "[512, 3]"),
        (TensorSnapshot(shape=(512, 3), dtype="float16"), "float16 [512, 3]"),
        (large(), "[3, 32, 32] norm 1.25"),
        (large(nan_count=2, inf_count=1), "[3, 32, 32] norm 1.25; 2 NaN; 1 Inf"),
        (large(norm=""), "[3, 32, 32]"),
    ],
)
def test_a_short_text_fits_a_card(snapshot: TensorSnapshot | None, text: str) -> None:
    assert render(short_text(snapshot), "en").startswith(text)


def test_a_vector_that_does_not_fit_is_cut_and_says_its_shape() -> None:
    text = render(short_text(vector(*range(20))), "en")
    assert text == "[20]: 0, 1, 2, 3, 4, …"
    assert len(text) <= 24


def test_a_norm_is_named_in_the_language_of_the_reader() -> None:
    assert render(short_text(large()), "zh") == "[3, 32, 32] 范数 1.25"


@pytest.mark.parametrize(
    ("snapshot", "text"),
    [
        (scalar(8), "8"),
        (TensorSnapshot(shape=(), dtype="bfloat16", values=("8.0",)), "8 (bfloat16)"),
        (
            TensorSnapshot(
                shape=(2,),
                dtype="float64",
                device="cuda:0",
                layout="sparse_coo",
                values=("0.0", "1.0"),
                nnz=1,
            ),
            "[0, 1] (float64, cuda:0, sparse_coo, nnz 1)",
        ),
    ],
)
def test_the_inspector_says_what_is_unusual(snapshot: TensorSnapshot, text: str) -> None:
    assert snapshot_text(snapshot) == text


def test_the_inspector_shows_every_element_that_was_kept() -> None:
    text = snapshot_text(vector(*range(20)))
    assert isinstance(text, str)
    assert re.findall(r"\d+", text) == [str(number) for number in range(20)]


@pytest.mark.parametrize(
    ("before", "after", "texts"),
    [
        (scalar(8), scalar(10), ("8", "10")),
        (scalar(8), scalar(8), ("8", "8")),
        (scalar(1.0), scalar(1.0000001), ("1", "1.0000001")),
        (vector(1.0), vector(1.0000001), ("[1]", "[1.0000001]")),
        (None, scalar(8), ("None", "8")),
        (large(), large(norm="2.5"), ("[3, 32, 32] norm 1.25", None)),
        (large(), large(mean="-0.5"), ("mean 0.5", "mean -0.5")),
    ],
)
def test_two_values_that_differ_look_different(
    before: TensorSnapshot | None, after: TensorSnapshot, texts: tuple[str, str | None]
) -> None:
    one, other = (render(text, "en") for text in pair_text(before, after))
    assert one == texts[0]
    assert texts[1] is None or other == texts[1]
    assert (one != other) == (before != after)


def test_a_change_far_back_in_a_long_vector_is_shown_where_it_is() -> None:
    before, after = vector(*[0] * 30), vector(*[0] * 25, 9, *[0] * 4)
    one, other = (render(text, "en") for text in pair_text(before, after))
    assert (one, other) == ("[30] at [25]: 0", "[30] at [25]: 9")


def test_the_place_of_a_change_counts_rows_and_columns() -> None:
    before, after = matrix(6, 5, *[0] * 30), matrix(6, 5, *[0] * 28, 4, 0)
    assert render(pair_text(before, after)[1], "en") == "[6, 5] at [5, 3]: 4"


def test_a_shape_is_written_as_pytorch_prints_it() -> None:
    assert [shape_text(shape) for shape in ((), (3,), (3, 4))] == ["[]", "[3]", "[3, 4]"]


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (scalar(8), scalar(10), "8 → 10"),
        (None, scalar(8), "None → 8"),
        (large(), large(norm="2.5"), "[3, 32, 32] norm 1.25 → 2.5"),
        (large(), large(nan_count=1), "[3, 32, 32] norm 1.25 → [3, 32, 32] norm 1.25; 1 NaN"),
        (large(), large(mean="-0.5"), "mean 0.5 → mean -0.5"),
        (large(), large(norm="", nan_count=9), "[3, 32, 32] norm 1.25 → [3, 32, 32] 9 NaN"),
        (large(norm="", inf_count=9), large(), "[3, 32, 32] 9 Inf → [3, 32, 32] norm 1.25"),
        (large(norm="1.00001"), large(norm="1.00002"), "norm 1.00001 → norm 1.00002"),
    ],
)
def test_a_change_says_nothing_twice(
    before: TensorSnapshot | None, after: TensorSnapshot, text: str
) -> None:
    assert render(change_text(before, after), "en") == text


def test_a_change_beside_the_shape_needs_none_of_its_own() -> None:
    changed = change_text(large(), large(norm="2.5"), with_shape=False)
    assert render(changed, "en") == "norm 1.25 → 2.5"
