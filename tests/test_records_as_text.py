"""Values, events, hooks and errors as a terminal and a notebook show them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from IPython.core.formatters import format_display_data
from IPython.core.interactiveshell import InteractiveShell
from IPython.lib.pretty import pretty

import hookviz
from hookviz._records import HookRecord
from tests.live.scripts import second_example

HOSTILE = "</script><img src=x onerror=alert(1)>&\"'\ud800"


def grad_of(value: torch.Tensor, **options: Any) -> Any:
    """Return the snapshot of a gradient that is this value."""
    leaf = torch.zeros_like(value).requires_grad_()
    return hookviz.record(leaf * 1, gradient=value, names={"leaf": leaf}, **options).grad("leaf")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (torch.tensor(10.0), "10."),
        (torch.tensor(-0.0), "-0."),
        (torch.tensor(1 / 3), "0.333333"),
        (torch.tensor(float("nan")), "nan"),
        (torch.tensor(1e30), "1e+30"),
        (torch.tensor(0.1, dtype=torch.float64), "float64(0.1)"),
        (torch.tensor(8.0, dtype=torch.bfloat16), "bfloat16(8.)"),
        (torch.tensor(4 - 8j), "4-8j"),
        (torch.tensor([1.0, 2.0, 3.0]), "float32[3]([1., 2., 3.])"),
        (torch.tensor([[1.0], [2.5]]), "float32[2, 1]([[1.], [2.5]])"),
        (torch.zeros(0, 3), "float32[0, 3]([])"),
        (
            torch.arange(16).reshape(4, 4) + 0.123456,
            "float32[4, 4]([[0.123456, 1.12346, 2.12346, 3.12346],\n"
            "               [4.12346, 5.12346, 6.12346, 7.12346],\n"
            "               [8.12346, 9.12346, 10.1235, 11.1235],\n"
            "               [12.1235, 13.1235, 14.1235, 15.1235]])",
        ),
    ],
)
def test_a_small_value_is_written_whole(value: torch.Tensor, text: str) -> None:
    snapshot = grad_of(value)
    assert repr(snapshot) == str(snapshot) == text
    assert snapshot._repr_html_() is None


def test_a_large_value_is_written_as_a_summary() -> None:
    value = torch.zeros(64, 128)
    value[0, :3] = float("nan")
    value[1, 0] = 2.41
    snapshot = grad_of(value)
    assert repr(snapshot) == "float32[64, 128](norm 2.41, 3 NaN)"
    assert repr(snapshot.summary) == "<summary norm 2.41, 3 NaN>"
    html = snapshot._repr_html_()
    assert "<caption>float32[64, 128]</caption>" in html
    for name, text in (("norm", "2.41"), ("NaN", "3"), ("zero", "8,188")):
        assert f">{name}</th>" in html
        assert f">{text}</td>" in html
    assert ">infinite<" not in html


def test_a_large_value_that_is_whole_shows_its_beginning() -> None:
    assert repr(grad_of(torch.arange(100.0), keep="all")) == "float32[100](0., 1., 2., ...)"


def test_what_is_unusual_or_unread_is_said() -> None:
    large = torch.ones(100, requires_grad=True)
    captured = hookviz.capture(large * 2).find("large")
    assert captured is not None
    assert repr(captured.value) == "float32[100]"
    with pytest.raises(ValueError, match="was not read; hookviz"):
        captured.value.numbers()
    sparse = torch.eye(2).to_sparse()
    assert repr(grad_of(sparse)) == "float32[2, 2]([[1., 0.], [0., 1.]], sparse_coo, nnz 2)"


NUMPY = [
    (torch.float64, np.float64),
    (torch.float32, np.float32),
    (torch.float16, np.float16),
    (torch.bfloat16, np.float32),
    (torch.complex64, np.complex64),
]


@pytest.mark.parametrize(("dtype", "expected"), NUMPY)
@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0, 2)])
def test_numpy_gets_the_same_elements(dtype: Any, expected: Any, shape: tuple[int, ...]) -> None:
    value = (torch.arange(math.prod(shape)).reshape(shape) / 3).to(dtype)
    snapshot = grad_of(value)
    plain = value.float() if dtype == torch.bfloat16 else value
    for array in (snapshot.numpy(), np.asarray(snapshot)):
        assert array.dtype == expected
        assert array.shape == shape
        assert np.array_equal(array, plain.numpy())
    assert np.asarray(snapshot, dtype=np.complex128).dtype == np.complex128
    assert snapshot.equal(value)
    assert not snapshot.equal(value.reshape(1, *shape))
    assert value.numel() == 0 or not snapshot.equal(value + 1)
    with pytest.raises(ValueError, match="make a new one"):
        snapshot.__array__(copy=False)


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
def test_values_that_are_no_gradients_convert_too(dtype: torch.dtype) -> None:
    given = torch.tensor([0, 1, 1]).to(dtype)

    class Takes(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.float()

    with hookviz.watch() as forward:
        Takes()(given)
    argument = forward.trace.events[0].arguments_before[0]
    assert argument.snapshot is not None
    assert argument.snapshot.numpy().dtype == given.numpy().dtype
    assert argument.snapshot.equal(given)


@pytest.mark.parametrize("number", [0.0, -2.5, float("inf"), float("nan")])
def test_one_element_converts_as_a_tensor_does(number: float) -> None:
    tensor = torch.tensor([number])
    snapshot = grad_of(tensor)
    assert math.isnan(float(snapshot)) if math.isnan(number) else float(snapshot) == float(tensor)
    assert bool(snapshot)  # there is a value, also where it is zero
    assert complex(snapshot) == complex(tensor) or math.isnan(number)
    if math.isfinite(number):
        assert int(snapshot) == int(tensor)
    assert snapshot.equal(tensor) == torch.equal(tensor, tensor)


@pytest.mark.parametrize("convert", [float, int])
def test_several_elements_or_a_complex_one_do_not_convert(convert: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="only one element"):
        convert(grad_of(torch.ones(2)))
    with pytest.raises(ValueError, match=r'summary; hookviz\.record\(\.\.\., keep="all"\)'):
        convert(grad_of(torch.ones(100)))
    with pytest.raises(TypeError, match=r"complex\(snapshot\)"):
        convert(grad_of(torch.tensor(1 + 2j)))


def test_a_summary_says_how_to_keep_every_element() -> None:
    snapshot = grad_of(torch.ones(100))
    for ask in (snapshot.numpy, snapshot.tolist, lambda: snapshot.equal(torch.ones(100))):
        with pytest.raises(ValueError, match='keep="all"'):
            ask()
    with pytest.raises(ValueError, match='keep="all"'):
        np.asarray(snapshot)
    assert grad_of(torch.ones(100), keep="all").equal(torch.ones(100))
    with pytest.raises(TypeError, match=r"float\(snapshot\) == number"):
        grad_of(torch.ones(1)).equal(1.0)


@pytest.fixture
def trace() -> hookviz.Trace:
    tensors = second_example()
    return hookviz.record(tensors["e"], names=tensors)


EVENTS = """\
(<start e: 1>,
 <tensor_hook e: 1 -> 2 by lambda grad: grad * 2>,
 <retain_grad e: .grad None -> 2>,
 <node n0: 2 -> 8, 12>,
 <tensor_hook d: 12 -> 112 by lambda grad: grad + 100>,
 <accumulate d: .grad None -> 112>,
 <tensor_hook c: 8 -> 10 by c_hook>,
 <tensor_hook c: 10 unchanged by lambda grad: print("hello my grad is", grad)>,
 <retain_grad c: .grad None -> 10>,
 <node n1: 10 -> 30, 20>,
 <accumulate a: .grad None -> 30>,
 <accumulate b: .grad None -> 20>)"""


def test_events_have_a_line_each(trace: hookviz.Trace) -> None:
    assert repr(trace.events) == pretty(trace.events) == EVENTS
    assert repr(trace.of("a")) == "(<accumulate a: .grad None -> 30>,)"
    assert repr(trace.events[:2]) == "\n".join(EVENTS.splitlines()[:2])[:-1] + ")"
    assert trace.events == tuple(trace.events)
    assert isinstance(trace.events, tuple)


def test_events_are_a_table_with_the_words_of_the_transcript(trace: hookviz.Trace) -> None:
    html = trace.events._repr_html_()
    assert html.count("<tr>") == 13
    for row in trace.rows():
        assert row["what"] in trace.text()
        assert html_of(row["what"]) in html
    assert "hello my grad is tensor(10.)" in html
    assert trace.events[3:5]._repr_html_().count("<tr>") == 3


def html_of(text: str) -> str:
    import html

    return html.escape(text)


def test_a_long_pass_is_shown_without_its_middle() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    out = x
    for _ in range(100):
        out = out * 1
    lines = repr(hookviz.record(out).events).splitlines()
    assert len(lines) == 41
    assert "more ..." in lines[30]


def test_every_kind_of_event_is_one_short_line() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    model[0].register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    model[0].register_forward_hook(lambda module, args, output: output + 1)
    model[1].register_full_backward_pre_hook(lambda module, grad: (grad[0] * 2,))
    model[1].register_full_backward_hook(lambda module, grad_input, grad_output: None)
    explorer = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())
    explorer.attach("n0", "lambda grads: (grads[0] * 3,)", kind="node_prehook")
    explorer.attach("n0", "lambda out, into: out")
    explorer.attach(
        model[0].bias, "def twice(leaf):\n    leaf.grad.mul_(2)", kind="post_accumulate_hook"
    )
    lines = [repr(event) for event in explorer.trace.events]
    assert {event.kind for event in explorer.trace.events} >= {
        "module_forward_pre_hook",
        "module_forward",
        "module_forward_hook",
        "module_backward_pre_hook",
        "module_backward_hook",
        "node_prehook",
        "node_hook",
        "post_accumulate_hook",
    }
    for event, line in zip(explorer.trace.events, lines, strict=True):
        assert line.startswith(f"<{event.kind} {event.tensor or event.module or event.node}: ")
        assert "\n" not in line
        assert len(line) < 150
    assert "<node_prehook n0: 1 -> 3 by lambda grads: (grads[0] * 3,)>" in lines


def test_an_error_says_what_and_where() -> None:
    x = torch.tensor(1.0, requires_grad=True)

    def fails(grad: torch.Tensor) -> None:
        raise ValueError("first line\nsecond line <b>")

    x.register_hook(fails)
    trace = hookviz.record(x * 2)
    assert trace.error is not None
    said = "<ValueError: first line second line <b> from <hook h0 fails on x>>"
    assert repr(trace.error) == said
    assert repr(trace.events[-1]) == ("<error x: ValueError: first line second line <b> in fails>")
    html = trace.error._repr_html_()
    assert "first line\nsecond line &lt;b&gt;" in html
    assert "&lt;hook h0 fails on x&gt;" in html
    assert repr(trace) == "Trace(t0: 3 events, ended by ValueError)"


def test_hooks_have_a_line_each_and_name_their_owner() -> None:
    tensors = second_example()
    explorer = hookviz.explore(tensors["e"], names=tensors)
    explorer.disable("h1")
    assert (
        repr(explorer.hooks("c"))
        == pretty(explorer.hooks("c"))
        == (
            "(<hook h1 c_hook on c, off>,\n"
            ' <hook h2 lambda grad: print("hello my grad is", grad) on c>)'
        )
    )
    assert repr(explorer.hooks("a")) == "()"
    html = explorer.hooks("c")._repr_html_()
    assert html.count("<tr>") == 3
    assert ">c_hook</td>" in html
    assert ">off</td>" in html
    hook = explorer.hooks("c")[0]
    assert isinstance(hook, HookRecord)
    assert repr(hook) == "<hook h1 c_hook, off>"
    assert "def c_hook(" in hook._repr_html_()
    verdict = (explorer.goto(1), explorer.predict(5))[1]
    assert repr(verdict) == "<not 5: 2>"
    assert "<caption>wrong</caption>" in verdict._repr_html_()


def test_hostile_text_is_text_in_every_table() -> None:
    x = torch.tensor(2.0, requires_grad=True)

    def hook(grad: torch.Tensor) -> torch.Tensor:
        sys.stdout.write(HOSTILE)
        raise ValueError(HOSTILE)

    hook.__name__ = HOSTILE
    x.register_hook(hook)
    out = x * 3
    trace = hookviz.record(out, names={HOSTILE: x, "out": out})
    assert trace.error is not None
    explorer = hookviz.explore(out, names={HOSTILE: x, "out": out})
    hooks = explorer.hooks(x)
    for shown in (trace.events, trace.error, hooks, hooks[0]):
        html = shown._repr_html_()
        assert "<img" not in html
        assert "&lt;img src=x" in html
        html.encode("utf-8")
    for value in (trace.events, trace.events[-1], trace.error, hooks):
        assert "\n" not in repr(value).replace(",\n ", "")


def test_a_notebook_gets_both_forms(trace: hookviz.Trace) -> None:
    shell = InteractiveShell.instance()
    try:
        data, _ = format_display_data(trace.events)
        assert data["text/plain"] == EVENTS
        assert data["text/html"].startswith("<table>")
        data, _ = format_display_data(trace.grad("a"))
        assert data == {"text/plain": "30."}
        data, _ = format_display_data(trace.graph)
        assert set(data) == {"text/plain", "image/svg+xml"}
    finally:
        shell.clear_instance()


def test_rows_are_json_and_a_table_of_pandas_columns(trace: hookviz.Trace) -> None:
    rows = trace.rows()
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert [row["index"] for row in rows] == list(range(12))
    assert len({tuple(row) for row in rows}) == 1
    row = rows[4]
    assert (row["kind"], row["where"], row["hook"]) == (
        "tensor_hook",
        "d",
        "lambda grad: grad + 100",
    )
    assert (row["incoming"], row["outgoing"], row["rewritten"]) == ("12", "112", True)
    assert (row["incoming_norm"], row["outgoing_norm"], row["grad_after"]) == (12.0, 112.0, None)
    assert rows[5]["grad_after_norm"] == 112.0
    assert (rows[3]["outgoing"], rows[3]["outgoing_norm"]) == ("8, 12", None)


def test_a_norm_that_is_no_number_is_none_in_a_row() -> None:
    x = torch.tensor(0.0, requires_grad=True)
    rows = hookviz.record(torch.sqrt(x) * float("nan")).rows()
    json.dumps(rows, allow_nan=False)
    assert rows[-1]["grad_after"] == "nan"
    assert rows[-1]["grad_after_norm"] is None


def test_a_grad_is_found_by_the_tensor_its_name_and_the_end_of_a_path() -> None:
    model = torch.nn.Sequential(
        torch.nn.Linear(2, 2), torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False))
    )
    x = torch.ones(1, 2, requires_grad=True)
    trace = hookviz.record(model(x).sum())
    for key in (model[0].bias, "model.0.bias", "0.bias", "bias", "model[0].bias"):
        assert trace[key].equal(model[0].bias.grad)
        assert trace.grad(key) == trace[key]
    assert trace["1.0.weight"].equal(model[1][0].weight.grad)
    assert trace.of(x) == trace.of("x") != ()
    with pytest.raises(hookviz.UnknownTargetError, match="end of several names: model"):
        trace["weight"]
    with pytest.raises(hookviz.UnknownTargetError, match="no tensor 'eight'"):
        trace["eight"]
    for stranger in (torch.ones(1, 2), model, 5, None):
        with pytest.raises(hookviz.UnknownTargetError, match="no tensor like this"):
            trace[stranger]


def test_an_explorers_trace_knows_its_tensors() -> None:
    tensors = second_example()
    explorer = hookviz.explore(tensors["e"], names=tensors)
    before = explorer.trace
    assert float(before[tensors["a"]]) == 30
    explorer.disable("h1")
    assert float(explorer.trace[tensors["a"]]) == 24
    with pytest.raises(hookviz.UnknownTargetError):
        before[tensors["a"]]
    assert float(before["a"]) == 30


def test_a_trace_keeps_no_tensor_alive() -> None:
    import gc
    import weakref

    x = torch.tensor(2.0, requires_grad=True)
    trace = hookviz.record(x * 3)
    watched = weakref.ref(x)
    del x
    gc.collect()
    assert watched() is None
    assert trace.grad("x") is not None


def test_records_are_made_once_when_two_threads_look_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    made: list[int] = []
    x = torch.tensor(2.0, requires_grad=True)
    record = hookviz.record(x * 3)._record

    def finish() -> Any:
        made.append(1)
        return record

    trace = hookviz.Trace(finish)
    assert made == []
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: trace._record, range(64)))
    assert made == [1]
    assert all(one is record for one in found)
