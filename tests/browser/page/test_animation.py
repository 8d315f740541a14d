"""A saved animation in Chromium: it plays by itself, stands still if asked, runs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

import hookviz
from hookviz._widget.explorer import Explorer
from tests.live.scripts import second_example
from tests.test_saved_page import HOSTILE, hostile_root

pytestmark = pytest.mark.browser

Open = Callable[..., Page]

VISIBLE = """() => [...document.querySelectorAll('.hv-frame-of-film')].flatMap(
    (frame, place) => getComputedStyle(frame).visibility === 'visible' ? [place] : [])"""

GRADIENTS = """() => [...document.querySelectorAll('.hv-frame-of-film')]
    .filter(frame => getComputedStyle(frame).visibility === 'visible')
    .map(frame => [...frame.querySelectorAll("[data-hv-field='incoming']")]
        .map(text => text.textContent).filter(Boolean).sort())"""


@pytest.fixture
def explorer() -> Explorer:
    tensors = second_example()
    return hookviz.explore(tensors["e"], names=tensors)


@pytest.fixture
def open_file(browser: Browser) -> Iterator[Open]:
    """Return a function that opens a file."""
    contexts = []

    def open_(path: Path, **options: object) -> Page:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()


def at(page: Page, seconds: float) -> None:
    """Put every animation of the file to one moment."""
    page.evaluate(
        "seconds => document.getAnimations().forEach(one => {"
        " one.pause(); one.currentTime = seconds * 1000; })",
        seconds,
    )


def test_each_stop_is_shown_in_turn_over_and_over(
    explorer: Explorer, open_file: Open, tmp_path: Path
) -> None:
    explorer.save_animation(tmp_path / "pass.svg", seconds=2)
    page = open_file(tmp_path / "pass.svg")
    count = len(explorer.stops)
    assert count == 13
    for place in (*range(count), count, count + 3):
        for part in (0.05, 1.0, 1.95):
            at(page, 2 * place + part)
            assert page.evaluate(VISIBLE) == [place % count], (place, part)
    at(page, 0)
    assert page.evaluate(GRADIENTS) == [[]]
    at(page, 2 * 12 + 1)
    assert page.evaluate(GRADIENTS) == [["1", "12", "20", "30", "8"]]


def test_it_plays_by_itself(explorer: Explorer, open_file: Open, tmp_path: Path) -> None:
    explorer.save_animation(tmp_path / "pass.svg", seconds=0.2)
    page = open_file(tmp_path / "pass.svg")
    seen = set()
    for _ in range(10):
        seen.update(page.evaluate(VISIBLE))
        page.wait_for_timeout(150)
    assert len(seen) >= 4
    # Also as a picture in a page, as it stands in a README.
    (tmp_path / "page.html").write_text('<img src="pass.svg" alt="a pass">', encoding="utf-8")
    page = open_file(tmp_path / "page.html")
    picture = page.locator("img")
    shots = set()
    for _ in range(6):
        shots.add(picture.screenshot())
        page.wait_for_timeout(250)
    assert len(shots) >= 3


def test_whoever_asks_for_less_motion_sees_how_the_pass_ended(
    explorer: Explorer, open_file: Open, tmp_path: Path
) -> None:
    explorer.save_animation(tmp_path / "pass.svg", seconds=0.2)
    page = open_file(tmp_path / "pass.svg", reduced_motion="reduce")
    for _ in range(3):
        assert page.evaluate(VISIBLE) == [12]
        page.wait_for_timeout(250)
    assert page.evaluate("document.getAnimations().length") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_the_colors_of_the_reader(
    explorer: Explorer, open_file: Open, tmp_path: Path, scheme: str
) -> None:
    explorer.save_animation(tmp_path / "pass.svg")
    page = open_file(tmp_path / "pass.svg", color_scheme=scheme)
    fill = page.evaluate(
        "getComputedStyle(document.querySelector('.hv-background')).fill.match(/\\d+/g).map(Number)"
    )
    assert (sum(fill[:3]) > 3 * 128) == (scheme == "light")


def test_no_text_of_a_user_is_more_than_text(open_file: Open, tmp_path: Path) -> None:
    root, names = hostile_root()
    explorer = hookviz.explore(root, names=names)
    explorer.save_animation(tmp_path / "pass.svg", seconds=0.2)
    requests: list[str] = []
    page = open_file(tmp_path / "pass.svg")
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: requests.append(dialog.message))
    page.wait_for_timeout(600)
    found = page.evaluate("""() => {
        const parts = [...document.querySelectorAll('*')];
        return {
            kinds: [...new Set(parts.map(part => part.localName))],
            handlers: parts.flatMap(part => [...part.attributes])
                .filter(({name}) => name.startsWith('on') || name.endsWith('href')).length,
            texts: parts.map(part => part.textContent).join(' '),
            broken: globalThis.broken ?? null,
        };
    }""")
    allowed = {"svg", "g", "path", "rect", "circle", "text", "tspan", "title", "style"}
    assert set(found["kinds"]) <= allowed
    assert found["handlers"] == 0
    assert found["broken"] is None
    assert HOSTILE[0] in found["texts"]
    assert requests == []
