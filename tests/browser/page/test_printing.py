"""An explorer on paper: all of the picture, the pass as text, dark letters on white."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.example import second_example, small_network
from tests.browser.page.test_accessibility import PALE
from tests.browser.plain_page import PlainPage

pytestmark = pytest.mark.browser

A4 = {"width": 794, "height": 1123}

CUT_OFF = """root => {
    const outer = root.getBoundingClientRect();
    return [...root.querySelectorAll('.hv-picture, .hv-card, .hv-module, .hv-passage-text, dd')]
        .filter(part => part.checkVisibility())
        .filter(part => {
            const {left, right} = part.getBoundingClientRect();
            return left < outer.left - 1 || right > outer.right + 1
                || part.scrollWidth > part.clientWidth + 1 && part.matches('pre');
        })
        .map(part => part.getAttribute('class'));
}"""

LETTERS = """root => {
    const light = color => {
        const [red, green, blue] = color.match(/[0-9.]+/g).map(Number);
        return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
    };
    return ['.hv-sentence', '.hv-passage-text', '.hv-card .hv-title', '.hv-heading']
        .map(name => getComputedStyle(root.querySelector(name)))
        .map((style, place) => light(place === 2 ? style.fill : style.color));
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_paper_everything_is_there_and_dark_on_white(
    show: Callable[..., PlainPage], screenshots: Path, theme: str
) -> None:
    explorer = second_example()
    explorer.theme = theme
    plain = show(explorer, color_scheme=theme, **A4)
    plain.explorer.goto(7)
    plain.explorer.select("c")
    plain.page.emulate_media(media="print", color_scheme=theme)
    root = plain.explorer.root
    plain.page.screenshot(path=screenshots / f"print-{theme}.png", full_page=True)
    plain.page.pdf(path=screenshots / f"print-{theme}.pdf", format="A4", print_background=False)

    assert max(root.evaluate(LETTERS)) < 0.45
    expect(root).to_have_css("background-color", "rgb(255, 255, 255)")
    assert plain.page.evaluate(PALE) == []
    for text in ("Step 7 of 12", "Hook 1 of 2 on c", "c_hook tensor(8.)", "Hooks on c"):
        expect(root.get_by_text(text).first).to_be_visible()
    assert root.evaluate(CUT_OFF) == []
    for name in ("Next step", "Play", "Apply", "Remove hook", "Zoom in"):
        expect(root.get_by_role("button", name=name, exact=True)).to_have_count(0)
    expect(root.locator(".hv-passage-text").first).to_be_visible()


def test_a_large_picture_is_printed_as_a_whole(
    show: Callable[..., PlainPage], screenshots: Path
) -> None:
    explorer = small_network()
    explorer.expand_all()
    plain = show(explorer, **A4)
    plain.page.emulate_media(media="print")
    root = plain.explorer.root
    assert root.evaluate(CUT_OFF) == []
    picture = root.locator(".hv-picture").bounding_box()
    stage = root.locator(".hv-stage").bounding_box()
    assert picture is not None
    assert stage is not None
    assert picture["height"] <= stage["height"] + 1
    assert picture["width"] <= stage["width"] + 1
    plain.page.screenshot(path=screenshots / "print-network.png", full_page=True)
    # On the screen it is again as it was.
    plain.page.emulate_media(media="screen")
    expect(root.get_by_role("button", name="Next step", exact=True)).to_be_visible()
