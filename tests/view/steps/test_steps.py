from __future__ import annotations

import json

import pytest
from msgspec import structs
from msgspec.structs import replace

from hookviz._records import (
    ErrorEvent,
    ErrorRecord,
    Event,
    GraphRecord,
    ModuleForwardEvent,
    NodeRecord,
    PostAccumulateHookEvent,
)
from hookviz._view.steps.steps import build_steps, frame_at, to_json_data
from hookviz._view.steps.value_book import ValueBook
from hookviz._view.text.message import Message, keys_in, render
from tests.view.example import C_HOOK, D_HOOK, plain_example, scalar, second_example
from tests.view.graphs import chain, hidden, shared_leaf, stray_leaf

Example = tuple[GraphRecord, tuple[Event, ...]]


def seen(example: Example, position: int) -> dict[tuple[str, str], str]:
    """Return what the reader sees at a step, in English."""
    frame = frame_at(build_steps(*example), position)
    return {place: render(value, "en") for place, value in frame.items()}


def history(example: Example, key: str, field: str) -> list[str]:
    """Return what one field shows at each step."""
    steps = build_steps(*example)
    return [render(frame_at(steps, i)[key, field], "en") for i in range(len(steps))]


def test_there_is_one_step_per_event_and_one_before_them() -> None:
    graph, events = second_example()
    kinds = [step.kind for step in build_steps(graph, events)]
    assert kinds == ["ready", *(event.kind for event in events)]


def test_step_0_gives_every_element_all_its_fields() -> None:
    graph, events = second_example()
    steps = build_steps(graph, events)
    places = {(key, field) for key, field, _ in steps[0].patches}
    assert places == set(frame_at(steps, len(events)))
    assert {("t1", "hook-state:h2"), ("n4", "state"), ("e3", "contribution")} <= places


def test_before_anything_ran_nothing_looks_computed() -> None:
    frame = seen(second_example(), 0)
    assert {value for (_, field), value in frame.items() if field == "state"} == {"pending"}
    assert {value for (_, field), value in frame.items() if field == "grad"} == {"not computed yet"}
    assert all(not value for (_, field), value in frame.items() if field == "contribution")


def test_a_contribution_shows_at_its_sender_and_is_what_arrives() -> None:
    arrived = history(second_example(), "t1", "incoming")
    assert arrived == [""] * 4 + ["8"] * 9
    assert history(second_example(), "e0", "contribution") == arrived


def test_hooks_rewrite_step_by_step() -> None:
    example = second_example()
    assert history(example, "t1", "rewritten") == [""] * 7 + ["10"] * 6
    assert history(example, "t1", "hook:h1") == [""] * 7 + ["8 → 10"] * 6
    assert history(example, "t1", "hook:h2") == [""] * 8 + ["10, unchanged"] * 5
    states = history(example, "t1", "hook-state:h1")
    assert states == ["pending"] * 7 + ["current"] + ["done"] * 5


def test_grad_is_shown_from_the_step_that_sets_it() -> None:
    example = second_example()
    assert history(example, "t2", "grad") == ["not computed yet"] * 6 + ["112"] * 7
    assert history(example, "t0", "grad")[2:4] == ["not computed yet", "2"]


def test_a_tensor_is_current_while_something_happens_to_it_and_then_done() -> None:
    states = history(second_example(), "t1", "state")
    assert states == ["pending"] * 7 + ["current"] * 3 + ["done"] * 3


def test_at_every_step_but_the_first_something_is_current() -> None:
    steps = build_steps(*second_example())
    for position in range(1, len(steps)):
        assert "current" in frame_at(steps, position).values()


def test_without_hooks_the_gradient_of_a_non_leaf_is_computed_but_not_kept() -> None:
    assert (
        history(plain_example(), "t1", "grad")
        == ["not computed yet"] * 2 + ["None: computed, not kept"] * 5
    )
    assert history(plain_example(), "t1", "state")[2] == "done"


def test_a_grad_from_before_the_pass_is_shown_from_the_start() -> None:
    graph, events = plain_example()
    tensors = tuple(replace(t, grad=scalar(5)) if t.id == "t2" else t for t in graph.tensors)
    grown = structs.replace(events[2], grad_before=scalar(5), grad_after=scalar(11))
    example = replace(graph, tensors=tensors), (*events[:2], grown, *events[3:])
    assert history(example, "t2", "grad") == ["5"] * 3 + ["11"] * 4


