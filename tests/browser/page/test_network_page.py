"""A page with a small network, without Jupyter: boxes open in place, code follows the steps."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.explorer_page import ExplorerPage
from tests.requirements_of_tests import ROOT

pytestmark = pytest.mark.browser

Open = Callable[..., ExplorerPage]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing: the tests speak."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Where the files of the repository can be read."""
    subprocess.run([sys.executable, str(ROOT / "js/preview/make_state.py")], check=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(ROOT)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def open_network(browser: Browser, address: str) -> Iterator[Open]:
    """Return a function that opens the network in a window of some width."""
    pages: list[Page] = []
    problems: list[str] = []

    def open_(width: int = 1200, *, scheme: str = "light", **query: object) -> ExplorerPage:
        page = browser.new_page(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
        )
        pages.append(page)
        page.on("pageerror", lambda error: problems.append(str(error)))
        options = "&".join(f"{name}={value}" for name, value in query.items())
        page.goto(f"{address}/js/preview/index.html?state=network&theme={scheme}&{options}")
        expect(page.locator(".hv-root")).to_be_visible()
        return ExplorerPage(page=page, root=page.locator(".hv-root"))

    yield open_
    for page in pages:
        page.close()
    assert problems == []


def look(explorer: ExplorerPage, name: str) -> None:
    """Keep a picture, where one was asked for."""
    folder = os.environ.get("HOOKVIZ_SCREENSHOTS")
    if folder:
        explorer.page.wait_for_timeout(300)
        explorer.root.screenshot(path=Path(folder) / f"network-{name}.png")


def place_of(explorer: ExplorerPage, box: str) -> tuple[float, float]:
    """Return the top left corner of a box, after the picture has come to rest."""
    explorer.page.wait_for_timeout(400)
    found = explorer.root.locator(f".hv-module[data-hv-box='{box}']").bounding_box()
    assert found is not None
    return found["x"], found["y"]


def scale(explorer: ExplorerPage) -> float:
    found: float = explorer.root.locator(".hv-picture").evaluate(
        "picture => new DOMMatrix(getComputedStyle(picture).transform).a"
    )
    return found


def test_a_box_opens_in_place_and_keeps_the_focus(open_network: Open) -> None:
    explorer = open_network(width=1200)
    keyboard = explorer.page.keyboard
    box = explorer.root.get_by_role("button", name="conv1, Conv2d", exact=True)
    box.focus()
    before, size = place_of(explorer, "k1"), scale(explorer)

    keyboard.press("+")
    expect(explorer.card("conv1.weight")).to_be_visible()
    expect(box).to_be_focused()
    assert place_of(explorer, "k1") == pytest.approx(before, abs=24)
    assert scale(explorer) == pytest.approx(size, rel=0.01)

    keyboard.press("Tab")
    sign = explorer.root.get_by_role("button", name="Collapse conv1", exact=True)
    expect(sign).to_be_focused()
    keyboard.press("Enter")
    expect(explorer.card("conv1.weight")).to_have_count(0)
    expect(explorer.root.get_by_role("button", name="Expand conv1", exact=True)).to_be_focused()
    assert place_of(explorer, "k1") == pytest.approx(before, abs=24)
    explorer.expect_step(0)


def test_a_box_that_opens_keeps_the_size_that_was_chosen(open_network: Open) -> None:
    explorer = open_network(width=1200)
    for _ in range(3):
        explorer.press("Zoom in")
    box = explorer.root.locator(".hv-module[data-hv-box='g0']")
    box.focus()
    before, size = place_of(explorer, "g0"), scale(explorer)
    assert size > 1
    box.locator("text").first.click()
    expect(explorer.root.locator(".hv-module[data-hv-box='k4']")).to_be_attached()
    assert scale(explorer) == pytest.approx(size, rel=0.01)
    frame = explorer.root.locator(".hv-stage").bounding_box()
    assert frame is not None
    left, top = place_of(explorer, "g0")
    assert frame["x"] - 1 <= left <= before[0] + 1
    assert frame["y"] - 1 <= top <= frame["y"] + frame["height"]


def test_a_small_picture_is_seen_as_a_whole_again(open_network: Open) -> None:
    explorer = open_network(width=1200)
    explorer.press("Collapse all")
    expect(explorer.root.locator(".hv-module")).to_have_count(1)
    assert scale(explorer) == pytest.approx(1)
    look(explorer, "collapsed")
    explorer.press("Expand all")
    expect(explorer.root.locator(".hv-module")).to_have_count(9)
    look(explorer, "expanded")


def test_the_current_line_comes_into_sight_and_the_page_does_not_move(open_network: Open) -> None:
    explorer = open_network(width=640)
    page = explorer.page
    page.evaluate(
        """() => {
            const lines = Array.from({length: 300}, (_, index) => `value_${index} = ${index}`);
            const steps = window.model.get('steps').map((step, index) => ({
                ...step, code: index === 0 ? null : [0, 13 * index],
            }));
            window.model.update({code: [{file: 'long.py', first: 1, lines}], steps});
        }"""
    )
    panel = explorer.root.get_by_role("tabpanel")
    page.evaluate("scrollTo(0, 40)")
    explorer.root.evaluate("root => root.focus({preventScroll: true})")
    top = page.evaluate("scrollY")
    for stop in range(1, 17):
        page.keyboard.press("ArrowRight")
        explorer.expect_step(stop)
        lit = panel.locator(".hv-code-line[aria-current]")
        line, frame = lit.bounding_box(), panel.bounding_box()
        assert line is not None
        assert frame is not None
        assert frame["y"] <= line["y"]
        assert line["y"] + line["height"] <= frame["y"] + frame["height"]
    assert page.evaluate("scrollY") == top > 0


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1600, 1200, 1000, 700, 400])
def test_nothing_overflows_at_any_width(
    open_network: Open, width: int, scheme: str, lang: str
) -> None:
    explorer = open_network(width=width, scheme=scheme, lang=lang, step=14, selected="m1")
    expect(explorer.root).to_be_visible()
    look(explorer, f"{width}-{scheme}-{lang}")
    assert explorer.root.evaluate("root => root.scrollWidth <= root.clientWidth + 1")
    assert explorer.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    parts = [".hv-picture-box", ".hv-code-panel", ".hv-timeline", ".hv-inspector", ".hv-hooks"]
    boxes = {part: explorer.root.locator(part).bounding_box() for part in parts}
    for part, box in boxes.items():
        assert box is not None, part
        assert box["width"] > 100, part
        assert box["height"] > 60, part
    for index, one in enumerate(parts):
        for two in parts[index + 1 :]:
            assert not _overlap(boxes[one], boxes[two]), (one, two)
    picture, code = boxes[".hv-picture-box"], boxes[".hv-code-panel"]
    is_beside = code["x"] >= picture["x"] + picture["width"] - 1  # type: ignore[index]
    assert is_beside == (width > 1150)


