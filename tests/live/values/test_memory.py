"""A print of a tensor's bits changes with any of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from hookviz._live.values.memory import bit_print, same_bits

CHANGES: dict[str, Callable[[torch.Tensor], object]] = {
    "one element": lambda flat: flat[7].add_(1),
    "the last": lambda flat: flat[-1].add_(1),
    "all negated": lambda flat: flat.neg_(),
    "flipped": lambda flat: flat.copy_(flat.flip(0)),
    "two neighbors exchanged": lambda flat: flat[:2].copy_(flat[:2].flip(0)),
    "two far ones exchanged": lambda flat: exchange(flat),
    "zeroed": lambda flat: flat.zero_(),
}


def exchange(flat: torch.Tensor) -> None:
    first, last = flat[3].clone(), flat[-3].clone()
    flat[3], flat[-3] = last, first


DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.uint8]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [65, 513, 6000, 9001])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_shows(
    dtype: torch.dtype, size: int, change: Callable[[torch.Tensor], object]
) -> None:
    tensor = (torch.arange(size) % 97 + 1).to(dtype)
    before = bit_print(tensor)
    assert before == bit_print(tensor.clone())
    change(tensor)
    assert before != bit_print(tensor)


@pytest.mark.parametrize(
    "view",
    [
        lambda t: t[1:],
        lambda t: t[::2],
        lambda t: t.view(90, 100).T,
        lambda t: t[:1].expand(5000),
        lambda t: torch.view_as_complex(t.view(-1, 2)),
        lambda t: t.bool(),
    ],
)
def test_views_of_all_kinds_have_a_print(view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    tensor = view(torch.arange(9000.0))
    assert bit_print(tensor) is not None
    assert bit_print(tensor) == bit_print(tensor)


def test_what_cannot_be_read_as_memory_has_no_print() -> None:
    assert bit_print(torch.eye(3).to_sparse()) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.bool])
@pytest.mark.parametrize("size", [100, 9000, 9001])
@pytest.mark.parametrize("view", [lambda t: t, lambda t: t[1:], lambda t: t[::2]])
def test_bits_are_the_same_exactly_when_no_element_differs(
    dtype: torch.dtype, size: int, view: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    tensor = view((torch.arange(size) % 2).to(dtype))
    copy = tensor.clone()
    assert same_bits(copy, tensor)
    for place in (0, tensor.numel() // 2, -1):
        before = tensor[place].item()
        tensor[place] = not before
        assert not same_bits(copy, tensor)
        tensor[place] = before
    assert same_bits(copy, tensor)
    if dtype.is_floating_point:
        tensor[-1], copy[-1] = 0.0, -0.0
        assert not same_bits(copy, tensor)
        tensor[-1], copy[-1] = float("nan"), float("nan")
        assert same_bits(copy, tensor)
        assert not same_bits(copy.double(), tensor.float())
