from __future__ import annotations

import json
import re
import statistics
import time
from xml.etree import ElementTree

import pytest
import torch
from msgspec import structs
from msgspec.structs import replace
from torch import nn

import hookviz
from hookviz._graph import Graph
from hookviz._languages import LANGUAGES, table
from hookviz._records import (
    CallRecord,
    GraphRecord,
    HookRecord,
    ModuleRecord,
    SourceRecord,
    TraceRecord,
)
from hookviz._records.value import Argument
from hookviz._view.groups.find import group_tree
from hookviz._view.page.boxes import all_opened, box_named, closed, expansion_data, opened_to
from hookviz._view.page.data import explorer_data
from hookviz._view.steps.steps import build_steps
from hookviz._view.transcript import transcript
from tests.view.boxes import HandWritten, Tower, box, boxes, fan, hooked_module, sum_net
from tests.view.drawing import SVG, Example, draw, field, having
from tests.view.example import second_example
from tests.view.graphs import chain
from tests.view.svg.test_picture import HOSTILE, TAGS, texts
from tests.view.watched import watched


def tower(blocks: int = 6) -> Example:
    model = Tower(blocks)
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    return watch.example(loss)


def trace_of(example: Example) -> TraceRecord:
    return TraceRecord(graph=example[0], events=example[1], grads={})


EXAMPLES = [fan(), hooked_module(), sum_net(), tower(2), tower(6), chain(40)]


def test_a_closed_box_says_what_it_is_and_how_to_open_it() -> None:
    closed_box = box(draw(tower(2), expanded=("k0",)), "k2")
    assert closed_box.get("class") == "hv-module"
    assert closed_box.get("data-hv-id") == "blocks"
    assert closed_box.get("data-hv-box") == "k2"
    assert closed_box.get("data-hv-module") == "m2"
    assert closed_box.get("data-hv-state") == "pending"
    assert (closed_box.get("role"), closed_box.get("tabindex")) == ("button", "0")
    assert closed_box.get("aria-expanded") == "false"
    assert closed_box.get("aria-label") == "blocks, Sequential"
    (toggle,) = having(closed_box, "g", "data-hv-toggle", "k2")
    assert toggle.get("class") == "hv-toggle"
    assert (toggle.get("role"), toggle.get("tabindex")) == ("button", "0")
    assert toggle.get("aria-label") == "Expand blocks"
    assert toggle.get("aria-expanded") == "false"
    assert {part.get("class") for part in closed_box.iter(f"{SVG}rect")} >= {"hv-module-box"}


def test_an_open_box_is_a_frame_with_a_head_and_can_be_closed() -> None:
    picture = draw(tower(2), expanded=("k0", "k2"))
    assert boxes(picture) == {
        "k0": True,
        "k2": True,
        "k1": False,
        "k3": False,
        "k6": False,
        "k9": False,
    }
    frame = box(picture, "k2")
    assert frame.get("class") == "hv-module hv-expanded"
    assert frame.get("aria-expanded") == "true"
    (toggle,) = having(frame, "g", "data-hv-toggle", "k2")
    assert toggle.get("aria-label") == "Collapse blocks"
    assert [part.get("class") for part in frame.findall(f"{SVG}rect")] == ["hv-frame"]


def test_frames_lie_below_arrows_and_their_heads_above() -> None:
    drawing = draw(hooked_module(), expanded=("k0",)).find(f"{SVG}g")
    assert drawing is not None
    classes = [(part.get("class") or "").split()[0] for part in drawing]
    assert classes.index("hv-ground") < classes.index("hv-edge") < classes.index("hv-module")
    assert classes.index("hv-module") < classes.index("hv-card")


def test_what_has_nothing_inside_cannot_be_opened() -> None:
    only = box(draw(sum_net()), "k0")
    assert only.get("aria-expanded") is None
    assert not having(only, "g", "data-hv-toggle", "k0")


def test_a_fold_says_how_often_it_stands_for() -> None:
    picture = draw(tower(6), expanded=("k0", "k2"))
    fold = box(picture, "g0")
    assert fold.get("data-hv-module") is None
    assert fold.get("data-hv-id") == "g0"
    assert fold.get("aria-label") == "blocks.0 … 5, Block ×6"
    assert "Block ×6" in texts(fold)
    assert sum(part.get("class") == "hv-sheet" for part in fold.iter()) == 2
    opened = draw(tower(6), expanded=("k0", "k2", "g0"))
    assert {group.get("data-hv-id") for group in opened.iter(f"{SVG}g")} >= {
        f"blocks.{i}" for i in range(6)
    }


def test_a_module_that_is_called_twice_says_which_call_it_is() -> None:
    layer = nn.Linear(2, 2)
    with watched(layer, "layer") as watch:
        loss = layer(layer(torch.ones(1, 2))).sum()
    picture = draw(watch.example(loss), expanded=())
    assert "Linear · call 1" in texts(box(picture, "k0"))
    assert "Linear · call 2" in texts(box(picture, "k1"))


