"""What boxes say at each step; the numbers are those of plain PyTorch."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from msgspec import structs
from msgspec.structs import replace
from torch import nn

from hookviz._languages import LANGUAGES
from hookviz._records import CallRecord, ErrorEvent, ErrorRecord, ModuleRecord, SourceRecord
from hookviz._records.value import Argument
from hookviz._view.groups.find import group_tree
from hookviz._view.steps.steps import build_steps, frame_at
from hookviz._view.steps.stops import stops
from hookviz._view.text.message import Message, render
from hookviz._view.text.numbers import short_text
from hookviz._view.transcript import transcript
from tests.view.boxes import (
    BACKWARD_HOOK,
    FORWARD_HOOK,
    PRE_HOOK,
    HandWritten,
    Tower,
    arguments,
    fan,
    hooked_module,
    output,
    sum_net,
)
from tests.view.example import scalar, second_example
from tests.view.graphs import Example
from tests.view.watched import watched


def said(example: Example, step: int, lang: str = "en") -> dict[tuple[str, str], str]:
    """Return what is on screen as text."""
    graph, events = example
    frame = frame_at(build_steps(graph, events), step % (len(events) + 1))
    return {place: render(value, lang) for place, value in frame.items()}


def box_at(example: Example, step: int, key: str, lang: str = "en") -> dict[str, str]:
    """Return the fields of one box."""
    return {
        field: text for (owner, field), text in said(example, step, lang).items() if owner == key
    }


def text_of(tensor: torch.Tensor) -> str:
    from tests.live.snapshots import take

    return render(short_text(take(tensor.detach())), "en")


class Seen:
    """What plain PyTorch's own full backward hooks are given, by the name of the module."""

    def __init__(self, model: nn.Module, *names: str) -> None:
        self.grads: dict[str, tuple[Any, Any]] = {}
        modules = dict(model.named_modules())
        self.handles = [
            modules[name].register_full_backward_hook(self._hook(name)) for name in names
        ]

    def _hook(self, name: str) -> Any:
        def hook(_: nn.Module, grad_input: Any, grad_output: Any) -> None:
            self.grads[name] = (grad_input, grad_output)

        return hook


def plain(names: tuple[str, ...], model: nn.Module, x: torch.Tensor) -> dict[str, tuple[Any, Any]]:
    """Return `grad_input` and `grad_output` of modules in a backward without hookviz."""
    seen = Seen(model, *names)
    model(x).sum().backward()
    for handle in seen.handles:
        handle.remove()
    return seen.grads


def test_a_box_shows_the_gradients_that_plain_pytorch_gives_its_hooks() -> None:
    torch.manual_seed(0)
    model, x = Tower(2), torch.randn(4, 2, requires_grad=True)
    names = ("begin", "blocks", "blocks.0", "blocks.1", "blocks.1.up", "blocks.1.down", "end")
    expected = plain(names, model, x)
    with watched(model) as watch:
        loss = model(x).sum()
    example = watch.example(loss, x=x)
    tree = group_tree(example[0])
    for name in names:
        shown = box_at(example, -1, tree.call_of(name, 0))
        grad_input, grad_output = expected[name]
        assert shown["grad_output"] == text_of(grad_output[0]), name
        assert shown["grad_input"] == text_of(grad_input[0]), name


def test_a_fold_shows_what_comes_to_its_last_and_leaves_its_first() -> None:
    torch.manual_seed(0)
    model, x = Tower(6), torch.randn(4, 2)
    expected = plain(("blocks.0", "blocks.5"), model, x)
    with watched(model) as watch:
        loss = model(x).sum()
    example = watch.example(loss)
    fold = box_at(example, -1, "g0")
    assert fold["grad_output"] == text_of(expected["blocks.5"][1][0])
    assert fold["grad_input"] == text_of(expected["blocks.0"][0][0])
    begin = model.begin(x)
    assert fold["input"] == text_of(begin)
    assert fold["output"] == text_of(model.blocks(begin))