def test_what_was_never_reached_says_so_only_at_the_end() -> None:
    example = stray_leaf()
    last = len(example[1])
    assert history(example, "t2", "state")[-2:] == ["pending", "unreached"]
    frame = seen(example, last)
    assert frame["t2", "grad"] == "None: never reached"
    assert frame["t2", "flow"] == "never reached"
    assert frame["n2", "state"] == frame["e1", "state"] == "unreached"


def test_the_states_of_a_missing_gradient_never_look_alike() -> None:
    texts = {
        render(Message(key), lang)
        for lang in ("en", "zh")
        for key in ("grad.pending", "grad.not_kept", "grad.unreached", "grad.none")
    }
    assert len(texts) == 8
    assert not any("0" in text for text in texts)


def test_none_that_travelled_is_not_a_number_and_not_unreached() -> None:
    graph, events = plain_example()
    sent = structs.replace(events[1], outgoing=(scalar(4), None))
    nothing = structs.replace(events[2], incoming=None, grad_after=None)
    frame = seen((graph, (events[0], sent, nothing, *events[3:])), 6)
    assert frame["e1", "contribution"] == "None"
    assert frame["t2", "incoming"] == ""
    assert frame["t2", "flow"] == "None arrived"
    assert frame["t2", "grad"] == "None: None arrived"
    assert frame["t2", "state"] == "done"


def test_a_sum_shows_when_its_last_part_has_been_sent() -> None:
    assert history(shared_leaf(), "t1", "incoming") == ["", "", "", "", "7", "7"]


def test_a_hidden_rewrite_shows_what_was_sent_and_what_was_used() -> None:
    example = hidden()
    frame = seen(example, len(example[1]))
    assert frame["t1", "incoming"] == "4"
    assert frame["t1", "rewritten"] == "28"
    assert "not shown here" in frame["t1", "note"]
    assert frame["n1", "note"] == frame["t1", "note"]


def test_a_change_in_place_is_noted_and_does_not_rewrite_the_past() -> None:
    graph, events = second_example()
    changed = structs.replace(events[6], mutated=True, returned_none=True, reached=("d",))
    example = graph, (*events[:6], changed, *events[7:])
    frame = seen(example, 7)
    assert frame["t1", "hook:h1"] == "8 → 10, in place"
    assert frame["t1", "note"] == frame["t2", "note"] == "changed in place by a hook"
    assert frame["e0", "contribution"] == "8"


def test_a_reached_gradient_is_shown_as_sent_and_then_as_used() -> None:
    graph, events = second_example()
    changed = structs.replace(events[4], mutated=True, reached=("e0",))
    used = structs.replace(events[6], incoming=scalar(9))
    example = graph, (*events[:4], changed, events[5], used, *events[7:])
    assert history(example, "t1", "incoming") == [""] * 7 + ["9"] * 6
    assert history(example, "e0", "contribution")[-1] == "8"


def test_an_error_in_a_hook_marks_hook_and_tensor_and_leaves_the_rest_unreached() -> None:
    graph, events = second_example()
    record = ErrorRecord(type="ValueError", message="boom", hook=C_HOOK, tensor="c")
    error = ErrorEvent(index=6, tensor="c", hook=C_HOOK, error=record)
    frame = seen((graph, (*events[:6], error)), 7)
    assert frame["t1", "state"] == frame["t1", "hook-state:h1"] == "error"
    assert frame["t1", "hook:h1"] == "raised an error"
    assert frame["t1", "hook:h2"] == "did not run"
    assert frame["t1", "incoming"] == "8"
    assert frame["t1", "grad"] == "None: backward stopped first"
    assert frame["t3", "grad"] == "None: never reached"
    assert frame["t2", "grad"] == "112"


def test_an_error_in_a_node_marks_the_node() -> None:
    graph, events = second_example()
    record = ErrorRecord(type="RuntimeError", message="boom", node="n1")
    error = ErrorEvent(index=9, node="n1", error=record)
    frame = seen((graph, (*events[:9], error)), 10)
    assert frame["n1", "state"] == "error"
    assert frame["t1", "state"] == "done"