def test_a_merged_arrow_carries_the_keys_of_all_its_edges() -> None:
    picture = draw(fan(), -1, expanded=())
    (merged,) = having(picture, "g", "data-hv-keys", "e0 e1")
    assert merged.get("class") == "hv-edge"
    assert merged.get("data-hv-key") is None
    assert merged.get("data-hv-state") == "done"
    assert field(merged, "contribution") == "3; 2"
    assert (
        having(draw(fan(), 0, expanded=()), "g", "data-hv-keys", "e0 e1")[0].get("data-hv-state")
        == "pending"
    )
    keys = [group.get("data-hv-key") for group in picture.iter() if group.get("data-hv-key")]
    assert len(keys) == len(set(keys))


def test_a_merged_arrow_says_what_is_the_same_only_once() -> None:
    graph, events = fan()
    three = events[1].outgoing
    assert isinstance(three, tuple)
    events = (events[0], structs.replace(events[1], outgoing=(three[0], three[0])), *events[2:])
    (merged,) = having(draw((graph, events), -1, expanded=()), "g", "data-hv-keys", "e0 e1")
    assert field(merged, "contribution") == "3"


def test_a_merged_arrow_is_current_when_any_of_its_edges_is() -> None:
    (merged,) = having(draw(fan(), 2, expanded=()), "g", "data-hv-keys", "e0 e1")
    assert merged.get("data-hv-state") == "current"


def test_rows_of_a_box_stand_in_the_order_in_which_things_happen() -> None:
    shown = box(draw(hooked_module(), -1, expanded=()), "k0")
    assert field(shown, "input") == "2"
    assert field(shown, "grad_output") == "3 → 30"
    assert field(shown, "hook:h2") == "3 → 30"
    assert field(shown, "grad_input") == "150 → 75"
    order = [part.get("data-hv-field") for part in shown.iter() if part.get("data-hv-field")]
    assert order == ["input", "output", "grad_output", "hook:h2", "grad_input", "hook:h3"]
    (row,) = having(shown, "g", "data-hv-hook", "h2")
    assert row.get("data-hv-state") == "done"


def test_a_box_has_no_row_for_what_no_step_says() -> None:
    graph, _ = hooked_module()
    bare = replace(graph, modules=(replace(graph.modules[0], hooks=()),))
    shown = box(draw((bare, ()), expanded=()), "k0")
    assert not [part for part in shown.iter() if part.get("data-hv-field")]
    assert texts(shown) == ["scale", "Scale"]