def test_gradients_of_several_outputs_are_told_one_by_one() -> None:
    shown = box_at(fan(), -1, "k0")
    assert (shown["grad_output"], shown["grad_input"]) == ("3; 2", "5")


def test_what_has_not_come_yet_is_said_in_words_and_never_as_a_number() -> None:
    before = box_at(hooked_module(), 0, "k0")
    for field in ("input", "output", "grad_output", "grad_input"):
        assert before[field] == "not computed yet"
    assert before["state"] == "pending"
    graph, events = hooked_module()
    lost = box_at((graph, events[:2]), -1, "k0")
    assert (lost["state"], lost["grad_output"]) == ("unreached", "never reached")
    assert (lost["hook:h2"], lost["hook:h3"]) == ("did not run", "did not run")


def test_a_box_without_a_graph_says_nothing_about_gradients() -> None:
    shown = box_at(sum_net(), -1, "k0")
    assert (shown["grad_output"], shown["grad_input"]) == ("", "")


def test_the_articles_sum_net_goes_through_its_hooks() -> None:
    example = sum_net()
    first, second, third = (box_at(example, step, "k0") for step in (1, 2, 3))
    assert first["input"] == "1; 2; 3 → 11; 2; 13"
    assert first["hook:h0"] == "1; 3 → 11; 13"
    assert (first["hook-state:h0"], first["hook-state:h1"]) == ("current", "pending")
    assert (first["output"], second["output"]) == ("not computed yet", "26")
    assert (third["output"], third["hook:h1"]) == ("26 → 126", "26 → 126")
    shown = said(example, 3)
    assert (shown["k0.i0", "incoming"], shown["k0.i0", "rewritten"]) == ("1", "11")
    assert (shown["k0.i1", "incoming"], shown["k0.i1", "rewritten"]) == ("2", "")
    assert (shown["k0.o0", "incoming"], shown["k0.o0", "rewritten"]) == ("26", "126")
    assert said(example, 0)["k0.o0", "incoming"] == ""


def test_a_hook_that_changes_nothing_says_so() -> None:
    graph, events = sum_net()
    same = structs.replace(events[0], arguments_after=events[0].arguments_before)
    assert box_at((graph, (same, *events[1:])), 1, "k0")["hook:h0"] == "1; 2; 3, unchanged"
    nothing = structs.replace(same, arguments_before=(), arguments_after=())
    assert box_at((graph, (nothing, *events[1:])), 1, "k0")["hook:h0"] == "ran"


def test_keyword_arguments_are_told_by_their_name() -> None:
    graph, events = sum_net()
    given = (*arguments(1, 2), Argument(path="kwargs['c']", snapshot=scalar(3)))
    changed = (*arguments(11, 2), Argument(path="kwargs['c']", snapshot=scalar(3)))
    event = structs.replace(events[0], arguments_before=given, arguments_after=changed)
    shown = box_at((graph, (event,)), 1, "k0")
    assert shown["input"] == "1; 2; c = 3 → 11; 2; c = 3"
    assert shown["hook:h0"] == "1 → 11"


def test_more_values_than_can_be_read_end_with_dots() -> None:
    graph, events = sum_net()
    event = structs.replace(
        events[1], arguments_before=arguments(*range(9)), arguments_after=output(1)
    )
    assert box_at((graph, (event,)), 1, "k0")["input"] == "0; 1; 2; …"


def test_backward_hooks_show_what_they_were_given_and_what_they_returned() -> None:
    example = hooked_module()
    assert box_at(example, 3, "k0")["grad_output"] == "3"
    before = box_at(example, 4, "k0")
    assert (before["grad_output"], before["hook:h2"]) == ("3 → 30", "3 → 30")
    assert before["grad_input"] == "not computed yet"
    end = box_at(example, -1, "k0")
    assert (end["grad_input"], end["hook:h3"]) == ("150 → 75", "150 → 75")
    assert end["grad_output"] == "3 → 30"


