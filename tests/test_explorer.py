"""The widget without a browser: traits are set and read, messages arrive as from a click."""

from __future__ import annotations

import gc
import json
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch

import hookviz
from hookviz._live import internals
from hookviz._view.text.message import Message, render
from hookviz._widget.explorer import Explorer
from tests.identity import entries
from tests.live.scripts import grad_of, leaf, second_example


@pytest.fixture
def tensors() -> dict[str, torch.Tensor]:
    return second_example()


@pytest.fixture
def explorer(tensors: dict[str, torch.Tensor]) -> Explorer:
    return hookviz.explore(tensors["e"], names=tensors)


def said(explorer: Explorer, lang: str = "en") -> str:
    """Return the message on screen."""

    def text(part: Any) -> str:
        return part if isinstance(part, str) else render(Message(**part), lang)

    return "\n".join(text(explorer.notice[name]) for name in ("title", "detail", "hint"))


def click(explorer: Explorer, **content: Any) -> None:
    """Send what the browser sends."""
    explorer._handle_custom_msg(content, [])


def test_it_starts_before_anything_and_ends_after_the_last_event(explorer: Explorer) -> None:
    assert repr(explorer) == "Explorer(e.backward(), step 0 of 12)"
    explorer.last()
    assert explorer.step == len(explorer.trace.events) == 12
    explorer.next()
    assert explorer.step == 12
    explorer.first()
    explorer.back()
    assert explorer.step == 0
    explorer.goto(7)
    explorer.back()
    assert explorer.step == 6


def test_goto_refuses_a_step_that_is_not_there(explorer: Explorer) -> None:
    with pytest.raises(hookviz.HookvizError, match="steps 0 to 12"):
        explorer.goto(13)
    explorer.step = 99
    assert explorer.step == 12


def test_captions_follow_the_step_and_the_language(explorer: Explorer) -> None:
    explorer.goto(7)
    assert "c_hook" in explorer.caption
    assert "8" in explorer.caption
    assert "10" in explorer.caption
    english = explorer.caption
    explorer.lang = "zh"
    assert explorer.caption != english
    assert "钩子" in explorer.caption


def test_the_state_is_json_and_stepping_sends_nothing_but_the_step(explorer: Explorer) -> None:
    state = explorer.get_state()
    json.dumps({key: value for key, value in state.items() if key != "layout"}, allow_nan=False)
    before = {name: explorer.get_state(name)[name] for name in ("picture", "steps", "tensors")}
    explorer.next()
    assert {name: explorer.get_state(name)[name] for name in before} == before


def test_an_edit_keeps_the_reader_at_the_matching_step(
    explorer: Explorer, tensors: dict[str, torch.Tensor]
) -> None:
    explorer.goto(5)
    hook = explorer.hooks("d")[0]
    click(explorer, action="edit", hook=hook.id, source="lambda grad: grad * 0")
    assert explorer.step == 5
    assert "0" in explorer.caption
    assert grad_of(tensors["d"]) == 0
    assert explorer.notice is None


def test_an_added_hook_before_the_readers_place_moves_the_step_along(explorer: Explorer) -> None:
    explorer.goto(10)
    event = explorer.trace.events[9]
    hook_id = explorer.attach("e", "lambda grad: grad")
    assert explorer.step == 11
    assert explorer.trace.events[10].kind == event.kind
    explorer.remove(hook_id)
    assert explorer.step == 10


