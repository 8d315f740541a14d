"""`%%hookviz` in a real IPython shell: what it shows, and how little it changes."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz._unmodified import cell_magic as magic
from hookviz._widget.explorer import Explorer
from hookviz.errors import HookRunError
from tests.unmodified.programs import START
from tests.unmodified.shell import Shell, bits

WIDGET = "application/vnd.jupyter.widget-view+json"

TWO_PASSES = """\
%%hookviz
a = torch.tensor(2.0, requires_grad=True)
b = a * 3
b.register_hook(lambda grad: grad * 2)
b.backward()
(a * a).backward()
"""


@pytest.fixture
def shell(shell: Shell) -> Shell:
    """A shell with the extension and torch."""
    shell.run(START)
    return shell


def test_each_backward_gets_an_explorer_with_names_and_hooks(
    shell: Shell, explorers: list[Explorer]
) -> None:
    ran = shell.run(TWO_PASSES)
    assert ran.error is None
    assert [WIDGET in data for data in ran.shown if "text/html" not in data] == [True, False] * 2
    assert ran.texts == [
        "backward() 1 of 2, line 5: b.backward()",
        "backward() 2 of 2, line 6: (a * a).backward()",
    ]
    first, second = (explorer.trace for explorer in explorers)
    assert [tensor.label for tensor in first.graph.tensors] == ["b", "a"]
    assert [event.rewritten for event in first.of("b")] == [False, True]
    assert first.grad("a").item() == 6  # type: ignore[union-attr]
    assert second.grad("a").item() == 10  # type: ignore[union-attr]


def test_one_backward_needs_no_heading(shell: Shell) -> None:
    assert shell.run("%%hookviz\na = leaf(2.0)\n(a * a).backward()").texts == []


def test_names_of_variables_inside_functions_are_found(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
def loss_of(x, weight):
    hidden = x * weight
    loss = hidden.sum()
    loss.backward()
def train(weight):
    batch = leaf(1.0, 2.0)
    loss_of(batch, weight)
train(leaf(3.0, 4.0))
""")
    labels = {tensor.names for tensor in explorers[0].trace.graph.tensors}
    assert labels == {("loss",), ("hidden",), ("x", "batch"), ("weight",)}


def test_the_last_value_and_the_history_are_those_of_a_plain_cell(shell: Shell) -> None:
    ran = shell.run("%%hookviz\na = leaf(2.0)\n(a * a).backward()\na.grad")
    assert ran.result.item() == 4
    assert shell.run("_ is a.grad").result is True
    assert shell.variables["In"][-2].endswith("a.grad")
    assert shell.variables["Out"][shell.shell.execution_count - 2] is shell.variables["a"].grad
    quiet = shell.run("%%hookviz\n(a * a).backward()\na.grad;")
    assert quiet.printed == ""
    assert shell.shell.history_manager is not None


def test_a_traceback_is_that_of_a_plain_cell(shell: Shell, explorers: list[Explorer]) -> None:
    body = """\
a = leaf(2.0)
def fail(grad):
    raise ValueError('in the hook')
b = a * 2
b.register_hook(fail)
b.backward()
after = 1
"""
    plain, ran = shell.run("# plain\n" + body), shell.run("%%hookviz\n" + body)
    assert [type(ran.error), str(ran.error)] == [type(plain.error), str(plain.error)]
    assert ran.frames == plain.frames == [("<module>", 7), ("fail", 4)]
    for text in ("Cell In[", "line 7", "----> 7 b.backward()", "----> 4     raise ValueError("):
        assert text in ran.traceback
    assert "hookviz/" not in ran.traceback
    assert "after" not in shell.variables
    # The pass that failed is shown all the same, up to the hook.
    (explorer,) = explorers
    assert explorer.trace.error is not None
    assert explorer.trace.events[-1].kind == "error"


def test_the_passes_before_an_error_are_shown(shell: Shell, explorers: list[Explorer]) -> None:
    ran = shell.run("%%hookviz\na = leaf(2.0)\n(a * a).backward()\n1 / 0\n(a * 3).backward()")
    assert isinstance(ran.error, ZeroDivisionError)
    assert [explorer.title for explorer in explorers] == ["t0.backward()"]


