"""Misuse before the run is refused: what, where, and what to do."""

from __future__ import annotations

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz.errors import HookvizError
from tests.live.scripts import leaf


@pytest.mark.parametrize(
    ("root", "words"),
    [
        (3.5, "Leave out .item()"),
        ({"loss": torch.ones(()), "n": 3}, "Give it one of its tensors: 'loss'"),
        ((1, torch.ones(())), "Give it one of its tensors, such as [1]"),
        (None, "got a NoneType"),
        ("e", "got a str"),
    ],
)
@pytest.mark.parametrize("call", [hookviz.record, hookviz.capture, hookviz.explore])
def test_what_is_no_tensor_is_refused(call: object, root: object, words: str) -> None:
    with pytest.raises(hookviz.NotATensorError) as caught:
        call(root)  # type: ignore[operator]
    assert words in str(caught.value)


def test_a_tensor_without_grad_is_refused_with_the_way_out() -> None:
    with pytest.raises(hookviz.NoGradError, match="requires_grad=True"):
        hookviz.record(torch.ones(()))


@pytest.mark.skipif(
    not internals.can_see_saved(), reason="this PyTorch does not tell about unpack hooks"
)
def test_a_graph_that_was_used_is_refused_before_anything_runs() -> None:
    x = leaf(2.0)
    out = x * x
    out.backward()  # type: ignore[no-untyped-call]
    with pytest.raises(hookviz.FreedGraphError, match="retain_graph=True"):
        hookviz.record(out)
    assert x.grad is not None
    assert x.grad.item() == 4


def test_a_graph_that_was_used_gives_a_trace_that_says_so_where_it_cannot_be_known_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(internals, "can_see_saved", lambda: False)
    x = leaf(2.0)
    out = x * x
    out.backward()  # type: ignore[no-untyped-call]
    trace = hookviz.record(out)
    assert trace.error is not None
    assert trace.error.explanation == "error.graph_freed"


def test_a_vector_root_needs_a_gradient_of_its_shape() -> None:
    root = leaf(1.0, 2.0) * 2
    with pytest.raises(hookviz.GradientError, match=r"shape \[2\].*gradient="):
        hookviz.record(root)
    with pytest.raises(hookviz.GradientError, match=r"shape \[3\].*shape \[2\]"):
        hookviz.record(root, gradient=torch.ones(3))
    with pytest.raises(hookviz.GradientError, match="is of type float"):
        hookviz.record(root, gradient=1.0)  # type: ignore[arg-type]


def test_a_complex_scalar_root_needs_a_gradient() -> None:
    z = torch.tensor(1 + 2j, requires_grad=True)
    with pytest.raises(hookviz.GradientError, match="is complex"):
        hookviz.record(z * z)


def test_names_must_name_tensors() -> None:
    with pytest.raises(hookviz.NotATensorError, match=r"names\['a'\] is of type int"):
        hookviz.record(leaf(1.0) * 2, names={"a": 1})  # type: ignore[dict-item]


def test_unknown_keyword_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="retain"):
        hookviz.record(leaf(1.0), retain=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="stp"):
        hookviz.explore(leaf(1.0), stp=3)  # type: ignore[call-arg]


def test_an_unknown_tensor_is_named_with_those_there_are() -> None:
    a = leaf(1.0)
    trace = hookviz.record(a * 2)
    with pytest.raises(hookviz.UnknownTargetError, match=r"It has: .*a"):
        trace.grad("nobody")


def test_an_unknown_way_to_keep_is_refused() -> None:
    with pytest.raises(hookviz.HookvizError, match="'summary' or 'all'"):
        hookviz.record(leaf(1.0) * 2, keep="bad")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema": 1}', '{"schema": 1, "trace": 5}', None]
)
def test_what_is_no_trace_is_refused(text: str) -> None:
    with pytest.raises(hookviz.TraceFormatError):
        hookviz.Trace.from_json(text)


def test_a_trace_of_a_newer_format_is_refused_with_the_way_out() -> None:
    text = hookviz.record(leaf(1.0) * 2).to_json().replace('"schema":2', '"schema":99', 1)
    with pytest.raises(hookviz.TraceFormatError, match="Install a newer hookviz"):
        hookviz.Trace.from_json(text)


def test_a_trace_comes_back_from_its_json() -> None:
    trace = hookviz.record(leaf(1.0) * 2)
    again = hookviz.Trace.from_json(trace.to_json())
    assert again == trace
    assert str(again) == str(trace)


def test_a_post_accumulate_hook_is_for_leaves_only() -> None:
    a = leaf(2.0)
    c = a * 3
    explorer = hookviz.explore(c * 2, names={"a": a, "c": c})
    with pytest.raises(HookvizError, match=r"c takes no zzz. It takes: tensor_hook\.$"):
        explorer.attach("c", "lambda grad: grad", kind="zzz")  # type: ignore[arg-type]
    with pytest.raises(HookvizError, match=r"is not a leaf, and PyTorch allows .* on leaves only"):
        explorer.attach("c", "lambda param: None", kind="post_accumulate_hook")
    with pytest.raises(HookvizError, match=r"a takes no zzz\. It takes: tensor_hook, post_accum"):
        explorer.attach("a", "lambda grad: grad", kind="zzz")  # type: ignore[arg-type]
    explorer.attach("a", "lambda param: None", kind="post_accumulate_hook")
