"""Saved pages, opened from a folder in Chromium: they step, ask for nothing, and run no text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect

import hookviz
from hookviz._view.saved import answers as kept_answers
from hookviz._view.saved.page import page_part, save_page
from hookviz._view.steps.stops import stops
from hookviz._view.text.message import Message, render
from hookviz._view.text.width import clean
from tests.browser.explorer_page import ExplorerPage
from tests.browser.page.test_accessibility import axe as axe_script
from tests.browser.page.test_accessibility import violations
from tests.live.scripts import second_example
from tests.nets import NETS
from tests.test_saved_page import HOSTILE, hostile_trace

pytestmark = pytest.mark.browser

axe = axe_script


class Opened:
    """A page, with everything that it asked for and complained about."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        page.goto(path.as_uri())

    def explorer(self, number: int = 0) -> ExplorerPage:
        root = self.page.locator(f"#hookviz-{number}")
        expect(root.locator(".hv-picture")).to_be_visible()
        return ExplorerPage(page=self.page, root=root)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Return a function that opens a file."""
    contexts = []

    def open_(path: Path, **options: object) -> Opened:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        return Opened(context.new_page(), path)

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture
def trace() -> hookviz.Trace:
    tensors = second_example()
    return hookviz.record(tensors["e"], names=tensors)


def test_a_page_steps_through_the_pass_and_asks_for_nothing(
    trace: hookviz.Trace, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    path = tmp_path / "pass.html"
    trace.save_html(path)
    opened = open_page(path)
    explorer = opened.explorer()
    explorer.expect_step(0)
    for _ in range(4):
        explorer.press("Next step")
    expect(explorer.field("c", "incoming")).to_have_text("8")
    expect(explorer.caption).to_contain_text("8 to c and 12 to d")
    explorer.press("Last step")
    expect(explorer.field("a", "grad")).to_have_text("30")
    explorer.goto(6)
    explorer.expect_step(6)
    opened.page.keyboard.press("ArrowRight")
    explorer.expect_step(7)
    expect(explorer.printed).to_have_text("c_hook tensor(8.)")
    explorer.select("d")
    # Hooks can be read and not changed.
    expect(explorer.root.get_by_role("button", name="Apply", exact=True)).to_be_disabled()
    assert opened.requests == [path.as_uri()]
    assert opened.complaints == []


def test_the_page_around_the_explorers_speaks_their_language(
    open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    path, trace = tmp_path / "pass.html", hostile_trace()
    part = page_part(trace, lang="zh", heading=Message("calls.none"))
    notes = [HOSTILE[1], Message("page.compare.none")]
    save_page(path, [part, page_part(trace, lang="zh")], lang="zh", notes=notes)
    opened = open_page(path)
    explorer, page = opened.explorer(1), opened.page

    def said(lang: str) -> list[str]:
        keys = ("calls.none", "page.explorer", "page.compare.none", "page.footer")
        first, second, compared, footer = (render(Message(key), lang) for key in keys)
        return [first, second, HOSTILE[1], compared, footer]

    texts = page.locator("section > h2, main > p")
    for name, lang, tag in (
        ("", "zh", "zh-Hans"),
        ("English", "en", "en"),
        ("中文", "zh", "zh-Hans"),
    ):
        if name:
            explorer.root.get_by_role("button", name=name, exact=True).click()
        expect(page.locator("html")).to_have_attribute("lang", tag)
        expect(texts).to_have_text(said(lang))
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert opened.complaints == []


@pytest.mark.parametrize("bypass_csp", [False, True])
def test_no_text_of_a_user_runs(
    open_page: Callable[..., Opened], tmp_path: Path, bypass_csp: bool
) -> None:
    path = tmp_path / "hostile.html"
    hostile_trace().save_html(path)
    opened = open_page(path, bypass_csp=bypass_csp)
    explorer = opened.explorer()
    tags = "document.querySelectorAll('script, img, iframe, [onerror]').length"
    assert opened.page.evaluate(tags) == 3
    explorer.goto(2)
    expect(explorer.printed).to_contain_text(HOSTILE[0])
    explorer.press("Last step")
    for text in HOSTILE[:-1]:
        shown = opened.page.evaluate(
            "text => [...document.querySelectorAll('.hv-card')]"
            ".some(card => card.dataset.hvId === text)",
            clean(text),
        )
        assert shown, text
    assert opened.page.evaluate(tags) == 3
    assert opened.page.evaluate("[globalThis.broken, {}.broken]") == [None, None]
    assert opened.requests == [path.as_uri()]
    assert opened.complaints == []


def test_the_policy_stops_a_script_that_was_put_in_later(
    trace: hookviz.Trace, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    path = tmp_path / "pass.html"
    trace.save_html(path)
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("<main>", "<main><script>globalThis.broken = 1</script>"), encoding="utf-8"
    )
    opened = open_page(path)
    opened.explorer()
    assert opened.page.evaluate("globalThis.broken") is None
    assert any("Content Security Policy" in text for text in opened.complaints)


def test_explorers_on_one_page_step_apart(
    trace: hookviz.Trace, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    path = tmp_path / "pass.html"
    parts = [page_part(trace, lang="en", heading=f"pass {number}") for number in (1, 2)]
    save_page(path, parts, title="two passes", notes=["and no more"])
    opened = open_page(path)
    first, second = opened.explorer(0), opened.explorer(1)
    second.press("Next step")
    second.expect_step(1)
    first.expect_step(0)
    headings = opened.page.get_by_role("heading", level=2)
    expect(headings).to_have_text(["pass 1", "pass 2"])
    expect(opened.page.get_by_role("heading", level=1)).to_have_text("two passes")
    expect(opened.page).to_have_title("two passes")


def test_chinese_and_a_dark_page_without_an_overflow(
    trace: hookviz.Trace, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    path = tmp_path / "pass.html"
    trace.save_html(path, lang="zh")
    viewport = {"width": 700, "height": 800}
    opened = open_page(path, color_scheme="dark", viewport=viewport)
    explorer = opened.explorer()
    explorer.press("下一步")
    expect(explorer.caption).to_contain_text("反向传播")
    width = "document.documentElement.scrollWidth"
    assert opened.page.evaluate(width) == 700
    background = "getComputedStyle(document.body).backgroundColor"
    assert opened.page.evaluate(background) == "rgb(20, 23, 27)"
    root = explorer.root.locator(".hv-root")
    expect(root).to_have_attribute("data-hv-theme", "dark")


def test_without_scripts_the_picture_and_the_text_are_there(
    trace: hookviz.Trace, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    path = tmp_path / "pass.html"
    trace.save_html(path)
    opened = open_page(path, java_script_enabled=False)
    expect(opened.page.locator("noscript .hv-picture")).to_be_visible()
    expect(opened.page.locator("noscript pre")).to_contain_text("c_hook tensor(8.)")
    assert opened.requests == [path.as_uri()]


@pytest.mark.parametrize("net", NETS)
def test_any_boxes_open_on_a_saved_page_as_they_do_with_a_kernel(
    net: str, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    live = hookviz.explore(NETS[net]())
    live.save_html(tmp_path / "pass.html")
    opened = open_page(tmp_path / "pass.html")
    explorer = opened.explorer()
    chance = random.Random(1)
    for _ in range(12):
        signs = explorer.root.locator(".hv-toggle")
        sign = signs.nth(chance.randrange(signs.count()))
        box = sign.get_attribute("data-hv-toggle") or ""
        (live.collapse if box in live.expanded else live.expand)(box)
        sign.focus()
        sign.press("Enter")
        expect(explorer.rows).to_have_count(len(live.stops))
        assert drawn_on(opened.page) == drawn_in(live.picture), live.expanded
    for place in {0, len(live.stops) // 2, len(live.stops) - 1}:
        explorer.goto(place)
        stop = stops(live.trace.graph, live._stepper.steps, live.trace.events, live.expanded)[place]
        said = stop.caption or live._stepper.steps[stop.step].caption
        expect(explorer.caption).to_contain_text(render(said, "en").split("\n")[0][:60])
    assert opened.complaints == []
    live.close()


def drawn_on(page: Page) -> list[list[str]]:
    """Return boxes with whether they are open, cards and functions of the page's picture."""
    found: list[list[str]] = page.evaluate(
        "[...document.querySelectorAll('.hv-card, .hv-module, .hv-function')].map(item =>"
        " [item.dataset.hvKey, String(item.classList.contains('hv-expanded'))]).sort()"
    )
    return found