def test_values_of_a_forward_without_a_graph_stand_beside_the_module() -> None:
    picture = draw(sum_net(), -1)
    (first,) = having(picture, "g", "data-hv-key", "k0.i0")
    assert first.get("class") == "hv-value"
    assert (field(first, "incoming"), field(first, "rewritten")) == ("1", "11")
    assert first.get("data-hv-rewritten") == "true"
    (arrow,) = having(picture, "g", "data-hv-feed", "k0.i0")
    assert arrow.get("class") == "hv-flow"
    assert picture.get("aria-label") == (
        "Forward of net: what went into each module and what came out."
    )


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_start_is_drawn_at_every_step(example: Example, lang: str) -> None:
    ids = {*group_tree(example[0]).groups}
    for step in {0, 1, len(example[1]) // 2, len(example[1])}:
        for expanded in (None, (), tuple(ids)):
            picture = draw(example, step, lang, expanded=expanded)
            assert {part.tag.removeprefix(SVG) for part in picture.iter()} <= TAGS
            assert set(boxes(picture)) <= ids
            for part in picture.iter(f"{SVG}text"):
                assert "{" not in (part.text or "")


@pytest.mark.parametrize("expanded", [(), ("k0",)])
def test_names_types_hooks_and_paths_are_text_and_never_markup(expanded: tuple[str, ...]) -> None:
    for name in HOSTILE:
        graph, events = hooked_module()
        hooks = tuple(replace(hook, label=name, source=name) for hook in graph.modules[0].hooks)
        module = ModuleRecord(id="m0", name=name, type=name, hooks=hooks)
        call = CallRecord(id="k0", module="m0", code_file=name, code_line=1, code_text=name)
        graph = replace(graph, modules=(module,), calls=(call,))
        events = tuple(
            structs.replace(event, module=name) if event.module is not None else event
            for event in events
        )
        picture = draw((graph, events), -1, expanded=expanded, standalone=True)
        assert {part.tag.removeprefix(SVG) for part in picture.iter()} <= TAGS
        assert picture.findall(f".//{SVG}g[@onload]") == []
        assert box(picture, "k0").get("data-hv-id") is not None


def test_hostile_paths_of_arguments_are_text() -> None:
    graph, events = sum_net()
    for name in HOSTILE:
        paths = tuple(Argument(path=f"kwargs[{name!r}]{name}", text=name) for _ in range(1))
        event = structs.replace(events[0], arguments_before=paths, arguments_after=paths)
        picture = draw((graph, (event,)), -1)
        assert {part.tag.removeprefix(SVG) for part in picture.iter()} <= TAGS
        (value,) = having(picture, "g", "data-hv-key", "k0.i0")
        assert value.get("class") == "hv-value"


def test_a_hostile_name_changes_nothing_about_which_boxes_there_are() -> None:
    graph, _ = tower(6)
    names = ("__proto__", "constructor", "g0", "k0", "", "a b", "\"'<")
    modules = tuple(
        replace(module, name=f"{names[i % len(names)]}{i}")
        for i, module in enumerate(graph.modules)
    )
    one, other = group_tree(graph), group_tree(replace(graph, modules=modules))
    assert list(one.groups) == list(other.groups)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_still_picture_of_a_deep_network_is_the_folded_one(lang: str) -> None:
    graph, events = tower(12)
    alone = draw((graph, events), -1, lang, transcript="")
    assert len(boxes(alone)) < 10
    assert {part.get("data-hv-state") for part in boxes_of(alone)} == {"done"}
    assert not [part for part in alone.iter() if part.get("tabindex")]
    assert "hv-legend" in {part.get("class") for part in alone.iter()}


def boxes_of(picture: ElementTree.Element) -> list[ElementTree.Element]:
    return [
        part for part in picture.iter(f"{SVG}g") if "hv-module" in (part.get("class") or "").split()
    ]


def test_graph_and_trace_show_the_folded_picture_in_a_notebook() -> None:
    graph, _ = tower(12)
    shown = Graph._of(graph)
    picture = ElementTree.fromstring(shown._repr_mimebundle_()["image/svg+xml"])
    assert len(boxes(picture)) < 10
    assert "反向" in shown.svg(lang="zh")
    x = torch.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(100):
        y = y * 1.01
    trace = hookviz.record(y)
    still = ElementTree.fromstring(trace._repr_mimebundle_()["image/svg+xml"])
    assert boxes(still) == {"g0": False}
    assert field(box(still, "g0"), "grad_output") == "1"


def test_a_graph_without_a_tensor_still_has_a_picture_and_a_name() -> None:
    graph, _ = sum_net()
    shown = Graph._of(graph)
    assert repr(shown) == "Graph(no tensor: 1 calls of modules)"
    assert "net" in shown.svg()
    empty = Graph._of(GraphRecord())
    assert empty.svg().startswith("<svg")


# -- what the page is given ---------------------------------------------------------------------


@pytest.mark.parametrize("example", [*EXAMPLES, second_example()])
def test_everything_for_the_page_is_json(example: Example) -> None:
    steps = build_steps(*example)
    data = explorer_data(trace_of(example), steps)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert next(iter(data)) == "steps"
    assert data.keys() >= {"picture", "stops", "expanded", "modules", "code", "tensors", "title"}
    assert set(data["stops"][0]) == {"step", "line", "caption", "box", "count", "printed"}
    assert {"call", "code"} <= set(data["steps"][0])


def test_modules_are_described_for_the_inspector() -> None:
    example = hooked_module()
    kinds = ("module_forward_pre_hook", "module_forward_hook")
    (module,) = explorer_data(trace_of(example), build_steps(*example), kinds=kinds)["modules"]
    hooks = module.pop("hooks")
    assert module == {
        "id": "m0",
        "label": "scale",
        "type": "Scale",
        "order": 0,
        "calls": ["k0"],
        "kinds": list(kinds),
        "notes": [],
    }
    assert [(hook["id"], hook["kind"]) for hook in hooks] == [
        ("h2", "module_backward_pre_hook"),
        ("h3", "module_backward_hook"),
    ]
    assert hooks[0].keys() == {
        "id",
        "kind",
        "label",
        "source",
        "origin",
        "enabled",
        "location",
        "editable",
        "with_kwargs",
        "always_call",
    }


def test_the_code_comes_with_its_line_numbers() -> None:
    graph, events = second_example()
    source = SourceRecord(file="cell 3", first_line=4, text="c = a * b\n\ne = c * d")
    example = replace(graph, sources=(source,)), events
    code = explorer_data(trace_of(example), build_steps(*example))["code"]
    assert code == [{"file": "cell 3", "first": 4, "lines": ["c = a * b", "", "e = c * d"]}]


def test_the_title_says_what_was_recorded() -> None:
    for example, title in ((sum_net(), "net(…)"), (second_example(), "e.backward()")):
        assert explorer_data(trace_of(example), build_steps(*example))["title"] == title


def test_opening_a_box_changes_picture_stops_and_nothing_else() -> None:
    example = tower(6)
    trace, steps = trace_of(example), build_steps(*example)
    start = explorer_data(trace, steps)
    assert start["expanded"] == ["k0", "k2"]
    opened = expansion_data(trace, steps, [*start["expanded"], "g0"])
    assert opened.keys() == {"picture", "stops", "expanded"}
    assert opened["expanded"] == ["k0", "k2", "g0"]
    assert len(opened["stops"]) > len(start["stops"])
    again = expansion_data(trace, steps, start["expanded"])
    assert again == {key: start[key] for key in again}


def test_ids_that_the_graph_lacks_are_left_out() -> None:
    example = tower(6)
    data = expansion_data(trace_of(example), build_steps(*example), ["k0", "k99", "__proto__"])
    assert data["expanded"] == ["k0"]


def test_a_box_is_found_by_its_name_or_its_id() -> None:
    graph, _ = tower(6)
    assert box_named(graph, "blocks") == "k2"
    assert box_named(graph, "g0") == "g0"
    assert box_named(graph, "nothing") is None
    named = tuple(
        replace(module, name="g0" if module.id == "m1" else module.name) for module in graph.modules
    )
    assert box_named(replace(graph, modules=named), "g0") == "k1"


def test_a_box_is_opened_with_all_that_is_around_it_and_closed_alone() -> None:
    graph, _ = tower(6)
    inner = box_named(graph, "blocks.2.up")
    assert inner is not None
    opened = opened_to(graph, (), inner)
    tree = group_tree(graph)
    assert set(opened) == set(tree.chain(inner))
    assert set(closed(graph, opened, "k0")) == set(opened) - {"k0"}
    assert set(all_opened(graph)) == set(tree.groups)


def recurrent(steps: int) -> Example:
    model = HandWritten()
    with watched(model) as watch:
        loss = model(torch.ones(steps, 1, 2)).sum()
    return watch.example(loss)


@pytest.mark.parametrize("example", [tower(60), recurrent(100), chain(2_000)])
def test_opening_a_box_is_quick(example: Example) -> None:
    trace = trace_of(example)
    tree = group_tree(example[0])
    steps = build_steps(*example, tree=tree)
    start = explorer_data(trace, steps, tree=tree)["expanded"]
    inside = [key for key in tree.groups if tree.groups[key].parent in ("", *start)]
    for key in [key for key in inside if key not in start][:3]:
        seconds = []
        for _ in range(3):
            begin = time.perf_counter()
            expansion_data(trace, steps, [*start, key], tree=tree)
            seconds.append(time.perf_counter() - begin)
        assert statistics.median(seconds) < 0.5, "it takes 0.02 to 0.06 s on a quiet machine"


# -- the transcript -----------------------------------------------------------------------------


def test_the_transcript_of_a_forward_alone() -> None:
    assert transcript(*sum_net()).splitlines() == [
        "Forward",
        "",
        "1  net  forward pre-hook add_ten: args[0] 1 → 11; args[2] 3 → 13",
        "        | hello",
        "2  net  forward: output = 26",
        "3  net  forward hook add_hundred: output 26 → 126",
    ]


def test_forward_and_backward_are_one_story_with_two_headings() -> None:
    lines = transcript(*hooked_module()).splitlines()
    assert lines[:11] == [
        "Forward",
        "",
        " 1  scale         forward: output = 10",
        "",
        "Backward from y",
        "",
        " 2  y             receives 1, backward starts here",
        " 3  MulBackward0  sends 3 to scale",
        " 4  scale         backward pre-hook times_ten: 3 → 30",
        " 5  scale         sends 30 to MulBackward0",
        " 6  MulBackward0  sends 150 to scale and 60 to scale.w",
    ]
    assert "BackwardHookFunction" not in "\n".join(lines)


def test_the_transcript_of_modules_is_aligned_in_chinese_too() -> None:
    graph, events = sum_net()
    modules = (replace(graph.modules[0], name="网络"),)
    events = tuple(structs.replace(event, module="网络") for event in events)
    lines = transcript(replace(graph, modules=modules), events, lang="zh").splitlines()
    assert lines[0] == table("zh")["transcript.module_only"]
    assert lines[2].startswith("1  网络  前向")
    assert lines[3] == "         | hello"
    assert re.match(r"2  网络  前向", lines[4])


def test_a_hook_that_does_not_run_any_more_has_no_row_without_a_record() -> None:
    graph, events = sum_net()
    stranger = HookRecord(id="h9", kind="module_forward_hook", label="gone")
    events = (*events, structs.replace(events[2], index=3, hook=stranger))
    shown = box(draw((graph, events), -1), "k0")
    assert not having(shown, "g", "data-hv-hook", "h9")
    assert field(shown, "output") == "26 → 126"