def test_a_box_is_lit_while_anything_inside_it_happens() -> None:
    graph, events = hooked_module()
    states = [box_at((graph, events), step, "k0")["state"] for step in range(len(events) + 1)]
    assert states == [
        "pending",
        "current",
        "pending",  # backward begins: that the forward ran says nothing about gradients
        "pending",
        "current",
        "current",
        "current",
        "current",
        "current",
        "current",
        "done",
    ]


def test_everything_around_is_lit_as_well() -> None:
    model = Tower(6)
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    graph, events = watch.example(loss)
    tree = group_tree(graph)
    inside = tree.call_of("blocks.2.up", 0)
    steps = build_steps(graph, events, tree=tree)
    place = next(i for i, step in enumerate(steps) if step.call == inside and step.kind == "node")
    frame = frame_at(steps, place)
    assert all(frame[key, "state"] == "current" for key in tree.chain(inside))
    assert len(tree.chain(inside)) == 5
    assert frame[tree.call_of("end", 0), "state"] == "done"


def test_a_second_call_of_a_module_is_another_box() -> None:
    layer = nn.Linear(2, 2)
    with watched(layer, "layer") as watch:
        loss = layer(layer(torch.ones(1, 2))).sum()
    graph, events = watch.example(loss)
    tree = group_tree(graph)
    assert [tree.call_of("layer", number) for number in (0, 1)] == ["k0", "k1"]
    shown = said((graph, events), -1)
    assert shown["k0", "output"] == shown["k1", "input"]
    assert shown["k0", "grad_output"] == shown["k1", "grad_input"]


def test_a_backward_hook_shows_the_truth_where_edges_are_only_parts_of_it() -> None:
    graph, events = hooked_module()
    gradient = structs.replace(
        events[7], incoming=(scalar(1), None), outgoing=(scalar(1), None), rewritten=False
    )
    shown = box_at((graph, (*events[:7], gradient, *events[8:])), -1, "k0")
    assert shown["grad_input"] == "1; None"
    assert shown["hook:h3"] == "1; None, unchanged"


def test_an_error_marks_the_box_the_hook_and_all_around() -> None:
    graph, _ = sum_net()
    error = ErrorRecord(type="ValueError", message="not enough values", hook=PRE_HOOK)
    failed = ErrorEvent(index=0, module="net", call=0, hook=PRE_HOOK, error=error)
    shown = box_at((graph, (failed,)), 1, "k0")
    assert (shown["state"], shown["hook:h0"], shown["hook-state:h0"]) == (
        "error",
        "raised an error",
        "error",
    )


def test_a_hook_that_is_turned_off_says_so_from_the_start() -> None:
    graph, events = sum_net()
    hooks = (PRE_HOOK, replace(FORWARD_HOOK, enabled=False))
    graph = replace(graph, modules=(replace(graph.modules[0], hooks=hooks),))
    shown = box_at((graph, events[:2]), -1, "k0")
    assert (shown["hook:h1"], shown["hook-state:h1"]) == ("turned off", "off")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_field_of_every_box_has_a_value_from_the_start(lang: str) -> None:
    for example in (sum_net(), hooked_module(), fan()):
        start, end = said(example, 0, lang), said(example, -1, lang)
        assert start.keys() == end.keys()
        assert not any("{" in text for text in end.values())


def test_steps_say_in_which_box_they_are() -> None:
    steps = build_steps(*hooked_module())
    assert [step.call for step in steps] == ["", "k0", "", "", *["k0"] * 6, ""]


