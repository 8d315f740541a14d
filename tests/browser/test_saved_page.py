"""Saved pages, opened from a folder in Chromium: they step, ask for nothing, and run no text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import hookviz
from hookviz.saved_page import page_part, save_page
from hookviz.view.text_width import clean
from tests.browser.explorer_page import ExplorerPage
from tests.live.scripts import second_example
from tests.test_saved_page import HOSTILE, hostile_trace

pytestmark = pytest.mark.browser


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
