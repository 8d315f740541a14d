from __future__ import annotations

import json

import pytest
import torch

import hookviz
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.steps.value_book import MOST_COLUMNS, ValueBook
from hookviz._view.words.kinds import words_for
from hookviz._view.words.speaker import Speaker


def book_of(
    trace: hookviz.Trace,
) -> tuple[list[dict[str, list[list[object]]]], list[dict[str, object]]]:
    book, speaker = ValueBook(), Speaker(GraphIndex(trace.graph))
    shown = [book.step_data(*words_for(event, speaker).values()) for event in trace.events]
    data = book.data()
    assert json.loads(json.dumps([shown, data], allow_nan=False)) == [shown, data]
    return shown, data


def test_a_hook_shows_what_came_in_and_what_went_on() -> None:
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = a * 1
    b.register_hook(lambda grad: grad * torch.tensor([[1.0, 10.0], [100.0, -1.0]]))
    trace = hookviz.record(b.sum())
    shown, data = book_of(trace)
    (event,) = [event for event in trace.events if event.kind == "tensor_hook"]
    ((_, before),) = shown[event.index]["before"]
    ((_, after),) = shown[event.index]["after"]
    assert data[before]["rows"] == [["1", "1"], ["1", "1"]]
    assert data[after]["rows"] == [["1", "10"], ["100", "-1"]]
    assert a.grad is not None
    assert data[after]["levels"] == a.grad.tolist()


def test_equal_values_stand_in_the_book_once() -> None:
    a = torch.ones(3, requires_grad=True)
    trace = hookviz.record((a + 1 + 1 + 1).sum())
    _, data = book_of(trace)
    assert [item["text"] for item in data].count("[1, 1, 1]") == 1


def test_a_large_value_is_a_picture_and_facts() -> None:
    a = torch.rand(100, 50, requires_grad=True)
    (a * torch.linspace(-1, 1, 50)).sum().backward()
    assert a.grad is not None
    plain = a.grad.clone()
    a.grad = None
    trace = hookviz.record((a * torch.linspace(-1, 1, 50)).sum())
    shown, data = book_of(trace)
    ((_, place),) = shown[-1]["after"]
    value = data[place]
    assert (value["low"], value["high"]) == (plain.min().item(), plain.max().item())
    assert value["columns"] == 13  # every fourth of 50
    assert len(value["grid"]) % (2 * 13) == 0
    assert sum(value["histogram"]) == value["counted"]
    assert "rows" not in value


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("size", [3, 3000])
def test_numbers_that_json_lacks_are_left_out(bad: float, size: int) -> None:
    a = torch.ones(size, requires_grad=True)
    factor = torch.ones(size)
    factor[1] = bad
    _, data = book_of(hookviz.record((a * factor).sum()))
    last = data[-1]
    if size == 3:
        assert last["levels"] == [[1.0, None, 1.0]]
    else:
        assert last["nans"] == int(bad != bad)
        assert last["infs"] == int(bad == bad)


def test_a_long_row_is_no_table() -> None:
    a = torch.ones(1, MOST_COLUMNS + 1, requires_grad=True)
    _, data = book_of(hookviz.record((a * 2).sum()))
    assert all("rows" not in item for item in data)


@pytest.mark.parametrize("dtype", [torch.complex64, torch.bfloat16, torch.float64])
def test_every_dtype_is_json(dtype: torch.dtype) -> None:
    a = torch.ones(2, 2, dtype=dtype, requires_grad=True)
    book_of(hookviz.record((a * 2).abs().sum()))


@pytest.mark.parametrize("kind", ["accumulate", "retain_grad"])
def test_a_grad_that_is_added_to_shows_what_it_was(kind: str) -> None:
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    kept = a * 2
    kept.retain_grad()
    target = a if kind == "accumulate" else kept
    root = (kept * torch.tensor([3.0, 4.0])).sum()
    for before in (None, [["3", "4"]], [["6", "8"]]):
        trace = hookviz.record(root)
        shown, data = book_of(trace)
        (event,) = [event for event in trace.events if event.kind == kind]
        sides = {
            label: None if place is None else data[place]["rows"]
            for label, place in shown[event.index]["before"]
        }
        factor = 2 if kind == "accumulate" else 1
        scaled = before and [[str(int(text) * factor) for text in before[0]]]
        assert sides == {".grad": scaled, "+": [[str(3 * factor), str(4 * factor)]]}
        ((label, place),) = shown[event.index]["after"]
        assert label == ".grad"
        assert data[place]["levels"] == [target.grad.tolist()]
