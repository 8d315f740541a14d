"""Operations with several outputs: slots, and the None that travels where nothing was used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._records import Event
from tests.cases.forms import each_with_a_form, filled, say
from tests.cases.oracle import compare
from tests.cases.plain import Tensors

Split = Callable[[torch.Tensor], tuple[torch.Tensor, ...]]

SPLITS: dict[str, Split] = {
    "unbind": lambda x: x.unbind(),
    "unbind columns": lambda x: x.unbind(1),
    "split": lambda x: x.split([1, 3]),
    "chunk": lambda x: x.chunk(2, dim=1),
    "var_mean": lambda x: torch.var_mean(x, dim=0),
    "svd": lambda x: torch.linalg.svd(x + torch.eye(4), full_matrices=False),
    "qr": lambda x: torch.linalg.qr(x + torch.eye(4)),
}

any_split = pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)


def only_one_used(split: Split, used: int, hook: Any) -> Tensors:
    x = filled((4, 4), torch.float64)
    parts = split(x)
    tensors = {"loss": (parts[used] * 3).sum(), "x": x}
    for place, part in enumerate(parts):
        part.register_hook(hook)
        part.retain_grad()
        tensors[f"part{place}"] = part
    return tensors


def node_event(trace: hookviz.Trace, name: str) -> Event:
    node = trace.graph.find(name).node
    (event,) = [event for event in trace.events if event.kind == "node" and event.node == node]
    return event


@each_with_a_form("split, form", SPLITS)
@pytest.mark.parametrize("used", [0, -1], ids=["first", "last"])
def test_the_hook_on_an_unused_output_is_called_with_none_which_is_no_zero(
    split, used, form
) -> None:
    hook = form(lambda grad: say(grad is None))
    trace = compare(lambda: only_one_used(split, used, hook), passes=2)
    parts = [tensor.label for tensor in trace.graph.tensors if tensor.label.startswith("part")]
    incoming = {name: [e for e in trace.of(name) if e.kind == "tensor_hook"] for name in parts}
    nones = [name for name, events in incoming.items() if any(e.incoming is None for e in events)]
    assert nones
    for name in nones:
        (event,) = incoming[name]
        assert (event.outgoing, event.rewritten, event.returned_none) == (None, False, True)
        assert event.printed == "True\n"
        assert trace.grad(name) is None
        assert not any(e.kind == "retain_grad" for e in trace.of(name))
        node = node_event(trace, name)
        assert node.incoming[trace.graph.find(name).output_nr] is None
        assert len(node.incoming) == len(parts)


def test_the_transcript_says_none_where_nothing_arrived() -> None:
    def build() -> Tensors:
        x = filled((2,))
        first, second = x.unbind()
        first.register_hook(lambda grad: None)
        return {"loss": second * 3, "x": x, "first": first, "second": second}

    lines = [line.split() for line in compare(build).text().splitlines()]
    (line,) = [line for line in lines if line[1:2] == ["first"]]
    assert "None" in line
    assert "0" not in line[2:]


@any_split
@pytest.mark.parametrize("make", [torch.zeros, torch.ones], ids=["zero", "one"])
def test_a_hook_cannot_put_a_gradient_in_the_place_of_none(split, make) -> None:
    def hook(grad: torch.Tensor | None) -> torch.Tensor | None:
        return make(()) if grad is None else None

    trace = compare(lambda: only_one_used(split, 0, hook))
    assert "can't replace a None gradient" in trace.error.message
    assert trace.error.explanation == "error.hook_replaced_none"
    event = trace.events[-1]
    assert event.tensor == trace.error.tensor
    assert trace.graph.find(event.tensor).node == trace.graph.find("part1").node
    assert event.incoming is None
    assert event.outgoing.item() == make(()).item()
    assert trace.grad("x") is None


WITH_INDICES: dict[str, Split] = {
    "topk": lambda x: x.topk(2),
    "max": lambda x: x.max(dim=0),
    "sort": lambda x: x.sort(dim=1),
    "kthvalue": lambda x: x.kthvalue(2),
    "median": lambda x: x.median(dim=0),
    "mode": lambda x: x.mode(),
    "cummax": lambda x: x.cummax(dim=0),
    "pool": lambda x: torch.nn.functional.max_pool1d(x[None], 2, return_indices=True),
}


@each_with_a_form("select, form", WITH_INDICES)
def test_indices_cannot_be_hooked_and_no_gradient_arrives_at_their_slot(select, form) -> None:
    def build() -> Tensors:
        x = filled((4, 4))
        values, indices = select(x)
        with pytest.raises(RuntimeError, match="doesn't require gradient"):
            indices.register_hook(print)
        values.register_hook(form(lambda grad: grad * 2))
        return {"loss": values.sum(), "x": x, "values": values, "indices": indices}

    trace = compare(build)
    (event,) = [event for event in trace.of("values") if event.kind == "tensor_hook"]
    assert set(event.outgoing.numbers()) == {2}
    incoming = node_event(trace, "values").incoming if select is not WITH_INDICES["pool"] else ()
    assert incoming[1:] in ((), (None,))


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.LSTMCell])
@pytest.mark.parametrize("used", [0, 1])
def test_the_outputs_of_a_recurrent_layer_are_hooked_like_any_others(kind, used) -> None:
    def build() -> Tensors:
        x = filled((3, 4))
        outputs = kind(4, 2)(x if kind is torch.nn.LSTMCell else x[:, None])
        first, second = outputs if kind is not torch.nn.LSTM else (outputs[0], outputs[1][1])
        first.register_hook(lambda grad: None if grad is None else grad * 10)
        second.register_hook(lambda grad: say(grad is None))
        return {"loss": (first, second)[used].sum(), "x": x, "first": first, "second": second}

    compare(build, passes=2)


def test_each_of_many_outputs_has_its_own_slot_and_its_own_hooks() -> None:
    def build() -> Tensors:
        x = filled((6,))
        parts = x.unbind()
        tensors = {"x": x}
        for place, part in enumerate(parts):
            part.register_hook(lambda grad, factor=place: grad * factor)
            tensors[f"part{place}"] = part
        return {"loss": torch.stack(parts).sum(), **tensors}

    trace = compare(build)
    hooked = [event for event in trace.events if event.kind == "tensor_hook"]
    assert [(event.slot, event.outgoing.item()) for event in hooked] == [(n, n) for n in range(6)]
    assert {trace.graph.find(f"part{n}").output_nr for n in range(6)} == set(range(6))
    node = node_event(trace, "part0")
    assert [gradient.item() for gradient in node.incoming] == list(range(6))