def test_every_click_has_its_method(explorer: Explorer, tensors: dict[str, torch.Tensor]) -> None:
    target = explorer.trace.graph.find("b")
    assert target is not None
    click(explorer, action="attach", target=target.id, source="lambda grad: grad * 3")
    assert grad_of(tensors["b"]) == 60
    (hook,) = explorer.hooks("b")
    assert hook.origin == "explorer"
    click(explorer, action="disable", hook=hook.id)
    assert grad_of(tensors["b"]) == 20
    click(explorer, action="enable", hook=hook.id)
    assert grad_of(tensors["b"]) == 60
    click(explorer, action="attach", target=target.id, source="lambda grad: grad + 1")
    assert grad_of(tensors["b"]) == 61
    click(explorer, action="move", hook=hook.id, position=1)
    assert grad_of(tensors["b"]) == 63
    click(explorer, action="remove", hook=hook.id)
    assert grad_of(tensors["b"]) == 21
    click(explorer, action="run")
    assert grad_of(tensors["b"]) == 21


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"action": "attach", "target": "b", "source": "lambda grad grad"}, "line 1"),
        ({"action": "attach", "target": "b", "source": "5"}, "cannot be called"),
        (
            {"action": "attach", "target": "z", "source": "lambda g: g"},
            "not a tensor of this graph",
        ),
        ({"action": "attach", "target": "b", "source": "lambda g: g.zz"}, "AttributeError"),
        ({"action": "edit", "hook": "h77", "source": "lambda g: g"}, "no hook 'h77'"),
        ({"action": "remove", "hook": ""}, "no hook ''"),
    ],
)
def test_misuse_shows_a_message_and_loses_nothing(
    explorer: Explorer, tensors: dict[str, torch.Tensor], content: dict[str, str], words: str
) -> None:
    explorer.goto(4)
    before = (explorer.picture, explorer.steps, explorer.tensors, explorer.step)
    grads = {name: grad_of(tensor) for name, tensor in tensors.items()}
    click(explorer, **content)
    assert explorer.notice is not None
    assert words in said(explorer)
    assert (explorer.picture, explorer.steps, explorer.tensors, explorer.step) == before
    assert {name: grad_of(tensor) for name, tensor in tensors.items()} == grads
    assert not explorer.busy
    first = explorer.notice["serial"]
    click(explorer, **content)
    assert explorer.notice["serial"] > first
    click(explorer, action="dismiss")
    assert explorer.notice is None


def test_a_refusal_is_in_the_language_of_the_reader(explorer: Explorer) -> None:
    click(explorer, action="attach", target="t0", source="lambda grad grad")
    assert "line 1: invalid syntax" in said(explorer)
    assert "    lambda grad grad\n                ^" in said(explorer)
    assert "第 1 行" in said(explorer, "zh")
    assert "张量钩子" in said(explorer, "zh")


def test_a_method_raises_what_a_click_shows(explorer: Explorer) -> None:
    with pytest.raises(hookviz.HookSourceError):
        explorer.attach("b", "lambda")
    assert explorer.notice is not None


@pytest.mark.parametrize("content", [None, 5, {}, {"action": "format disk"}, {"action": ["x"]}])
def test_a_message_nobody_knows_is_ignored(explorer: Explorer, content: object) -> None:
    explorer._handle_custom_msg(content, [])
    assert explorer.notice is None


def test_the_first_pass_with_a_failing_hook_still_opens() -> None:
    x = leaf(2.0)
    x.register_hook(lambda grad: 1 / 0)
    out = x * 3
    explorer = hookviz.explore(out)
    assert explorer.trace.error is not None
    explorer.last()
    assert "division by zero" in explorer.caption
    explorer.edit(explorer.hooks("x")[0].id, "lambda grad: grad")
    assert explorer.trace.error is None
    assert grad_of(x) == 3


def test_selecting_takes_a_tensor_a_name_or_an_id(
    explorer: Explorer, tensors: dict[str, torch.Tensor]
) -> None:
    explorer.select("c")
    first = explorer.selected
    explorer.select(tensors["c"])
    assert explorer.selected == first != ""
    explorer.selected = "nonsense"
    assert explorer.selected == ""
    with pytest.raises(hookviz.UnknownTargetError):
        explorer.select("nonsense")


def test_the_output_holds_a_picture_and_the_transcript_for_pages_without_widgets(
    explorer: Explorer,
) -> None:
    data, _ = explorer._repr_mimebundle_()
    assert data["text/plain"] == explorer.trace.text()
    assert "hello my grad is tensor(10.)" in data["image/svg+xml"]
    assert "application/vnd.jupyter.widget-view+json" in data


def test_an_unknown_language_is_refused(tensors: dict[str, torch.Tensor]) -> None:
    with pytest.raises(hookviz.HookvizError, match="en, zh"):
        hookviz.explore(tensors["e"], lang="fr")


