from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from msgspec import structs
from msgspec.structs import replace

from hookviz._languages import LANGUAGES
from hookviz._view.layout import engines
from hookviz._view.steps.steps import build_steps
from hookviz._view.svg.legend import TRANSCRIPT_EM, wrap_lines
from hookviz._view.svg.picture import picture_svg
from hookviz._view.text.width import width_in_em
from tests.view.drawing import (
    SVG,
    Example,
    card,
    draw,
    every_box,
    field,
    having,
    ladder,
    lonely_leaf,
    named,
    square,
    unbound,
)
from tests.view.example import second_example
from tests.view.graphs import chain, hidden, shared_leaf, stray_leaf

HOSTILE = (
    "<script>alert(1)</script>",
    "__proto__",
    "\"'&lt;]]>",
    "a\x00\x1b[31m\ud800b",
    "two\nlines",
    "\u202eשלום\u2066",
    "n" * 10_000,
    "</style><svg onload=alert(1)>",
    "{tensor}",
    "中文名字",
)
TAGS = {"svg", "g", "path", "rect", "circle", "text", "tspan", "title", "style"}
EXAMPLES = [
    second_example(),
    square(),
    shared_leaf(),
    hidden(),
    stray_leaf(),
    unbound(),
    lonely_leaf(),
    chain(25),
    ladder(6),
]


def texts(root: ElementTree.Element) -> list[str]:
    return [part.text for part in root.iter(f"{SVG}text") if part.text]


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_graph_is_drawn_at_every_step_with_known_elements_only(
    example: Example, lang: str
) -> None:
    graph, events = example
    for step in range(len(events) + 1):
        picture = draw(example, step, lang, expanded=every_box(example))
        assert {part.tag.removeprefix(SVG) for part in picture.iter()} <= TAGS
        keys = {part.get("data-hv-key") for part in picture.iter()} - {None}
        drawn = {edge.id for edge in graph.edges} | {tensor.id for tensor in graph.tensors}
        assert keys - drawn <= {node.id for node in graph.nodes} | set(every_box(example))
        assert {edge.id for edge in graph.edges} <= keys


def test_a_card_shows_what_is_known_at_the_step() -> None:
    before = card(draw(second_example(), 0), "t1")
    assert (field(before, "incoming"), field(before, "flow")) == ("", "not computed yet")
    after = card(draw(second_example(), 7), "t1")
    assert (field(after, "incoming"), field(after, "rewritten")) == ("8", "10")
    assert field(after, "hook:h1") == "8 → 10"
    assert field(after, "hook:h2") == ""
    assert after.get("data-hv-state") == "current"


def test_a_card_names_itself_for_tests_and_for_screen_readers() -> None:
    picture = draw(second_example())
    c = card(picture, "t1")
    assert c.get("data-hv-id") == "c"
    assert c.get("data-hv-role") == "non-leaf"
    assert c.get("aria-label") == "c, non-leaf · retain_grad"
    assert (c.get("role"), c.get("tabindex")) == ("button", "0")
    assert card(picture, "t0").get("data-hv-role") == "root"
    assert card(picture, "t3").get("data-hv-role") == "leaf"


def test_a_hook_row_has_the_hooks_state() -> None:
    row = having(draw(second_example(), 7), "g", "data-hv-hook", "h1")[0]
    assert row.get("data-hv-state") == "current"
    waiting = having(draw(second_example(), 7), "g", "data-hv-hook", "h2")[0]
    assert waiting.get("data-hv-state") == "pending"


def test_an_arrow_carries_what_was_sent_along_it_and_a_feed_its_tensors_state() -> None:
    picture = draw(second_example(), -1)
    assert field(having(picture, "g", "data-hv-key", "e0")[0], "contribution") == "8"
    feed = having(picture, "g", "data-hv-feed", "t1")[0]
    assert feed.get("data-hv-state") == card(picture, "t1").get("data-hv-state")
    assert feed.get("data-hv-rewritten") == "true"


def test_a_picture_can_be_put_into_another_language_without_python() -> None:
    english, chinese = draw(second_example(), 0, "en"), draw(second_example(), 0, "zh")
    pairs = list(zip(english.iter(), chinese.iter(), strict=True))
    for one, other in pairs:
        if one.text != other.text:
            assert one.get("data-hv-message") or one.get("data-hv-field")
        # Places and sizes are for both languages.
        for name in ("x", "y", "width", "height", "transform", "d"):
            assert one.get(name) == other.get(name)
    messages = [one.get("data-hv-message") for one, _ in pairs if one.get("data-hv-message")]
    assert {"card.value", "role.leaf"} <= {json.loads(message)["key"] for message in messages}


def test_copies_of_a_leaf_share_a_key_and_are_one_stop_for_the_tab_key() -> None:
    copies = having(draw(ladder(6)), "g[@class='hv-card']", "data-hv-id", "shared")
    assert [copy.get("tabindex") for copy in copies] == ["0", *["-1"] * 5]
    assert {copy.get("data-hv-key") for copy in copies} == {"t7"}


def test_the_slots_of_a_function_are_named() -> None:
    assert {"out 0", "out 1", "out 2"} <= set(texts(draw(unbound())))


def test_the_same_graph_gives_the_same_bytes() -> None:
    graph, events = second_example()
    once, again = (
        picture_svg(graph, build_steps(graph, events), step=3, lang="en") for _ in range(2)
    )
    assert once == again