def _overlap(one: object, two: object) -> bool:
    assert isinstance(one, dict)
    assert isinstance(two, dict)
    wide = min(one["x"] + one["width"], two["x"] + two["width"]) - max(one["x"], two["x"])
    high = min(one["y"] + one["height"], two["y"] + two["height"]) - max(one["y"], two["y"])
    return bool(wide > 1 and high > 1)


def test_the_second_example_has_its_picture_in_full_size_at_1000_pixels(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.goto(f"{address}/js/preview/index.html")
    explorer = ExplorerPage(page=page, root=page.locator(".hv-root"))
    expect(explorer.card("c")).to_be_visible()
    for _ in range(50):  # the picture is fitted when the page has its size
        if scale(explorer) > 0.95:
            break
        page.wait_for_timeout(100)
    assert scale(explorer) > 0.95
    expect(explorer.root.locator(".hv-code-panel")).to_be_hidden()
    page.close()


def test_the_paper_holds_the_whole_code(open_network: Open) -> None:
    explorer = open_network(width=1000, step=2)
    explorer.page.evaluate(
        """() => {
            const lines = Array.from({length: 60}, (_, index) => `value_${index} = ${index}`);
            window.model.update({code: [{file: 'long.py', first: 1, lines}]});
        }"""
    )
    panel = explorer.root.get_by_role("tabpanel")
    assert panel.evaluate("panel => panel.scrollHeight > panel.clientHeight")
    explorer.page.emulate_media(media="print")
    assert panel.evaluate("panel => panel.scrollHeight <= panel.clientHeight + 1")