def test_the_page_says_the_id_and_python_the_name() -> None:
    t1, t2 = leaf(2.0), leaf(5.0)
    out = t2 * t1
    explorer = hookviz.explore(out)
    card = next(tensor for tensor in explorer.tensors if tensor["label"] == "t2")
    click(explorer, action="attach", target=card["id"], source="lambda grad: grad * 10")
    assert (grad_of(t1), grad_of(t2)) == (5, 20)
    explorer.attach("t1", "lambda grad: grad * 100")
    assert (grad_of(t1), grad_of(t2)) == (500, 20)
    assert [hook.label for hook in explorer.hooks("t1")] == ["lambda grad: grad * 100"]


def test_a_hook_that_calls_the_explorer_is_refused_and_nothing_is_lost() -> None:
    x = leaf(2.0)
    out = x * 3
    explorer = hookviz.explore(out)
    seen: list[str] = []

    def meddle(grad: torch.Tensor) -> None:
        try:
            explorer.attach("x", "lambda grad: grad * 2")
        except hookviz.HookvizError as error:
            seen.append(str(error))

    explorer.attach("x", meddle)
    assert len(seen) == 1
    assert "backward is running" in seen[0]
    explorer.attach("x", "lambda grad: grad * 7")
    assert grad_of(x) == 21


def test_the_pass_that_failed_can_be_read(explorer: Explorer) -> None:
    with pytest.raises(hookviz.HookRunError) as caught:
        explorer.attach("b", "lambda grad: 1 / 0")
    trace = caught.value.trace
    assert isinstance(trace, hookviz.Trace)
    assert "ZeroDivisionError" in trace.text()
    assert trace.events[-1].error == trace.error


def test_a_hook_that_closes_the_explorer_is_refused_and_nothing_is_lost() -> None:
    x = leaf(2.0)
    out = x * 3
    explorer = hookviz.explore(out)
    with pytest.raises(hookviz.HookRunError, match="backward is running"):
        explorer.attach("x", lambda grad: explorer.close())
    explorer.attach("x", "lambda grad: grad * 7")
    assert grad_of(x) == 21
    explorer.close()
    assert not internals.tensor_hooks(x)


def test_two_explorers_leave_nothing_of_each_other_behind(
    tensors: dict[str, torch.Tensor],
) -> None:
    found = entries(internals.tensor_hooks(tensors["c"]))
    one = hookviz.explore(tensors["e"], names=tensors)
    one.disable(one.hooks("c")[0].id)
    two = hookviz.explore(tensors["e"], names=tensors)
    first = two.hooks("c")[0]
    assert (first.label, first.enabled) == ("c_hook", False)
    trace = hookviz.record(tensors["e"], names=tensors)
    assert "turned_off" not in trace.text()
    two.edit(two.hooks("c")[1].id, "lambda grad: grad * 2")
    one.attach("c", "lambda grad: grad")
    two.run()
    two.remove(two.hooks("c")[2].id)
    one.close()
    two.close()
    assert entries(internals.tensor_hooks(tensors["c"])) == found


def test_exit_in_a_hook_ends_nothing(explorer: Explorer) -> None:
    click(explorer, action="attach", target="t0", source="lambda g: __import__('sys').exit()")
    assert explorer.notice is not None
    assert not explorer.busy
    click(explorer, action="run")
    assert explorer.notice is None


def test_text_that_cannot_be_encoded_is_spelled_out() -> None:
    x = leaf(2.0)
    x.register_hook(lambda grad: print(chr(0xD800)))
    out = x * 3
    explorer = hookviz.explore(out, names={chr(0xD801): out})
    json.dumps(explorer.steps, ensure_ascii=False).encode("utf-8")
    explorer.trace.text().encode("utf-8")
    assert hookviz.Trace.from_json(explorer.trace.to_json()) == explorer.trace


def test_an_exception_without_a_readable_message_is_kept_all_the_same(explorer: Explorer) -> None:
    source = """
class Odd(Exception):
    def __str__(self):
        raise ValueError

def hook(grad):
    raise Odd
"""
    with pytest.raises(hookviz.HookRunError, match="could not be read"):
        explorer.attach("b", source)


