"""A summary says of a large tensor what PyTorch says of it."""

from __future__ import annotations

import pytest
import torch

from hookviz._live.values.summarize import sample, summarize
from tests.live.snapshots import take

SHAPES = [(65,), (20, 30), (3, 40, 50), (2, 3, 17, 19), (100_000,), (1, 1000), (1000, 1)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_statistics_agree_with_double_precision(shape: tuple[int, ...], shift: float) -> None:
    torch.manual_seed(0)
    tensor = torch.randn(shape) + shift
    exact = tensor.double()
    summary = summarize(tensor)
    assert float(summary.minimum) == exact.min().item()
    assert float(summary.maximum) == exact.max().item()
    assert float(summary.mean) == pytest.approx(exact.mean().item(), rel=1e-5, abs=1e-6)
    assert float(summary.std) == pytest.approx(exact.std(correction=0).item(), rel=1e-3)
    assert float(summary.norm) == pytest.approx(exact.norm().item(), rel=1e-5)
    assert (summary.nan_count, summary.inf_count, summary.zero_count) == (0, 0, 0)
    assert sum(summary.histogram) == summary.histogram_count <= tensor.numel()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int64])
def test_half_and_integers_do_not_overflow(dtype: torch.dtype) -> None:
    tensor = torch.full((200, 200), 300, dtype=dtype)
    tensor[0, 0] = 0
    summary = summarize(tensor)
    exact = tensor.double()
    assert float(summary.norm) == pytest.approx(exact.norm().item(), rel=1e-5)
    assert float(summary.mean) == pytest.approx(exact.mean().item(), rel=1e-5)
    assert summary.zero_count == 1


def test_a_norm_past_the_range_of_float32_is_finite_where_the_elements_are() -> None:
    summary = summarize(torch.full((100,), 3e38))
    assert float(summary.norm) == pytest.approx(3e39, rel=1e-5)
    assert float(summary.mean) == pytest.approx(3e38, rel=1e-5)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(1.0, 7).expand(50, 6),
        torch.arange(1.0, 7)[:, None].expand(6, 50),
        torch.arange(600.0).reshape(20, 30).T,
        torch.arange(600.0).reshape(2, 3, 100).permute(2, 0, 1),
        torch.arange(600.0)[::3],
        torch.arange(600.0).reshape(20, 30)[:, ::2],
        torch.tensor(3.0).expand(1000),
    ],
)
def test_views_that_are_expanded_permuted_or_sliced_are_read_as_they_look(
    tensor: torch.Tensor,
) -> None:
    one, other = summarize(tensor), summarize(tensor.clone(memory_format=torch.contiguous_format))
    for name in ("minimum", "maximum", "zero_count", "nan_count", "corner", "grid", "histogram"):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("mean", "std", "norm"):
        assert float(getattr(one, name)) == pytest.approx(float(getattr(other, name)), rel=1e-5)


def test_a_vanishing_gradient_has_a_norm_that_is_not_zero() -> None:
    summary = summarize(torch.full((100,), 1e-30))
    assert float(summary.norm) == pytest.approx(1e-29, rel=1e-5)


def test_what_is_not_finite_is_counted_and_left_out_of_the_rest() -> None:
    tensor = torch.arange(100.0)
    tensor[3], tensor[5], tensor[7] = float("nan"), float("inf"), float("-inf")
    summary = summarize(tensor)
    assert (summary.nan_count, summary.inf_count, summary.zero_count) == (1, 2, 1)
    assert (summary.minimum, summary.maximum) == ("0.0", "99.0")
    assert summary.corner[:4] == ("0.0", "1.0", "2.0", "nan")
    assert sum(summary.histogram) == 97
    grid = bytes.fromhex(summary.grid)
    assert len(grid) == summary.grid_shape[0] * summary.grid_shape[1]
    assert grid[0] == 1  # element 0: the minimum
    assert grid[-1] > 200


def test_nothing_finite_leaves_only_counts() -> None:
    summary = summarize(torch.full((100,), float("nan")))
    assert (summary.nan_count, summary.minimum, summary.norm, summary.mean) == (100, "", "", "")


def test_a_constant_has_no_histogram() -> None:
    summary = summarize(torch.ones(100))
    assert summary.histogram == ()
    assert float(summary.std) == 0


def test_a_complex_tensor_has_a_norm_and_no_order() -> None:
    tensor = torch.full((100,), 3 + 4j)
    summary = summarize(tensor)
    assert float(summary.norm) == pytest.approx(50)
    assert complex(summary.mean) == pytest.approx(3 + 4j)
    assert (summary.minimum, summary.std) == ("", "")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_sample_is_small_and_at_the_same_places_for_equal_shapes(shape: tuple[int, ...]) -> None:
    tensor = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    other = tensor + 0.5
    assert sample(tensor).numel() <= 8200
    assert torch.equal(sample(tensor) + 0.5, sample(other))


def test_a_sample_of_an_expanded_tensor_makes_no_copy_of_all_of_it() -> None:
    expanded = torch.ones(1).expand(10**12)
    assert sample(expanded).numel() <= 8200


@pytest.mark.parametrize(
    ("tensor", "values", "text"),
    [
        (torch.tensor(8.0), ("8.0",), "float32"),
        (torch.tensor([1, 2]), ("1", "2"), "int64"),
        (torch.tensor([True, False]), ("True", "False"), "bool"),
        (torch.tensor(4 - 8j), ("(4-8j)",), "complex64"),
        (torch.tensor([float("nan"), float("inf")]), ("nan", "inf"), "float32"),
        (torch.empty(0, 3), (), "float32"),
        (torch.tensor(0.1, dtype=torch.bfloat16), ("0.10009765625",), "bfloat16"),
    ],
)
def test_small_tensors_are_kept_whole_and_exact(
    tensor: torch.Tensor, values: tuple[str, ...], text: str
) -> None:
    snapshot = take(tensor)
    assert snapshot.values == values
    assert snapshot.dtype == text
    assert snapshot.shape == tuple(tensor.shape)
    if tensor.numel() and not torch.isnan(tensor).any():
        assert snapshot.tolist() == tensor.tolist()


def test_a_sparse_tensor_shows_its_dense_form_and_its_entries() -> None:
    sparse = torch.sparse_coo_tensor([[1, 1]], [2.0, 3.0], (3,), check_invariants=True)
    snapshot = take(sparse)
    assert (snapshot.layout, snapshot.nnz) == ("sparse_coo", 2)
    assert snapshot.tolist() == [0, 5, 0]


def test_a_meta_tensor_has_a_shape_and_a_note() -> None:
    snapshot = take(torch.empty(3, device="meta"))
    assert snapshot.shape == (3,)
    assert snapshot.values is None
    assert snapshot.summary is None
    assert snapshot.note


def test_a_conjugate_view_is_read_as_what_it_stands_for() -> None:
    assert take(torch.tensor([1 + 2j]).conj()).values == ("(1-2j)",)


@pytest.mark.parametrize("size", [65, 1999, 2000, 2001, 5003, 600_001])
@pytest.mark.parametrize("kind", ["relu", "all zero", "none zero", "negative zero"])
def test_zeros_are_counted_exactly(size: int, kind: str) -> None:
    torch.manual_seed(size)
    tensor = torch.randn(size)
    if kind == "relu":
        tensor = tensor.relu()
    elif kind == "all zero":
        tensor.zero_()
        tensor[0] = 1
    elif kind == "negative zero":
        tensor[::3] = -0.0
    assert summarize(tensor).zero_count == int((tensor == 0).sum())