def test_a_cell_that_does_not_compile_fails_as_a_plain_one_and_records_nothing(
    shell: Shell,
) -> None:
    plain, ran = shell.run("# plain\nif True print(1)"), shell.run("%%hookviz\nif True print(1)")
    assert isinstance(ran.error, SyntaxError)
    assert isinstance(plain.error, SyntaxError)
    assert (ran.error.msg, ran.error.lineno) == (plain.error.msg, plain.error.lineno)
    assert ran.shown == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--lang fr", "invalid choice: 'fr'"),
        ("--calls 0", "'0' is no number from 1 to 50"),
        ("--calls many", "'many' is no number from 1 to 50"),
        ("--quick", "unrecognized arguments: --quick"),
        ("model", "unrecognized arguments: model"),
        ("--lang 'en", "No closing quotation"),
    ],
)
def test_a_wrong_option_is_refused_and_the_cell_does_not_run(
    shell: Shell, options: str, said: str
) -> None:
    ran = shell.run(f"%%hookviz {options}\nwent_on = True")
    assert type(ran.error).__name__ == "UsageError"
    assert said in str(ran.error)
    assert "%%hookviz [--lang en|zh] [--calls N]" in str(ran.error)
    assert "went_on" not in shell.variables


def test_the_language_is_that_of_the_option(shell: Shell, explorers: list[Explorer]) -> None:
    ran = shell.run(TWO_PASSES.replace("%%hookviz", "%%hookviz --lang zh", 1))
    assert [explorer.lang for explorer in explorers] == ["zh", "zh"]
    assert ran.texts[0] == "第 1 次 backward()，共 2 次，第 5 行：b.backward()"


def test_other_magics_work_inside(shell: Shell, explorers: list[Explorer]) -> None:
    ran = shell.run("""\
%%hookviz
%%time
!echo from the shell
%env HOOKVIZ_TRIED=yes
(a := leaf(2.0)).backward()
""")
    assert ran.error is None
    assert "HOOKVIZ_TRIED=yes" in ran.printed
    assert "Wall time" in ran.printed
    assert "from the shell" in ran.printed
    assert len(explorers) == 1


def test_a_cell_in_the_cell_does_not_end_the_recording(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
(a := leaf(2.0)).backward()
get_ipython().run_cell('(a * 2).backward()')
get_ipython().run_cell('')
(a * 3).backward()
""")
    assert len(explorers) == 3


def test_await_at_the_top_works(shell: Shell, explorers: list[Explorer]) -> None:
    cell = """\
%%hookviz
import asyncio
a = leaf(2.0)
await asyncio.sleep(0)
(a * a).backward()
await asyncio.sleep(0)
(a * 3).backward()
"""
    # In a thread of its own: in this one the browser tests may have an event loop at work.
    with ThreadPoolExecutor(1) as threads:
        ran = threads.submit(shell.run, cell).result()
    assert ran.error is None
    assert len(explorers) == 2


def test_a_cell_without_backward_says_so(shell: Shell) -> None:
    assert shell.run("%%hookviz\n1 + 1").texts == [
        "No backward() ran here, so there is nothing to step through."
    ]


def test_it_is_needed_once(shell: Shell) -> None:
    ran = shell.run("%%hookviz\n(a := leaf(2.0)).backward()\n%hookviz\n")
    assert "needed once" in str(ran.error)


def test_as_a_line_it_records_the_rest_of_the_cell(shell: Shell, explorers: list[Explorer]) -> None:
    shell.run("(a := leaf(2.0)).backward()\n%hookviz --lang zh\n(a * 2).backward()")
    assert [explorer.lang for explorer in explorers] == ["zh"]


def test_called_as_a_function_it_runs_the_cell(shell: Shell, explorers: list[Explorer]) -> None:
    call = "get_ipython().run_cell_magic('hookviz', '', {!r})"
    assert shell.run(call.format("(a := leaf(2.0)).backward()\n")).error is None
    assert len(explorers) == 1
    ran = shell.run(call.format("1 / 0"))
    assert "the cell failed" in str(ran.error)


def test_only_the_first_calls_are_recorded_and_the_rest_is_counted(
    shell: Shell, explorers: list[Explorer]
) -> None:
    cell = "a = leaf(2.0)\nfor _ in range(1000):\n    (a * a).backward()\n"
    ran = shell.run("%%hookviz\n" + cell)
    assert len(explorers) == 3
    assert ran.texts[-1] == (
        "Further calls of backward(), run plainly and not recorded: 997. hookviz records the first "
        "3; --calls 10 changes that."
    )
    assert shell.variables["a"].grad.item() == 4000
    assert "990" in shell.run("%%hookviz --calls 10\n" + cell).texts[-1]
    assert len(explorers) == 13


def test_a_backward_that_pytorch_makes_itself_is_not_counted(
    shell: Shell, explorers: list[Explorer]
) -> None:
    ran = shell.run("""\
%%hookviz
a = leaf(2.0)
for _ in range(5):
    checkpoint(torch.exp, a, use_reentrant=True).backward()
""")
    assert len(explorers) == 3
    assert "not recorded: 2." in ran.texts[-1]


def test_a_training_loop_keeps_the_recorded_graphs_and_no_other(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
import weakref
alive = weakref.WeakSet()
w = leaf(1.0, 2.0)
for _ in range(20):
    hidden = (w * w).exp()
    alive.add(hidden)
    hidden.sum().backward()
    del hidden
""")
    gc.collect()
    assert len(shell.variables["alive"]) == 3
    for explorer in explorers:
        explorer.close()
    gc.collect()
    assert len(shell.variables["alive"]) == 0