def test_a_closed_explorer_still_shows_its_picture_and_lets_the_graph_go() -> None:
    x = leaf(2.0)
    out = x * 3
    explorer = hookviz.explore(out, names={"out": out, "x": x})
    explorer.close()
    data, _ = explorer._repr_mimebundle_()
    assert "image/svg+xml" in data
    watched = weakref.ref(x)
    del x, out
    gc.collect()
    assert watched() is None
    with pytest.raises(hookviz.ClosedError):
        explorer.hooks("x")


@pytest.mark.parametrize(
    "misuse",
    [
        lambda explorer: explorer.goto("3"),
        lambda explorer: explorer.goto(2.5),
        lambda explorer: explorer.goto(None),
        lambda explorer: explorer.move(explorer.hooks("c")[0], "x"),
        lambda explorer: explorer.move(explorer.hooks("c")[0], None),
        lambda explorer: explorer.remove([1]),
        lambda explorer: explorer.play(speed="fast"),
        lambda explorer: explorer.attach("b", 5),
        lambda explorer: explorer.attach(5, "lambda grad: grad"),
    ],
)
def test_wrong_kinds_of_arguments_are_refused_in_plain_words(
    explorer: Explorer, misuse: Callable[[Explorer], object]
) -> None:
    with pytest.raises(hookviz.HookvizError):
        misuse(explorer)
    explorer.run()


def test_a_hooks_record_names_it(explorer: Explorer, tensors: dict[str, torch.Tensor]) -> None:
    explorer.edit(explorer.hooks("d")[0], "lambda grad: grad * 0")
    assert grad_of(tensors["d"]) == 0


def test_interrupt_stops_a_hook_that_runs_in_another_thread(
    explorer: Explorer, tensors: dict[str, torch.Tensor]
) -> None:
    source = "def forever(grad):\n    while True:\n        pass\n"
    content = {"action": "attach", "target": "t0", "source": source}
    worker = threading.Thread(target=click, args=(explorer,), kwargs=content)
    worker.start()
    while not explorer.busy:
        time.sleep(0.01)
    while worker.is_alive():
        explorer.interrupt()
        worker.join(timeout=0.1)
    assert explorer.notice is not None
    assert explorer.hooks("e")[-1].label != "forever"
    explorer.run()
    assert grad_of(tensors["a"]) == 30


def test_close_puts_the_users_hooks_back(
    explorer: Explorer, tensors: dict[str, torch.Tensor]
) -> None:
    explorer.edit(explorer.hooks("d")[0].id, "lambda grad: grad * 0")
    explorer.close()
    tensors["d"].grad = None
    tensors["e"].backward(retain_graph=True)  # type: ignore[no-untyped-call]
    assert grad_of(tensors["d"]) == 112
    with pytest.raises(hookviz.ClosedError):
        explorer.attach("b", "lambda grad: grad")


def test_two_explorers_on_one_graph_show_the_same_hooks(
    tensors: dict[str, torch.Tensor],
) -> None:
    one = hookviz.explore(tensors["e"], names=tensors)
    two = hookviz.explore(tensors["e"], names=tensors)
    two.close()
    one.attach("b", "lambda grad: grad * 2")
    assert one.trace.grad("b") is not None
    assert len(one.hooks("b")) == 1


def test_play_and_pause_are_methods_too(explorer: Explorer) -> None:
    explorer.last()
    explorer.play(speed=4)
    assert (explorer.playing, explorer.speed, explorer.step) == (True, 4, 0)
    explorer.pause()
    assert not explorer.playing
    with pytest.raises(hookviz.HookvizError, match=r"from 0.05 to 50"):
        explorer.play(speed=0)


def test_hooks_that_have_no_place_in_a_new_graph_are_told_until_the_next_run() -> None:
    x = torch.ones(2, requires_grad=True)
    shape = {"is_wide": False}

    def root() -> torch.Tensor:
        inner = x * 2
        return (inner + 1).sum() if shape["is_wide"] else inner.sum()

    explorer = hookviz.explore(root)
    explorer.attach("n1", "lambda inputs, outputs: None")
    assert explorer.notice is None
    shape["is_wide"] = True
    explorer.run()
    assert explorer.notice is not None
    assert explorer.notice["kind"] == "info"
    assert explorer.notice["title"] == {
        "key": "notice.hooks_dropped",
        "args": {"hooks": "lambda inputs, outputs: None (n1)"},
    }
    explorer.run()
    assert explorer.notice is None
