"""What had to be cut in a picture is there in full as a tooltip, and never as markup."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator

import pytest
import torch

import hookviz
from hookviz._records import TraceRecord
from hookviz._view.steps.steps import build_steps, frame_at
from hookviz._view.svg.element import tooltip, words
from hookviz._view.svg.picture import picture_svg
from hookviz._view.text.message import Message

SVG = "{http://www.w3.org/2000/svg}"
LONG = "<b>&" + "x" * 80


def trace_of_long_texts() -> TraceRecord:
    """Return a watched pass with long names, long numbers and a hook with a long source."""

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.add_module("y" * 80, torch.nn.Linear(3, 3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for layer in self.children():
                x = layer(x)
            return x

    net = Net()
    x = torch.full((3,), 1.2345678, requires_grad=True)
    with hookviz.watch(net):
        out = net(x).sum()
    x.register_hook(lambda grad: grad * 1.2345678901 + 0.000000001 * grad.abs().sum() - grad)
    return hookviz.record(out, names={LONG: x})


def drawn(trace: TraceRecord, step: int) -> ET.Element:
    steps = build_steps(trace.graph, trace.events)
    text = picture_svg(trace.graph, steps, step=step, lang="en", standalone=True)
    assert "<b>" not in text
    return ET.fromstring(text)


def with_titles(
    group: ET.Element, titles: tuple[str, ...] = ()
) -> Iterator[tuple[ET.Element, str]]:
    """Yield each text with the tooltips of itself and of what it stands in."""
    own = [child.text or "" for child in group if child.tag == f"{SVG}title"]
    titles = (*titles, *own)
    if group.tag in (f"{SVG}text", f"{SVG}tspan"):
        yield group, "\n".join(titles)
    for child in group:
        yield from with_titles(child, titles)


def test_every_text_that_was_cut_is_told_by_a_tooltip() -> None:
    trace = trace_of_long_texts()
    last = len(trace.events)
    frame = frame_at(build_steps(trace.graph, trace.events), last)
    whole = {value for value in frame.values() if isinstance(value, str)}
    found = 0
    for text, titles in with_titles(drawn(trace, last)):
        shown = text.text or ""
        if not shown.endswith("…") or shown in whole:
            continue  # a summary of many numbers ends with dots and was not cut
        found += 1
        # The row of a hook writes `lambda grad:` as a sign.
        assert shown[:-1].rstrip().replace("λ ", "lambda grad: ") in titles, shown
        assert len(titles) > len(shown)
    assert found >= 3
    (card,) = [
        titles
        for text, titles in with_titles(drawn(trace, 0))
        if (text.text or "").startswith("<b>&x") and text.get("class") == "hv-title"
    ]
    assert LONG in card


@pytest.mark.parametrize("limit", [5.0, 1000.0])
def test_a_text_within_its_room_has_no_tooltip(limit: float) -> None:
    made = words("text", LONG, "en", limit=limit)
    assert (made.find("title") is None) == (limit == 1000.0)
    assert made.text is not None
    assert made.text == LONG or LONG.startswith(made.text[:-1])


def test_words_that_are_longer_in_another_language_are_cut_there_too() -> None:
    made = words("text", Message("role.non_leaf_retained"), "zh", limit=9.0)
    assert made.get("data-hv-cut") == "9.0"
    assert words("text", Message("role.leaf"), "zh", limit=9.0).get("data-hv-cut") is None


def test_a_tooltip_of_words_can_be_put_into_another_language() -> None:
    made = tooltip(["\ud800<b>", "", Message("role.leaf")], "zh")
    assert made.text == "\ufffd<b>\n叶子张量"
    assert made.get("data-hv-lines") == '["\\ufffd<b>",{"key":"role.leaf","args":{}}]' or (
        made.get("data-hv-lines") == '["\ufffd<b>",{"key":"role.leaf","args":{}}]'
    )
    assert tooltip(["a"], "zh").get("data-hv-lines") is None


def test_a_tooltip_ends_somewhere() -> None:
    title = words("text", "x" * 100_000, "en", limit=5.0).find("title")
    assert title is not None
    assert title.text is not None
    assert 1000 < len(title.text) < 3000