def test_steps_say_which_line_of_the_code_they_belong_to() -> None:
    graph, events = second_example()
    source = SourceRecord(file="cell 3", first_line=4, text="c = a * b\ne = c * d")
    lines = {"n0": 5, "n1": 4, "n2": 99}
    nodes = tuple(
        replace(node, code_file="cell 3", code_line=lines.get(node.id)) for node in graph.nodes
    )
    steps = build_steps(replace(graph, nodes=nodes, sources=(source,)), events)
    by_node = {step.node: step.code for step in steps if step.kind == "node"}
    assert by_node == {"n0": (0, 5), "n1": (0, 4)}
    assert [step.code for step in steps if step.tensor == "t0"] == [(0, 5)] * 3
    assert {step.code for step in steps if step.kind == "accumulate"} == {None}
    assert steps[0].code is None


def test_a_call_without_a_line_of_its_own_shows_the_one_around_it() -> None:
    graph, events = sum_net()
    outer = CallRecord(id="k0", module="m0", code_file="a.py", code_line=2)
    inner = CallRecord(id="k1", module="m1", parent="k0", code_file="torch/nn.py", code_line=9)
    graph = replace(
        graph,
        modules=(graph.modules[0], ModuleRecord(id="m1", name="inner", type="Inner")),
        calls=(outer, inner),
        sources=(SourceRecord(file="a.py", first_line=1, text="x\ny\nz"),),
    )
    event = structs.replace(events[1], module="inner", call=0)
    steps = build_steps(graph, (event, *events))
    assert [step.code for step in steps[1:]] == [(0, 2)] * 4


# -- where stepping stops -----------------------------------------------------------------------


def test_what_happens_inside_a_closed_box_is_one_stop() -> None:
    graph, events = hooked_module()
    steps = build_steps(graph, events)
    found = stops(graph, steps, events, ())
    assert [(stop.step, stop.count) for stop in found] == [
        (0, 0),
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 1),  # the module's own hook
        (7, 3),
        (8, 1),
        (9, 1),
        (10, 1),
    ]
    inside = found[5]
    assert inside.box == "k0"
    assert "so far nothing has left it" in render(inside.caption or "", "en")
    assert render(inside.line or "", "en") == "scale: gradient 3 → 30 arrives"
    assert "Open the box to see its 3 steps" in render(inside.caption or "", "en")


def test_an_open_box_is_stepped_into() -> None:
    graph, events = hooked_module()
    steps = build_steps(graph, events)
    found = stops(graph, steps, events, ("k0",))
    assert [stop.step for stop in found] == list(range(len(events) + 1))
    assert all(stop.line is None and stop.caption is None for stop in found)