def test_a_hook_that_is_turned_off_says_so_and_stays_off() -> None:
    graph, events = plain_example()
    off = replace(D_HOOK, enabled=False)
    tensors = tuple(replace(t, hooks=(off,)) if t.id == "t2" else t for t in graph.tensors)
    example = replace(graph, tensors=tensors), events
    assert set(history(example, "t2", "hook:h3")) == {"turned off"}
    assert set(history(example, "t2", "hook-state:h3")) == {"off"}


def test_a_post_accumulate_hook_that_clears_grad_is_told_apart() -> None:
    graph, events = plain_example()
    hook = replace(D_HOOK, kind="post_accumulate_hook")
    tensors = tuple(replace(t, hooks=(hook,)) if t.id == "t2" else t for t in graph.tensors)
    cleared = PostAccumulateHookEvent(
        index=3,
        tensor="d",
        hook=hook,
        grad_before=scalar(6),
        value_before=scalar(4),
        value_after=scalar(4),
    )
    example = replace(graph, tensors=tensors), (*events[:3], cleared, *events[3:])
    assert history(example, "t2", "grad")[3:] == ["6"] + ["None: set by a hook"] * 4
    assert seen(example, 4)["t2", "hook:h3"] == "6 → None"


def test_a_patch_is_written_only_where_something_changes() -> None:
    steps = build_steps(*second_example())
    for position, step in enumerate(steps[1:], start=1):
        before = frame_at(steps, position - 1)
        assert all(before[key, field] != value for key, field, value in step.patches)


def test_a_long_chain_takes_a_patch_or_two_per_event() -> None:
    graph, events = chain(3000)
    steps = build_steps(graph, events)
    assert max(len(step.patches) for step in steps[1:]) < 12
    assert seen((graph, events), len(events))["n2999", "state"] == "done"


def test_a_graph_on_which_nothing_ran_has_one_step() -> None:
    graph, _ = plain_example()
    steps = build_steps(graph, ())
    assert len(steps) == 1
    assert frame_at(steps, 0)["t2", "state"] == "pending"


def test_a_forward_alone_does_not_call_anything_unreached() -> None:
    graph, _ = plain_example()
    forward = ModuleForwardEvent(index=0, module="fc")
    frame = frame_at(build_steps(graph, (forward,)), 1)
    assert frame["t2", "state"] == "pending"


def test_the_caption_of_a_node_says_what_its_name_means() -> None:
    graph, events = plain_example()
    nodes = (NodeRecord(id="n0", name="F", edges=("e0", "e1"), annotation="node.copy_slices"),)
    steps = build_steps(replace(graph, nodes=nodes + graph.nodes[1:]), events)
    (step,) = [step for step in steps if step.kind == "node" and step.node == "n0"]
    assert "node.copy_slices" in set(keys_in(step.caption))


def test_steps_say_where_they_are() -> None:
    steps = build_steps(*second_example())
    assert (steps[6].tensor, steps[6].node) == ("t2", "n2")
    assert (steps[7].tensor, steps[7].hook) == ("t1", "h1")
    assert (steps[4].tensor, steps[4].node) == ("", "n0")
    assert steps[7].printed == "c_hook tensor(8.)\n"


def test_the_json_form_is_json() -> None:
    data = to_json_data(build_steps(*second_example()), ValueBook())
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert list(data[7]) == [
        "kind",
        "line",
        "caption",
        "printed",
        "tensor",
        "node",
        "hook",
        "call",
        "code",
        "patches",
        "marks",
        "question",
        "values",
    ]
    patches = data[7]["patches"]
    assert isinstance(patches, list)
    assert ["t1", "hook:h1", "8 → 10"] in patches


@pytest.mark.parametrize("example", [second_example(), plain_example(), shared_leaf(), hidden()])
def test_at_the_end_nothing_is_left_pending(example: Example) -> None:
    frame = seen(example, len(example[1]))
    assert "pending" not in {value for (_, field), value in frame.items() if field == "state"}
    assert "not computed yet" not in frame.values()
