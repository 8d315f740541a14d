"""Whatever a record has to say is said in the widget, in the transcript and on a saved page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from msgspec import structs
from msgspec.structs import replace

import hookviz
from hookviz._records import Event, GraphRecord, ModuleRecord, TraceRecord
from hookviz._view.page.data import explorer_data
from hookviz._view.steps.steps import build_steps
from hookviz._view.text.message import Message, render
from tests.view.example import second_example

NOTE = "fact.recomputed"


def texts_of(trace: TraceRecord, lang: str) -> tuple[list[str], str, str]:
    """Return the captions, the transcript, and all that a page is given."""
    steps = build_steps(trace.graph, trace.events)
    data = explorer_data(trace, steps)
    captions = [render(step.caption, lang) for step in steps]
    return captions, data["transcript"][lang], json.dumps(data, ensure_ascii=False)


def trace_with(graph: GraphRecord, events: tuple[Event, ...]) -> TraceRecord:
    return TraceRecord(graph=graph, events=events, grads={})


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("index", range(12))
def test_a_note_of_any_event(index: int, lang: str) -> None:
    graph, events = second_example()
    noted = tuple(structs.replace(e, notes=(NOTE,)) if e.index == index else e for e in events)
    captions, text, _ = texts_of(trace_with(graph, noted), lang)
    said = render(Message(NOTE), lang)
    assert [said in caption for caption in captions] == [n == index + 1 for n in range(13)]
    assert text.count(said) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_notes_of_the_graph_and_of_a_module(lang: str) -> None:
    graph, events = second_example()
    module = ModuleRecord(id="m0", name="<net>", type="Net", notes=("fact.not_called",))
    noted = replace(graph, notes=("note.no_lines",), modules=(module,))
    captions, text, page = texts_of(trace_with(noted, events), lang)
    for note in ("note.no_lines", "fact.not_called"):
        said = render(Message(note), lang)
        assert said in captions[0]
        assert text.count(said) == 1
        assert note in page


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_a_function_stands_for(lang: str) -> None:
    graph, events = second_example()
    nodes = tuple(
        replace(node, annotation="node.to_copy") if node.id in ("n0", "n1") else node
        for node in graph.nodes
    )
    captions, text, page = texts_of(trace_with(replace(graph, nodes=nodes), events), lang)
    said = render(Message("node.to_copy"), lang)
    assert [n for n, caption in enumerate(captions) if said in caption] == [4, 10]
    # In a text that is read from the top, once is enough.
    assert text.count(said) == 1
    assert render(Message("node.to_copy"), "en") in page  # the tooltip of the picture


def test_hooks_of_a_function_stand_beside_it_also_while_they_are_off(tmp_path: Path) -> None:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    explorer = hookviz.explore(a * b)
    explorer.attach("n0", lambda grad_in, grad_out: (grad_in[0] * 2, grad_in[1]))
    off = explorer.attach("n0", lambda go: (go[0] * 5,), kind="node_prehook")
    explorer.disable(off)

    assert a.grad is not None
    assert a.grad.item() == 6  # 3 doubled, and not times five
    notes = [p for p in explorer.steps[0]["patches"] if p[:2] == ["n0", "note"]]
    said = json.dumps(notes, ensure_ascii=False)
    assert "grad_in[0] * 2" in said
    assert "note.hook_off" in said
    for markup in (explorer.picture, explorer.trace.svg()):
        assert "hooks on it: lambda go: (go[0] * 5,) (turned off); lambda grad_in" in markup
    assert "by hook lambda grad_in" in explorer.trace.text()
    explorer.save_html(tmp_path / "page.html")
    assert "note.hook_off" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_function_without_hooks_says_nothing_of_them() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    trace = hookviz.record(a * 3)
    assert "on it:" not in trace.svg()