def test_what_counts_as_freed_is_freed_when_the_explorer_is_closed(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
import weakref
big, w = torch.ones(100), leaf(3.0)
memory = weakref.ref(big.untyped_storage())
hidden = w * big
hidden.sum().backward()
del big
""")
    assert shell.variables["memory"]() is not None
    explorers[0].close()
    assert shell.variables["memory"]() is None
    with pytest.raises(RuntimeError, match="second time"):
        shell.variables["hidden"].sum().backward()


def test_an_edit_runs_the_pass_again(shell: Shell, explorers: list[Explorer]) -> None:
    shell.run(TWO_PASSES)
    first = explorers[0]
    hook = first.attach("b", "lambda grad: grad + 100")
    assert first.trace.grad("a").item() == 306  # type: ignore[union-attr]
    first.remove(hook)
    assert first.trace.grad("a").item() == 6  # type: ignore[union-attr]
    with pytest.raises(RuntimeError, match="second time"):
        shell.variables["b"].backward()


def test_a_hook_that_failed_in_the_cell_can_be_turned_off(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
a = leaf(2.0)
b = a * a
b.register_hook(lambda grad: 1 / 0)
b.backward()
""")
    (hook,) = explorers[0].hooks("b")
    explorers[0].disable(hook)
    assert explorers[0].trace.grad("a").item() == 4  # type: ignore[union-attr]


def test_a_pass_that_met_a_freed_graph_meets_it_again(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
loss = checkpoint(torch.exp, leaf(2.0), use_reentrant=False)
loss.backward()
loss.backward()
""")
    assert [explorer.trace.error is None for explorer in explorers] == [True, False]
    explorers[0].run()
    with pytest.raises(HookRunError, match="second time"):
        explorers[1].run()


LEARNED = """\
%%hookviz
w, x = leaf(1.0, 2.0), leaf(3.0, 4.0)
loss = (w * x).sum()
loss.backward({retain})
with torch.no_grad():
    w -= 0.1 * w.grad
"""


@pytest.mark.parametrize("retain", ["", "retain_graph=True"])
def test_an_edit_after_the_weights_changed_is_refused_in_plain_words(
    shell: Shell, explorers: list[Explorer], retain: str
) -> None:
    shell.run(LEARNED.format(retain=retain))
    before = bits(shell.variables["x"].grad)
    with pytest.raises(HookRunError) as caught:
        explorers[0].attach("x", "lambda grad: grad * 2")
    assert caught.value.trace.error.explanation == "error.changed_since"  # type: ignore[union-attr]
    assert "optimizer.step()" in json.dumps(explorers[0].strings["en"]["error.changed_since"])
    assert explorers[0].notice["hint"]["key"] == "error.changed_since"
    assert bits(shell.variables["x"].grad) == before


def test_a_value_changed_during_the_pass_is_not_used_again(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
w, x = leaf(2.0), leaf(3.0)
def step(p):
    with torch.no_grad():
        p.sub_(p.grad)
w.register_post_accumulate_grad_hook(step)
(w * x).backward()
""")
    with pytest.raises(HookRunError) as caught:
        explorers[0].run()
    assert caught.value.trace.error.explanation == "error.changed_since"  # type: ignore[union-attr]


