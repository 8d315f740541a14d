from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hookviz._view.groups.forward_order import crossings, forward_order
from hookviz._view.groups.runs import FEWEST_REPEATS, Run, find_runs


@pytest.mark.parametrize(
    ("row", "runs"),
    [
        ("", []),
        ("abcd", []),
        ("aa", []),
        ("aaa", [Run(0, 1, 3)]),
        ("xababab", [Run(1, 2, 3)]),
        ("abababy", [Run(0, 2, 3)]),
        ("aaaxbbbb", [Run(0, 1, 3), Run(4, 1, 4)]),
        ("aabaabaab", [Run(0, 3, 3)]),
    ],
)
def test_what_repeats_itself_is_found(row: str, runs: list[Run]) -> None:
    assert find_runs([ord(letter) for letter in row]) == runs


@given(st.lists(st.integers(0, 3), max_size=60))
def test_every_run_is_true_and_none_overlaps(row: list[int]) -> None:
    end = 0
    for run in find_runs(row):
        assert run.start >= end
        assert run.count >= FEWEST_REPEATS
        periods = [
            row[place : place + run.period] for place in range(run.start, run.end, run.period)
        ]
        assert len(periods) == run.count
        first, *others = periods
        assert all(period == others[0] for period in others)
        assert sorted(first) == sorted(others[0]), "only its order may be another"
        end = run.end


def test_a_run_begins_where_the_fewest_arrows_pass() -> None:
    row = [0, 1, 2] * 4
    gaps = [0, 1, 9] + [9, 1, 9] * 3 + [0]
    assert find_runs(row, gaps)[0] == Run(1, 3, 3)
    assert find_runs(row)[0] == Run(0, 3, 4)


def test_of_equal_places_the_one_counts_at_which_the_last_period_ends_with_the_run() -> None:
    row = [2, *[0, 1, 2] * 4]
    assert find_runs(row, [1] * (len(row) + 1)) == [Run(1, 3, 4)]


def test_the_first_period_may_be_of_the_same_kinds_in_another_order() -> None:
    tokens = [9, 0, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
    kinds = [1, 0, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
    gaps = [1] * (len(tokens) + 1)
    assert find_runs(tokens, gaps, kinds) == [Run(0, 3, 4)]
    assert find_runs(tokens, gaps) == [Run(3, 3, 3)]


def test_ten_thousand_items_take_no_time() -> None:
    start = time.perf_counter()
    assert find_runs([1] * 10_000) == [Run(0, 1, 10_000)]
    assert find_runs(list(range(50)) * 200) == [Run(0, 50, 200)]
    assert time.perf_counter() - start < 1.0


def test_items_come_after_what_they_were_computed_from() -> None:
    inputs = {"e": ["c", "d"], "c": ["a", "b"], "d": ["c"]}
    order = forward_order(["e", "c", "d", "a", "b"], inputs)
    assert sorted(order) == list("abcde")
    for item, given_ in inputs.items():
        assert all(order.index(one) < order.index(item) for one in given_)


def test_a_loop_comes_out_period_by_period_although_its_input_is_named_first() -> None:
    # Each step is `x @ w + h`: the first input of the sum belongs to this step alone.
    inputs = {f"sum{i}": [f"product{i}", f"sum{i - 1}"] for i in range(1, 5)}
    inputs["sum0"] = ["product0"]
    order = forward_order([f"sum{i}" for i in reversed(range(5))], inputs)
    assert order == [name for i in range(5) for name in (f"product{i}", f"sum{i}")]


def test_a_cycle_is_put_into_some_order() -> None:
    assert sorted(forward_order(["a", "b"], {"a": ["b"], "b": ["a"]})) == ["a", "b"]


def test_a_chain_of_ten_thousand_needs_no_deep_stack() -> None:
    inputs = {str(i): [str(i + 1)] for i in range(10_000)}
    assert forward_order(["0"], inputs)[0] == "10000"


def test_crossings_count_the_arrows_that_pass_each_gap() -> None:
    inputs = {"b": ["a"], "c": ["b"], "d": ["a", "c"]}
    assert crossings(["a", "b", "c", "d"], inputs) == [0, 2, 2, 2, 0]
