"""Sparse, shared, empty and very large tensors, very deep graphs, and names of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

import hookviz
from tests.cases.facts import bits, numbers
from tests.cases.forms import each_with_a_form, filled, say
from tests.cases.oracle import compare, compare_passes
from tests.cases.plain import Tensors

INDEX = torch.tensor([1, 1, 3])

SPARSE: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "embedding": lambda table: functional.embedding(INDEX, table, sparse=True),
    "padding": lambda table: functional.embedding(INDEX, table, padding_idx=3, sparse=True),
    "bag": lambda table: functional.embedding_bag(
        INDEX, table, torch.tensor([0, 2]), mode="sum", sparse=True
    ),
    "gather": lambda table: torch.gather(table, 0, INDEX[:, None], sparse_grad=True),
}

any_sparse = pytest.mark.parametrize("look_up", SPARSE.values(), ids=SPARSE)


@each_with_a_form("look_up, form", SPARSE)
@pytest.mark.parametrize("size", [(4, 2), (20, 5)], ids=str)
def test_a_sparse_gradient_stays_sparse_with_each_index_as_often_as_it_was_used(
    look_up, size, form
) -> None:
    def build() -> Tensors:
        table = filled(size)
        table.register_hook(form(lambda grad: say(grad.layout, grad._nnz(), grad.is_coalesced())))
        return {"loss": (look_up(table) * 2).sum(), "table": table}

    outcome = compare_passes(build, passes=2)
    trace = outcome.traces[0]
    (hook,) = [event for event in trace.of("table") if event.kind == "tensor_hook"]
    assert hook.incoming.layout == "sparse_coo"
    assert hook.printed == f"torch.sparse_coo {hook.incoming.nnz} False\n"
    assert trace.grad("table") == hook.incoming
    assert hook.incoming.nnz == (2 if look_up is SPARSE["padding"] else 3)


RETURNS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], bool]] = {
    "scaled": (lambda grad: grad * 10, True),
    "coalesced": (lambda grad: grad.coalesce(), False),
    "cloned": (lambda grad: grad.clone(), False),
    "in place": (lambda grad: grad.mul_(10), True),
}


@any_sparse
@pytest.mark.parametrize(("hook", "rewrites"), RETURNS.values(), ids=RETURNS)
def test_a_hook_may_return_another_sparse_gradient(look_up, hook, rewrites) -> None:
    def build() -> Tensors:
        table = filled((4, 2))
        table.register_hook(hook)
        return {"loss": look_up(table).sum(), "table": table}

    trace = compare(build)
    (event,) = [event for event in trace.of("table") if event.kind == "tensor_hook"]
    assert (event.incoming.values != event.outgoing.values) is rewrites
    assert event.rewritten or not rewrites


@any_sparse
def test_a_dense_gradient_in_the_place_of_a_sparse_one_is_refused_as_in_plain_pytorch(
    look_up,
) -> None:
    def build() -> Tensors:
        table = filled((4, 2))
        table.register_hook(lambda grad: grad.to_dense())
        return {"loss": look_up(table).sum(), "table": table}

    trace = compare(build)
    assert trace.error.tensor == "table"
    assert trace.error.explanation != "error.hook_dtype"


@any_sparse
@pytest.mark.parametrize("dense_first", [True, False])
def test_a_sparse_and_a_dense_gradient_of_one_leaf_add_up(look_up, dense_first) -> None:
    def build() -> Tensors:
        table = filled((4, 2))
        table.register_hook(lambda grad: say(grad.layout))
        dense = (table * table).sum() if dense_first else None
        sparse = look_up(table).sum()
        dense = (table * table).sum() if dense is None else dense
        return {"loss": sparse + dense, "table": table}

    compare(build, passes=2)


def tied(kind: str) -> Tensors:
    w = filled((2, 2))
    w.register_hook(lambda grad: grad * 1)
    out = functional.linear(functional.embedding(torch.tensor([0]), w), w)
    names = {"w": w, "decoder": w} if kind == "two names" else {"w": w}
    return {"loss": out.sum(), **names, "out": out}


@pytest.mark.parametrize("kind", ["one name", "two names"])
def test_a_tied_weight_is_one_leaf_that_is_hooked_once_with_the_sum(kind) -> None:
    trace = compare(lambda: tied(kind), passes=2)
    (hook,) = [event for event in trace.events if event.kind == "tensor_hook"]
    (leaf,) = [tensor for tensor in trace.graph.tensors if tensor.is_leaf]
    assert leaf.names == (("w", "decoder") if kind == "two names" else ("w",))
    uses = [edge for edge in trace.graph.edges if edge.target == leaf.node]
    assert len(uses) == 2
    assert hook.tensor == "w"


def test_tied_modules_show_every_path_to_their_one_weight() -> None:
    encoder, decoder = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
    decoder.weight = encoder.weight
    model = nn.ModuleDict({"encoder": encoder, "decoder": decoder})
    assert [name for name, _ in model.named_parameters()] == ["encoder.weight"]
    loss = decoder(encoder(torch.tensor([0, 2]))).sum()
    (leaf,) = [tensor for tensor in hookviz.record(loss).graph.tensors if tensor.is_leaf]
    assert {"model.encoder.weight", "model.decoder.weight"} <= set(leaf.names)


LINKS: dict[str, tuple[Callable[[torch.Tensor], torch.Tensor], tuple[int, ...]]] = {
    "view": (lambda y: y.view_as(y), ()),
    "in place": (lambda y: y.mul_(1.0) if not y.is_leaf else y * 1.0, (100,)),
}


@pytest.mark.parametrize(("link", "shape"), LINKS.values(), ids=LINKS)
def test_a_chain_of_3000_operations_is_recorded_like_a_short_one(link, shape) -> None:
    def build() -> Tensors:
        x = filled(shape)
        y = x
        for _ in range(3000):
            y = link(y)
        x.register_hook(lambda grad: grad * 2)
        y.register_hook(lambda grad: grad * 3)
        return {"y": y, "x": x}

    trace = compare(build, gradient=torch.ones(shape))
    assert len(trace.graph.nodes) == 3001
    assert sum(event.kind == "node" for event in trace.events) == 3000
    hooked = [event.tensor for event in trace.events if event.kind == "tensor_hook"]
    assert hooked == ["y", "x"]


ODD_NAMES = [
    *("梯度", "größe", "x<b>y</b>", 'quote"s', "it's", "back\\slash", "new\nline", "tab\tbed"),
    *("{brace|pipe}", "<lambda> <map>", "</script><script>alert(1)</script>", "&amp;", "a -> b"),
    *(" ", "🙂", "abc\u202eדגב", "layers.0.weight", "__proto__", "constructor", "percent%s"),
    *("dollar${x}", "long_" * 40, "null\x00", "\x1b[31mred", "e\u0301", "None", "0", "w[0]['k']"),
]


def of_names(names: list[str]) -> Tensors:
    leaves = {name: filled(()) for name in names}
    total = torch.zeros(())
    for number, leaf in enumerate(leaves.values(), start=1):
        leaf.register_hook(lambda grad, number=number: grad * number)
        total = total + leaf
    return {"total": total, **leaves}


def test_names_of_every_kind_are_kept_as_they_are() -> None:
    trace = compare(lambda: of_names(ODD_NAMES))
    assert [numbers(trace.grad(name)) for name in ODD_NAMES] == [
        number + 1 for number in range(len(ODD_NAMES))
    ]
    assert set(ODD_NAMES) <= set(trace.grads)
    for lang in ("en", "zh"):
        lines = trace.text(lang).splitlines()
        starts = {line.split()[0] for line in lines if line.split()}
        assert {"梯度", "größe", "</script><script>alert(1)</script>", "__proto__"} <= starts


def test_an_empty_name_is_no_name() -> None:
    tensors = of_names(["", "named"])
    trace = hookviz.record(tensors["total"], names=tensors)
    labels = [tensor.label for tensor in trace.graph.tensors]
    assert all(labels)
    assert len(set(labels)) == 3
    assert {label: numbers(trace.grad(label)) for label in labels} == {
        "total": None,
        "tensors['']": 1,
        "named": 2,
    }


@pytest.mark.parametrize("name", ["t0", "t1", "t2", "t3", "n0", "e0"])
def test_a_name_that_looks_like_an_id_names_its_own_tensor_only(name) -> None:
    tensors = of_names(["one", "two"])
    names = {name: tensors["two"]}
    trace = hookviz.record(tensors["total"], names=names)
    labels = [tensor.label for tensor in trace.graph.tensors]
    assert len(set(labels)) == len(labels)
    assert numbers(trace.grad(name)) == 2
    assert sorted(numbers(grad) for grad in trace.grads.values() if grad) == [1, 2]


def test_a_name_given_by_hand_wins_over_a_variable_of_the_same_name() -> None:
    tensors = of_names(["one", "two"])
    one, two = tensors["one"], tensors["two"]
    trace = hookviz.record(tensors["total"], names={"one": two, "two": one})
    labels = [tensor.label for tensor in trace.graph.tensors]
    assert len(set(labels)) == len(labels)
    assert (numbers(trace.grad("one")), numbers(trace.grad("two"))) == (2, 1)


SIZES = [(0,), (0, 3), (2, 0), (65,), (300, 300), (1, 1000), (2, 3, 4, 5)]


@pytest.mark.parametrize("shape", SIZES, ids=str)
@pytest.mark.parametrize("keep", ["summary", "all"])
def test_empty_and_large_gradients_are_kept_whole_or_in_short(shape, keep) -> None:
    def build() -> Tensors:
        x = filled(shape)
        x.register_hook(lambda grad: grad * 2)
        return {"loss": (x * x).sum(), "x": x}

    tensors: Any = build()
    trace = hookviz.record(tensors["loss"], names=tensors, keep=keep)
    grad = trace.grad("x")
    is_whole = keep == "all" or grad.numel <= 64
    assert (grad.values is not None, grad.summary is None) == (is_whole, is_whole)
    if is_whole:
        expected = tensors["x"].detach() * 4
        assert bits(torch.tensor(grad.tolist()).reshape(shape)) == bits(expected)
        assert grad.tolist() == expected.tolist()
    else:
        assert len(trace.to_json()) < 30_000
    compare(build, passes=2)


@pytest.mark.parametrize("uses", [1, 2])
@pytest.mark.parametrize("hook", [None, lambda grad: None])
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_nested_tensor_without_a_shape_is_said_to_be_one(hook, uses) -> None:
    def build() -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], requires_grad=True)
        if hook is not None:
            x.register_hook(hook)
        return x, sum(x.to_padded_tensor(0).sum() for _ in range(uses))

    plain, root = build()
    root.backward()
    x, root = build()
    trace = hookviz.record(root, names={"x": x})
    padded = (leaf.grad.to_padded_tensor(0) for leaf in (plain, x))
    assert torch.equal(*padded)
    assert trace.error is None
    grad = trace.grad("x")
    assert (grad.shape, grad.values) == ((2,), None)
    assert grad.note
    assert hookviz.explore(root, names={"x": x}).steps