def test_a_cell_run_again_closes_what_it_showed_before(
    shell: Shell, explorers: list[Explorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    shell_type: Any = type(shell.shell)
    parent = {"metadata": {"cellId": "one"}}
    monkeypatch.setattr(shell_type, "get_parent", lambda self: parent, raising=False)
    cell = "%%hookviz\nb.backward(retain_graph=True)"
    shell.run("a = leaf(2.0)\nb = a * a")
    shell.run(cell)
    explorers[0].attach("b", "lambda grad: grad * 10")
    shell.run(cell)
    assert len(explorers) == 2
    with pytest.raises(hookviz.ClosedError):
        explorers[0].run()
    assert not internals.tensor_hooks(shell.variables["b"])
    assert shell.variables["a"].grad.item() == 44


def test_explore_and_record_in_the_cell_are_not_recorded_again(
    shell: Shell, explorers: list[Explorer]
) -> None:
    ran = shell.run("""\
%%hookviz
import hookviz
a = leaf(2.0)
hookviz.record(a * a)
mine = hookviz.explore(a * 3)
""")
    assert explorers == []
    assert "No backward() ran here" in ran.texts[0]


def test_a_thread_that_runs_already_is_left_alone(shell: Shell, explorers: list[Explorer]) -> None:
    shell.run("""\
go, done = threading.Event(), threading.Event()
a = leaf(2.0)
def work():
    go.wait(10)
    (a * a).backward()
    done.set()
thread = threading.Thread(target=work)
thread.start()
""")
    ran = shell.run("%%hookviz\ngo.set()\ndone.wait(10)\nthread.join()")
    assert explorers == []
    assert "No backward() ran here" in ran.texts[0]
    assert shell.variables["a"].grad.item() == 4


def test_two_threads_at_once_are_never_mixed_up(shell: Shell, explorers: list[Explorer]) -> None:
    ran = shell.run("""\
%%hookviz
shared = leaf(2.0)
inside, other_is_done = threading.Event(), threading.Event()
def wait(grad):
    inside.set()
    other_is_done.wait(10)
b = shared * 3
b.register_hook(wait)
thread = threading.Thread(target=b.backward)
thread.start()
inside.wait(10)
(shared * 5).backward()
other_is_done.set()
thread.join()
""")
    assert shell.variables["shared"].grad.item() == 8
    assert len(explorers) == 1
    assert "another thread" in ran.texts[-1]


def test_a_thread_that_outlives_the_cell_leaves_nothing(
    shell: Shell, explorers: list[Explorer]
) -> None:
    shell.run("""\
%%hookviz
import weakref
big, a = torch.ones(100), leaf(2.0)
memory = weakref.ref(big.untyped_storage())
c = a * big
del big
inside, go_on = threading.Event(), threading.Event()
def wait(grad):
    inside.set()
    go_on.wait(10)
c.register_hook(wait)
thread = threading.Thread(target=lambda: c.sum().backward())
thread.start()
inside.wait(10)
""")
    assert shell.variables["memory"]() is not None
    shell.run("go_on.set()\nthread.join()")
    assert explorers == []
    assert shell.variables["a"].grad.item() == 100
    assert shell.variables["memory"]() is None
    with pytest.raises(RuntimeError, match="second time"):
        shell.variables["c"].sum().backward()


def test_a_fault_of_hookviz_does_not_reach_the_cell(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise AssertionError("a bug")

    monkeypatch.setattr(magic, "open_session", broken)
    ran = shell.run("%%hookviz\na = leaf(2.0)\n(a * a).backward()")
    assert ran.error is None
    assert shell.variables["a"].grad.item() == 4
    assert "a fault of hookviz, please report it (AssertionError: a bug)" in ran.texts[0]


def test_the_engine_is_put_back_however_the_cell_ends(shell: Shell) -> None:
    engine = internals.put_engine_function()
    for end in ("1 / 0", "raise KeyboardInterrupt", "raise SystemExit(3)", "assert True"):
        shell.run(f"%%hookviz\nassert torch.autograd._engine_run_backward is not None\n{end}")
        assert internals.put_engine_function() is engine


def test_someone_who_stands_in_front_stays_there(shell: Shell) -> None:
    engine = internals.put_engine_function()
    shell.run("""\
%%hookviz
standing = torch.autograd._engine_run_backward
torch.autograd._engine_run_backward = mine = lambda *a, **k: standing(*a, **k)
""")
    try:
        shell.run("a = leaf(2.0)\n(a * a).backward()")
        assert internals.put_engine_function() is shell.variables["mine"]
        assert shell.variables["a"].grad.item() == 4
    finally:
        internals.put_engine_function(engine)


def test_unloading_removes_it(shell: Shell) -> None:
    callbacks = {name: list(found) for name, found in shell.shell.events.callbacks.items()}
    shell.run("%unload_ext hookviz")
    assert "not found" in str(shell.run("%%hookviz\n1").error)
    assert "not found" in str(shell.run("%hookviz").error)
    shell.run("%load_ext hookviz")
    after = {name: list(found) for name, found in shell.shell.events.callbacks.items()}
    assert {name: len(found) for name, found in after.items()} == {
        name: len(found) for name, found in callbacks.items()
    }
    assert shell.run("%%hookviz\n(a := leaf(2.0)).backward()").error is None


def test_unloading_in_the_middle_shows_what_there_is(
    shell: Shell, explorers: list[Explorer]
) -> None:
    engine = internals.put_engine_function()
    shell.run("%%hookviz\n(a := leaf(2.0)).backward()\n%unload_ext hookviz\n(a * 2).backward()")
    assert len(explorers) == 1
    assert internals.put_engine_function() is engine


def test_loading_in_the_cell_itself_works(
    new_shell: Callable[[], Shell], explorers: list[Explorer]
) -> None:
    shell = new_shell()
    shell.run(START + "%load_ext hookviz\n%hookviz\n(a := leaf(2.0)).backward()")
    assert len(explorers) == 1
    assert isinstance(shell.variables["a"].grad, torch.Tensor)