def drawn_in(picture: str) -> list[list[str]]:
    """Return the same of the markup of a picture."""
    kinds = {"hv-card", "hv-module", "hv-function"}
    return sorted(
        [item.get("data-hv-key", ""), "true" if "hv-expanded" in item.get("class", "") else "false"]
        for item in ElementTree.fromstring(picture).iter()
        if kinds & set(item.get("class", "").split())
    )


def test_a_saved_page_compares_with_each_hook_off_and_with_any_boxes_open(
    open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    live = hookviz.explore(NETS["LeNet"]())
    live.save_html(tmp_path / "pass.html")
    opened = open_page(tmp_path / "pass.html")
    explorer = opened.explorer()
    explorer.press("Last step")
    explorer.press("Collapse all")
    choices = explorer.root.get_by_role("combobox", name="Compare", exact=True)
    for number, choice in enumerate(live.comparisons):
        choices.select_option(choice["id"])
        explorer.press("Collapse all" if number % 2 else "Expand all")
        live.compare(choice["id"])
        (live.collapse_all if number % 2 else live.expand_all)()
        ghosts = explorer.root.locator("[data-hv-field='ghost']:not(:empty)")
        # A card may cut what is too long for it.
        said = sorted(text.rstrip("…")[:30] for text in ghosts.all_text_contents())
        assert said == ghosts_of(live), choice
    choices.select_option("")
    expect(explorer.root.locator("[data-hv-field='ghost']")).to_have_count(0)
    assert opened.complaints == []
    live.close()


def ghosts_of(live: hookviz.Explorer) -> list[str]:
    """Return what stands beside gradients at the last step on the cards that are drawn."""
    now: dict[str, str] = {}
    for step in live._stepper.steps:
        for key, field, value in step.patches:
            if field == "ghost":
                now[key] = render(value, "en")
    drawn = [
        item
        for item in ElementTree.fromstring(live.picture).iter()
        if "hv-card" in item.get("class", "")
    ]
    keys = [
        card.get("data-hv-key", "")
        for card in drawn
        if any(part.get("data-hv-field") == "ghost" for part in card.iter())
    ]
    return sorted(now[key][:30] for key in keys if now[key])


def test_a_learner_can_predict_with_boxes_open_on_a_map(
    open_page: Callable[..., Opened], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_answers, "MOST_PICTURES", 1)
    live = hookviz.explore(NETS["SumNet"]())
    live.save_html(tmp_path / "pass.html")
    opened = open_page(tmp_path / "pass.html")
    explorer = opened.explorer()
    explorer.close_box("net")
    # Only the start has a picture of its own here.
    expect(explorer.root.locator(".hv-layout-note")).to_contain_text("closed boxes take as much")
    explorer.press("Last step")
    explorer.press("Previous step")
    explorer.press("Predict")
    question = live._stepper.steps[-1].question
    assert question is not None
    answer = explorer.root.locator(".hv-question-form input")
    answer.fill(str(question.answer[0]))
    answer.press("Enter")
    expect(explorer.root.locator(".hv-prediction")).to_contain_text("1 of 1 right")
    explorer.open_box("net")
    expect(explorer.root.locator(".hv-layout-note")).to_have_count(0)
    assert opened.complaints == []
    live.close()


def test_axe_finds_nothing_on_a_page(
    open_page: Callable[..., Opened], tmp_path: Path, axe: str
) -> None:
    tensors = second_example()
    live = hookviz.explore(tensors["e"], names=tensors)
    live.save_html(tmp_path / "pass.html")
    opened = open_page(tmp_path / "pass.html", reduced_motion="reduce", bypass_csp=True)
    explorer = opened.explorer()
    assert violations(opened.page, axe) == []
    compare = explorer.root.get_by_role("combobox", name="Compare", exact=True)
    compare.select_option("hooks")
    explorer.press("Last step")
    assert violations(opened.page, axe) == []
    live.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_map(
    open_page: Callable[..., Opened],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    axe: str,
    scheme: str,
) -> None:
    monkeypatch.setattr(kept_answers, "MOST_PICTURES", 1)
    live = hookviz.explore(NETS["LeNet"]())
    live.save_html(tmp_path / "pass.html")
    opened = open_page(
        tmp_path / "pass.html", color_scheme=scheme, reduced_motion="reduce", bypass_csp=True
    )
    explorer = opened.explorer()
    explorer.press("Expand all")
    explorer.close_box("features.0")
    explorer.close_box("classifier")
    expect(explorer.root.locator(".hv-layout-note")).to_have_count(1)
    assert violations(opened.page, axe, ".hv-picture-box") == []
    explorer.press("Last step")
    assert violations(opened.page, axe, ".hv-picture-box") == []
    live.close()


def test_a_box_that_opens_on_a_saved_page_stays_in_sight(
    open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    hookviz.record(NETS["ResNet"]()).save_html(tmp_path / "pass.html")
    explorer = open_page(tmp_path / "pass.html").explorer()
    explorer.box("layer1.0").focus()
    for change in (explorer.open_box, explorer.close_box):
        change("layer1.0")
        explorer.page.wait_for_timeout(400)  # until the picture has come to rest
        box = explorer.box("layer1.0").bounding_box()
        stage = explorer.root.locator(".hv-stage").bounding_box()
        assert box is not None
        assert stage is not None
        assert stage["y"] - 1 <= box["y"] < stage["y"] + stage["height"]