@pytest.mark.parametrize("opened", ["nothing", "start", "everything"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_event_is_lost_between_stops(opened: str, lang: str) -> None:
    model = Tower(6)
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    graph, events = watch.example(loss)
    tree = group_tree(graph)
    expanded = {"nothing": (), "start": ("k0",), "everything": tuple(tree.groups)}[opened]
    steps = build_steps(graph, events)
    found = stops(graph, steps, events, expanded)
    assert sum(stop.count for stop in found) == len(events)
    places = [stop.step for stop in found]
    assert places == sorted(set(places))
    assert (places[0], places[-1]) == (0, len(events))
    for before, after in itertools.pairwise(found):
        assert after.count == after.step - before.step
    for stop in found:
        assert "{" not in render(stop.line or "", lang) + render(stop.caption or "", lang)
    assert len(found) == len(steps) if opened == "everything" else len(found) < len(steps) / 2


def test_the_forward_of_a_closed_box_takes_along_what_ran_inside_it() -> None:
    model = Tower(2)
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    graph, events = watch.example(loss)
    steps = build_steps(graph, events)
    found = stops(graph, steps, events, ("k0",))
    calls = [(stop.box, stop.count) for stop in found if steps[stop.step].kind == "module_forward"]
    names = {call.id: module for call in graph.calls for module in [call.module]}
    labels = {module.id: module.name for module in graph.modules}
    assert [(labels[names[key]], count) for key, count in calls] == [
        ("begin", 1),
        ("blocks", 7),
        ("end", 1),
        ("model", 1),
    ]


def test_what_was_printed_inside_a_closed_box_is_not_lost() -> None:
    graph, events = hooked_module()
    events = (
        *events[:4],
        structs.replace(events[4], printed="one\n"),
        *events[5:6],
        structs.replace(events[6], printed="two\n"),
        *events[7:],
    )
    found = stops(graph, build_steps(graph, events), events, ())
    assert [stop.printed for stop in found if stop.printed] == ["one\ntwo\n"]


def test_an_error_inside_a_closed_box_is_a_stop_of_its_own() -> None:
    graph, events = hooked_module()
    error = ErrorRecord(type="RuntimeError", message="no", node="n2", hook=BACKWARD_HOOK)
    failed = ErrorEvent(index=6, node="n2", error=error)
    events = (*events[:5], failed)
    found = stops(graph, build_steps(graph, events), events, ())
    assert [(stop.step, stop.count, stop.line) for stop in found[-2:]] == [
        (5, 1, None),
        (6, 1, None),
    ]


def test_a_box_that_nothing_can_leave_says_so() -> None:
    model = HandWritten()
    with watched(model) as watch:
        loss = model(torch.ones(6, 1, 2)).sum()
    graph, events = watch.example(loss)
    steps = build_steps(graph, events)
    found = stops(graph, steps, events, ("k0",))
    (fold,) = [stop for stop in found if stop.box == "g0"]
    assert isinstance(fold.line, Message)
    assert render(fold.line, "en") == "Mm, Add, Tanh: gradient [[1, 1, 1]] arrives"
    assert "and its way ends inside" in render(fold.caption or "", "en")


def test_what_surprises_people_is_said_where_it_happens() -> None:
    graph, events = sum_net()
    unseen = structs.replace(events[0], notes=("fact.kwargs_unseen",))
    steps = build_steps(graph, (unseen, *events[1:]))
    assert "with_kwargs=True" in render(steps[1].caption, "en")
    assert "with_kwargs=True" not in render(steps[2].caption, "en")
    lines = transcript(graph, (unseen, *events[1:])).splitlines()
    assert "with_kwargs=True" in lines[lines.index("        | hello") + 1]


def test_what_is_to_be_said_of_a_whole_module_stands_at_the_start_and_in_the_transcript() -> None:
    graph, _ = sum_net()
    silent = replace(graph.modules[0], name="silent", notes=("fact.not_called",))
    lonely = replace(graph, modules=(silent,), calls=(), notes=("note.no_lines",))
    for lang in LANGUAGES:
        (step,) = build_steps(lonely, ())
        caption = render(step.caption, lang)
        assert render(Message("fact.not_called"), lang) in caption
        assert render(Message("note.no_lines"), lang) in caption
        last = transcript(lonely, (), lang=lang).splitlines()[-1]
        assert last.startswith("silent")
        assert last.endswith(render(Message("fact.not_called"), lang))


def test_an_error_in_the_forward_says_whose_it_is_and_what_was_given() -> None:
    graph, _ = sum_net()
    error = ErrorRecord(type="ValueError", message="no", explanation="error.hook_raised")
    failed = ErrorEvent(
        index=0,
        module="net",
        call=0,
        error=error,
        hook=PRE_HOOK,
        arguments_before=arguments(1, 2),
    )
    (_, step) = build_steps(graph, (failed,))
    assert render(step.line, "en") == "net: ValueError raised by hook add_ten"
    assert render(step.caption, "en").startswith("Hook add_ten on net raised ValueError: “no”.")
    assert "Backward" not in render(step.caption, "en")
    assert box_at((graph, (failed,)), 1, "k0")["input"] == "1; 2"
    own = structs.replace(failed, hook=None)
    assert render(build_steps(graph, (own,))[1].caption, "en").startswith("The forward of net")
