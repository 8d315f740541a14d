"""A pass through what an earlier pass made tells of both."""

from __future__ import annotations

import contextlib
import gc
import io
import linecache
import threading
import weakref
from pathlib import Path

import pytest
import torch

import hookviz
from hookviz._live.recording import earlier_passes as earlier

pytestmark = pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph")
ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    earlier._of_thread.passes.clear()


def twice_hooked() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: g * x)
    return x, y


def then_again(x: torch.Tensor, root: torch.Tensor, **options: bool) -> hookviz.Trace:
    """Record a pass from a root with `x.grad` empty before."""
    x.grad = None
    return hookviz.record(root, names={"x": x}, **options)


def test_the_hook_of_x_runs_in_both_passes_36_then_72() -> None:
    x, y = twice_hooked()
    first = then_again(x, y, create_graph=True)
    second = then_again(x, x.grad)
    assert x.grad.item() == 72
    assert second.earlier == first
    assert second.passes() == (first, second)
    outgoing = [[e.outgoing.item() for e in t.of("x") if e.hook] for t in second.passes()]
    assert outgoing == [[36], [72]]
    assert first.earlier is None


def test_the_nodes_that_the_first_pass_made_are_marked_and_no_others() -> None:
    x, y = twice_hooked()
    before = {node.name() for node in (y.grad_fn,)}
    then_again(x, y, create_graph=True)
    second = then_again(x, x.grad + y)
    unmarked = [node.name for node in second.graph.nodes if not node.made_by_pass]
    # The sum that was written after the pass, the forward's own node, and the leaf.
    assert sorted(unmarked) == sorted(["AddBackward0", *before, "AccumulateGrad"])
    marked = [node for node in second.graph.nodes if node.made_by_pass]
    assert {node.annotation for node in marked} == {"node.made_by_pass"}
    assert len(marked) == len(second.graph.nodes) - 3


def test_three_passes_are_a_chain_and_each_node_names_its_own() -> None:
    x, y = twice_hooked()
    first = then_again(x, y, create_graph=True)
    second = then_again(x, x.grad, create_graph=True)
    third = then_again(x, x.grad)
    assert third.passes() == (first, second, third)
    assert {node.made_by_pass for node in third.graph.nodes} == {0, 1, 2}
    assert "Pass 3, through nodes" in third.text()
    assert "第 3 遍" in third.text("zh")


def test_a_pass_without_create_graph_is_not_remembered() -> None:
    x, y = twice_hooked()
    then_again(x, y)
    assert then_again(x, y).earlier is None


def test_a_graph_that_no_pass_made_has_nothing_earlier() -> None:
    x, y = twice_hooked()
    then_again(x, y, create_graph=True)
    assert then_again(x, y).earlier is None
    other = torch.tensor(1.0, requires_grad=True)
    assert hookviz.record(other * 2).earlier is None


def test_nodes_of_other_threads_with_the_same_numbers_are_not_taken_for_those_of_this_one() -> None:
    found = []

    def work() -> None:
        x, y = twice_hooked()
        found.append(hookviz.record(y, create_graph=True).earlier)
        first, x.grad = x.grad, None
        found.append(hookviz.record(first * 2).earlier is not None)

    for _ in range(3):  # each thread counts its nodes from zero
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == [None, True] * 3


def test_what_is_remembered_keeps_no_tensor_alive() -> None:
    x, y = twice_hooked()
    then_again(x, y, create_graph=True)
    gone = [weakref.ref(one) for one in (x, y, x.grad)]
    x.grad = None
    del x, y
    gc.collect()
    assert [one() for one in gone] == [None, None, None]
    assert len(earlier._of_thread.passes) == 1


def test_only_the_last_passes_are_remembered() -> None:
    x, y = twice_hooked()
    then_again(x, y, create_graph=True)
    first = x.grad
    for _ in range(earlier.MOST_PASSES):
        then_again(x, y, create_graph=True)
    assert then_again(x, first).earlier is None
    assert len(earlier._of_thread.passes) == earlier.MOST_PASSES


def test_an_exploration_of_a_second_pass_knows_the_first() -> None:
    x, y = twice_hooked()
    first = then_again(x, y, create_graph=True)
    root, x.grad = x.grad, None
    explorer = hookviz.explore(root)
    explorer.attach("x", "lambda grad: grad * 1")
    assert explorer.trace.earlier == first
    assert {node.made_by_pass for node in explorer.trace.graph.nodes} == {0, 1}
    explorer.close()


def test_a_trace_of_two_passes_goes_through_json() -> None:
    x, y = twice_hooked()
    then_again(x, y, create_graph=True)
    trace = then_again(x, x.grad)
    back = hookviz.Trace.from_json(trace.to_json())
    assert back == trace
    assert back.text() == trace.text()
    assert isinstance(back.earlier, hookviz.Trace)


def test_a_pass_that_fails_is_remembered_as_one_that_failed() -> None:
    x, y = twice_hooked()
    kept = []
    y.register_hook(lambda g: kept.append(g * x))
    x.register_hook(lambda g: 1 / 0)
    hookviz.record(y, create_graph=True)
    trace = hookviz.record(kept[0])
    assert trace.earlier.error.type == "ZeroDivisionError"
    assert next(n.made_by_pass for n in trace.graph.nodes if n.name == "MulBackward0") == 1


def test_the_page_about_it_shows_what_is_printed() -> None:
    page = (ROOT / "docs" / "two-passes.md").read_text(encoding="utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    expected = page.split("```text\n")[1].split("```")[0]
    file = Path("docs/two-passes.md example")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        linecache.cache[str(file)] = (len(code), None, code.splitlines(True), str(file))
        exec(compile(code, str(file), "exec"), {"__name__": "example"})
    assert printed.getvalue() == expected