@pytest.mark.parametrize("standalone", [True, False])
def test_hostile_text_stays_text(standalone: bool) -> None:
    transcript = "\n".join(HOSTILE) if standalone else None
    picture = draw(named(*HOSTILE), transcript=transcript)
    assert {part.tag.removeprefix(SVG) for part in picture.iter()} <= TAGS
    for part in picture.iter():
        assert not any(name.lower().startswith("on") for name in part.attrib)
        assert len(part.text or "") < 12_000 or part.tag == f"{SVG}style"
    shown = texts(picture)
    assert "<script>alert(1)</script>" in shown
    assert max(width_in_em(text) for text in shown) <= TRANSCRIPT_EM
    assert card(picture, "t0").get("data-hv-id") == "<script>alert(1)</script>"


def test_what_xml_cannot_hold_is_replaced() -> None:
    graph, events = named(*HOSTILE)
    markup = picture_svg(
        graph, build_steps(graph, events), step=0, lang="en", transcript="\x00\x0b"
    )
    markup.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]", markup)


def test_a_picture_that_stands_alone_needs_nothing_else() -> None:
    graph, events = second_example()
    steps = build_steps(graph, events)
    alone = picture_svg(graph, steps, step=len(steps) - 1, lang="en", transcript="one\n  two")
    assert "<style>" in alone
    assert not re.search(r"(href|src|url\(|@import|@font-face|<script)", alone)
    assert "prefers-color-scheme: dark" in alone
    assert 'xml:space="preserve"' in alone
    assert "  two" in texts(ElementTree.fromstring(alone))
    assert "<style>" not in picture_svg(graph, steps, step=0, lang="en")
    assert "<style>" in picture_svg(graph, steps, step=0, lang="en", standalone=True)


def test_a_viewer_without_variables_finds_a_plain_color_first() -> None:
    alone = draw(second_example(), -1, transcript="")
    style = alone.find(f"{SVG}style")
    assert style is not None
    assert style.text is not None
    for declaration in re.findall(r"[^;{}]*var\([^;{}]*;", style.text):
        name = declaration.split(":")[0].strip()
        before = style.text[: style.text.index(declaration)]
        assert re.search(rf"{name}:[^;{{}}]*;$", before.rstrip()), declaration


def test_a_viewer_without_style_sheets_finds_attributes() -> None:
    alone = draw(second_example(), -1, transcript="")
    line = next(part for part in alone.iter() if part.get("class") == "hv-line")
    assert line.get("fill") == "none"
    mark = next(part for part in alone.iter() if part.get("class") == "hv-mark")
    assert mark.get("display") == "none"


def test_a_still_picture_of_the_whole_pass_has_nothing_going_on() -> None:
    alone = draw(second_example(), -1, transcript="")
    states = {part.get("data-hv-state") for part in alone.iter()} - {None}
    assert states == {"done"}
    assert card(draw(second_example(), -1), "t4").get("data-hv-state") == "current"


def test_a_still_picture_hides_what_the_style_sheet_would_hide() -> None:
    alone = card(draw(second_example(), -1, transcript=""), "t3")
    assert "→" not in "".join(alone.itertext())
    assert not [part for part in alone.iter() if part.get("data-hv-field") == "flow"]
    rewritten = card(draw(second_example(), -1, transcript=""), "t1")
    assert "→" in "".join(rewritten.itertext())


def test_the_style_sheet_says_nothing_about_the_rest_of_the_page() -> None:
    alone = draw(second_example(), 0, transcript="")
    style = alone.find(f"{SVG}style")
    assert style is not None
    sheet = re.sub(r"/\*.*?\*/", "", style.text or "", flags=re.DOTALL)
    sheet = re.sub(r"@media[^{]*\{", "", sheet)
    for selectors in re.findall(r"([^{}]+)\{", sheet):
        for selector in selectors.split(","):
            assert re.match(r"(\[data-hv-theme=\"dark\"\] )?\.hv-", selector.strip()), selector


def test_a_picture_that_is_not_the_normal_one_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [part for part in draw(square()).iter() if part.get("class") == "hv-layout-note"]
    monkeypatch.setattr(engines, "has_pygraphviz", lambda: False)
    monkeypatch.setattr(engines, "has_dot", lambda: False)
    assert any("Graphviz is not available" in text for text in texts(draw(square())))


def test_a_hidden_rewrite_is_said_beside_the_function_or_on_the_card() -> None:
    picture = draw(hidden(), -1)
    notes = [part.text for part in picture.iter() if part.get("data-hv-field") == "note"]
    assert any(note and note.startswith("changed by a hook") for note in notes)


def test_what_is_wider_than_its_room_is_cut_and_says_where() -> None:
    graph, events = second_example()
    long = structs.replace(
        events[3], outgoing=(replace(events[3].outgoing[0], values=None, note="meta"), None)
    )
    picture = draw((graph, (*events[:3], long)), -1)
    text = next(
        part
        for part in having(picture, "g", "data-hv-key", "e0")[0].iter()
        if part.get("data-hv-field") == "contribution"
    )
    limit = float(text.get("data-hv-cut", "0"))
    assert 0 < width_in_em(text.text or "") <= limit
    assert (text.text or "").endswith("…")


def test_a_long_line_of_a_transcript_goes_on_in_the_next() -> None:
    lines = wrap_lines("short\n" + "word " * 60)
    assert lines[0] == "short"
    assert len(lines) > 2
    assert all(width_in_em(line) <= TRANSCRIPT_EM for line in lines)
    assert "".join(lines[1:]).replace(" ", "") == "word" * 60


def test_a_transcript_of_many_lines_ends_with_how_many_are_left() -> None:
    shown = texts(draw(square(), transcript="\n".join(map(str, range(1_000)))))
    assert shown[-1] == "… 700 more lines"
    assert "299" in shown
    assert "300" not in shown
