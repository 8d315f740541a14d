"""What was read while backward waited says later exactly what it would have said then."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable

import pytest
import torch

import hookviz
from hookviz._live.values import reading
from hookviz._live.values.fingerprint import Seen
from hookviz._live.values.memory import has_same_elements
from hookviz._live.values.moments import PART
from hookviz._live.values.reading import COPIED_LIMIT, Reader, read
from hookviz._live.values.summarize import summarize
from tests.live.snapshots import take

VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "itself": lambda t: t,
    "transposed": lambda t: t.T,
    "every other column": lambda t: t[:, ::2],
    "one row, expanded": lambda t: t[:1].expand(40, -1),
    "one number, expanded": lambda t: t[0, 0].expand(300),
    "bfloat16": lambda t: t.bfloat16(),
    "whole numbers": lambda t: t.long(),
    "with what is not finite": lambda t: t / t.clamp(min=0),
    "complex": lambda t: torch.complex(t, t).conj(),
    "negated lazily": lambda t: torch.complex(t, t).conj().imag,
    "half the columns of a transposed one": lambda t: t.T[::2],
}


def numbers(size: int) -> torch.Tensor:
    torch.manual_seed(size)
    return torch.randn(20, size).round(decimals=1)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("size", [2, 30, COPIED_LIMIT // 10])
@pytest.mark.parametrize("keep", ["summary", "all"])
def test_a_change_after_reading_does_not_reach_the_snapshot(
    view: Callable[[torch.Tensor], torch.Tensor], size: int, keep: str
) -> None:
    tensor = view(numbers(size))
    expected = take(tensor, keep=keep)
    taken = read(tensor, keep=keep)
    tensor.untyped_storage().fill_(1)
    assert taken.snapshot == expected != take(tensor, keep=keep)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_copy_is_summarized_to_the_last_bit_as_the_tensor_itself_is(
    view: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    tensor = view(numbers(100))
    assert tensor.numel() > 64
    assert read(tensor, keep="summary").snapshot.summary == summarize(tensor.detach())


def test_copies_of_a_pass_take_no_more_than_the_room_they_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "ROOM", 200_000)
    monkeypatch.setattr(reading, "ROOM_FOR_SUMS", 80_000)
    reader = Reader("summary")
    tensors = [torch.randn(5000) for _ in range(10)]
    readings = [reader.read(tensor) for tensor in tensors]
    # First copies, then the sums and a few elements, then the text itself.
    kinds = [type(reading._raw).__name__ for reading in readings]
    assert sorted(kinds, key=["Tensor", "Excerpt", "NoneType"].index) == kinds
    assert set(kinds) == {"Tensor", "Excerpt", "NoneType"}
    assert sum(reading.weight for reading in readings if reading._raw is not None) <= 200_000
    assert [reading.snapshot for reading in readings] == list(map(take, tensors))


def test_readings_are_equal_when_their_texts_are() -> None:
    nan, zeros = torch.tensor([float("nan"), 1.0]), torch.zeros(2)
    assert read(nan, keep="summary") == read(nan.clone(), keep="summary")
    assert read(zeros, keep="summary") != read(-zeros, keep="summary")
    assert read(zeros, keep="summary") != read(zeros.double(), keep="summary")


@pytest.mark.parametrize("tensor", [torch.zeros(3), torch.zeros(3) * 1j, torch.ones(3) * -1j])
def test_a_changed_sign_of_a_zero_is_seen(tensor: torch.Tensor) -> None:
    seen = Seen(tensor, read(tensor, keep="summary"))
    assert seen.is_still(tensor)
    torch.view_as_real(tensor).neg_() if tensor.is_complex() else tensor.data.neg_()
    assert not seen.is_still(tensor)


def test_nan_that_stays_nan_has_not_changed() -> None:
    tensor = torch.tensor([float("nan"), 0.0])
    assert Seen(tensor, read(tensor, keep="summary")).is_still(tensor)


@pytest.mark.parametrize(
    ("view", "same"),
    [
        (lambda t: t.T, True),
        (lambda t: t.reshape(-1), True),
        (lambda t: t[None].expand(3, -1, -1), True),
        (lambda t: t[1:], False),
        (lambda t: t[:, ::2], False),
        (lambda t: t.clone(), False),
        (lambda t: t.view(torch.int32), False),
    ],
)
def test_views_of_the_very_same_elements_are_known(
    view: Callable[[torch.Tensor], torch.Tensor], same: bool
) -> None:
    tensor = numbers(30)
    assert has_same_elements(tensor, view(tensor)) is same


class Doubled(torch.autograd.Function):
    """Writes to the gradient that it is given and hands it on: the same memory, other numbers."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.mul_(2)


@pytest.mark.parametrize(
    "step",
    [
        lambda x: x.T.contiguous().T,
        lambda x: x.view(-1).view(300, 200),
        lambda x: x.expand(2, *x.shape).sum(0),
        lambda x: Doubled.apply(x * 1),
    ],
)
def test_a_gradient_that_is_only_looked_at_anew_is_told_as_if_it_were_read_again(step) -> None:
    torch.manual_seed(0)
    x = torch.randn(200, 300, requires_grad=True)
    if step(x).shape != x.shape:
        x = torch.randn(300, 200, requires_grad=True)
    inner = x * 1
    kept: list[torch.Tensor] = []
    inner.register_hook(lambda grad: kept.append(grad.clone()))
    weights = torch.randn(x.shape)
    trace = hookviz.record((step(inner) * weights).sum())
    (event,) = (event for event in trace.events if event.kind == "tensor_hook")
    assert event.incoming == take(kept[0])
    assert trace.grad("x") == take(x.grad)


def test_a_tensor_of_several_parts_is_told_as_in_one() -> None:
    torch.manual_seed(0)
    tensor = torch.randn(2 * PART + 7).relu() + 5
    exact, summary = tensor.double(), summarize(tensor)
    assert float(summary.mean) == pytest.approx(exact.mean().item(), rel=1e-6)
    assert float(summary.std) == pytest.approx(exact.std(correction=0).item(), rel=1e-6)
    assert float(summary.norm) == pytest.approx(exact.norm().item(), rel=1e-6)
    assert float(summary.maximum) == exact.max().item()


def big_loss() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.linspace(-1, 1, 500).requires_grad_()
    return x, (x * x).sum()


def test_a_trace_says_what_was_there_when_it_was_recorded_and_not_when_it_is_looked_at() -> None:
    x, loss = big_loss()
    expected_value, expected_grad = take(x), take(2 * x)
    trace = hookviz.record(loss)
    with torch.no_grad():
        x.zero_()
        x.grad.zero_()
    assert trace.graph.find("x").value == expected_value
    assert trace.grad("x") == expected_grad


def test_a_trace_that_nobody_has_looked_at_holds_on_to_nothing_of_the_users() -> None:
    x, loss = big_loss()
    gone = [weakref.ref(one) for one in (x, loss)]
    trace = hookviz.record(loss)
    gone.append(weakref.ref(x.grad))
    del x, loss
    gc.collect()
    assert [one() for one in gone] == [None] * 3
    assert len(trace.events) == 4


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_a_trace_can_be_copied_before_anybody_has_looked_at_it(how) -> None:
    _, loss = big_loss()
    trace = hookviz.record(loss)
    assert how(trace) == trace
    assert how(trace).text() == trace.text()


def test_a_trace_has_no_attributes_but_its_own() -> None:
    _, loss = big_loss()
    trace = hookviz.record(loss)
    with pytest.raises(AttributeError, match="'Trace' object has no attribute 'event'"):
        _ = trace.event
