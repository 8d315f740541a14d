"""The comparison with plain PyTorch finds what it is there to find, and the table is complete."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec import structs

import hookviz
from hookviz._records import HiddenRewriteEvent
from tests.cases.facts import bits
from tests.cases.forms import filled, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

HERE = Path(__file__).parent
HONEST = hookviz.record


def build() -> Tensors:
    a = filled((2,))
    c = a * 3
    c.retain_grad()
    c.register_hook(lambda grad: say("c") or grad * 10)
    a.register_post_accumulate_grad_hook(lambda leaf: None)
    return {"loss": c.sum(), "a": a, "c": c}


def failing() -> Tensors:
    tensors = build()
    tensors["a"].register_hook(lambda grad: 1 / 0)
    return tensors


def altered(trace: hookviz.Trace, **fields: Any) -> hookviz.Trace:
    return hookviz.Trace(structs.replace(trace._record, **fields))


def changed(kind: str, /, **fields: Any) -> Callable[..., hookviz.Trace]:
    def record(root: torch.Tensor, **options: Any) -> hookviz.Trace:
        trace = HONEST(root, **options)
        events = [structs.replace(e, **fields) if e.kind == kind else e for e in trace.events]
        return altered(trace, events=tuple(events))

    return record


def without(kind: str) -> Callable[..., hookviz.Trace]:
    def record(root: torch.Tensor, **options: Any) -> hookviz.Trace:
        trace = HONEST(root, **options)
        events = [event for event in trace.events if event.kind != kind]
        events = [structs.replace(e, index=index) for index, e in enumerate(events)]
        return altered(trace, events=tuple(events))

    return record


def rewrite_made_up(root: torch.Tensor, **options: Any) -> hookviz.Trace:
    trace = HONEST(root, **options)
    start, *others = trace.events
    made_up = HiddenRewriteEvent(index=0, tensor=start.tensor, outgoing=start.outgoing)
    return altered(trace, events=(made_up, *others))


def after_it(change: Callable[[Tensors], Any]) -> Callable[..., hookviz.Trace]:
    def record(root: torch.Tensor, **options: Any) -> hookviz.Trace:
        trace = HONEST(root, **options)
        change(options["names"])
        return trace

    return record


def one_bit(tensors: Tensors) -> None:
    with torch.no_grad():
        tensors["a"].grad[0] = torch.nextafter(tensors["a"].grad[0], torch.tensor(99.0))


def another_function(tensors: Tensors) -> None:
    hooks = tensors["c"]._backward_hooks
    hooks[next(iter(hooks))] = torch.neg


LIES: dict[str, Callable[..., hookviz.Trace]] = {
    "a wrong incoming value": changed("tensor_hook", incoming=None),
    "a wrong outgoing value": changed("node", outgoing=()),
    "a wrong place in the chain": changed("tensor_hook", hook_index=1),
    "a wrong tensor": changed("accumulate", tensor="c"),
    "a wrong grad before": changed("retain_grad", incoming=None),
    "a hook left out": without("tensor_hook"),
    "an accumulation left out": without("accumulate"),
    "a retained gradient left out": without("retain_grad"),
    "a post-accumulate hook left out": without("post_accumulate_hook"),
    "a print left out": changed("tensor_hook", printed=""),
    "a rewrite made up": rewrite_made_up,
    "one bit of a gradient": after_it(one_bit),
    "a changed value": after_it(lambda tensors: tensors["a"].data.add_(1)),
    "a hook left behind": after_it(lambda tensors: tensors["a"].register_hook(print)),
    "a hook taken away": after_it(lambda tensors: tensors["c"]._backward_hooks.clear()),
    "a hook exchanged": after_it(another_function),
    "an attribute left behind": after_it(lambda tensors: setattr(tensors["c"], "seen", True)),
    "a warning": after_it(lambda tensors: warnings.warn("new", UserWarning, stacklevel=1)),
    "a line printed": after_it(lambda tensors: say("new")),
    "a random number drawn": after_it(lambda tensors: torch.rand(1)),
    "a swallowed error": lambda root, **options: altered(HONEST(root, **options), error=None),
}


@pytest.mark.parametrize("record", LIES.values(), ids=LIES)
def test_the_comparison_notices(record, monkeypatch) -> None:
    graph = failing if record is LIES["a swallowed error"] else build
    compare(graph)
    monkeypatch.setattr(hookviz, "record", record)
    with pytest.raises(AssertionError):
        compare(graph)


def test_bits_tell_apart_what_looks_alike() -> None:
    alike = [
        torch.tensor([0.0]),
        torch.tensor([-0.0]),
        torch.tensor([0]),
        torch.tensor([0.0], dtype=torch.float64),
        torch.tensor([[0.0]]),
        torch.tensor([0.0]).to_sparse(),
        torch.tensor([0.0], device="meta"),
        None,
    ]
    assert len({bits(tensor) for tensor in alike}) == len(alike)
    nan = torch.tensor([float("nan")])
    assert bits(nan) == bits(nan.clone())


def rows() -> list[tuple[str, str]]:
    lines = (HERE / "README.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(row[0], row[1]) for row in cells if len(row) > 1 and "::" in row[1]]


@pytest.mark.parametrize("stride", [0, 1, 7])
def test_bits_of_a_single_element_do_not_depend_on_its_stride(stride: int) -> None:
    # Nothing is next to it, so PyTorch allows any stride, and `view` to bytes only some.
    one = torch.tensor([2.5]).as_strided((1,), (stride,))
    assert bits(one) == bits(torch.tensor([2.5]))
    assert bits(one) != bits(torch.tensor([-2.5]))


def test_the_table_has_a_row_for_each_situation_and_names_tests_that_exist() -> None:
    assert len(rows()) == len({situation for situation, _ in rows()}) == 70
    for _, places in rows():
        for place in re.findall(r"`([^`]+)`", places):
            file, _, test = place.partition("::")
            (found,) = HERE.rglob(f"test_{file}.py")
            assert f"def test_{test}(" in found.read_text(encoding="utf-8"), place
