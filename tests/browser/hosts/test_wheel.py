"""The wheel belongs to the page, unless Ctrl is held: then it belongs to the picture."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

import hookviz
from tests.browser.plain_page import PlainPage
from tests.live.scripts import second_example

pytestmark = pytest.mark.browser

ZOOM = "() => document.querySelector('.hv-drawing').getBoundingClientRect().width"


def test_the_wheel_scrolls_the_page_and_with_ctrl_it_zooms_the_picture(browser: Browser) -> None:
    tensors = second_example()
    explorer = hookviz.explore(tensors["e"], names=tensors)
    plain = PlainPage.open(browser, explorer, height=500, css="main { padding-bottom: 2000px; }")
    page = plain.page
    place = plain.explorer.root.locator(".hv-stage").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + 100)

    before = page.evaluate(ZOOM)
    page.mouse.wheel(0, 120)
    page.wait_for_function("window.scrollY === 120")
    assert page.evaluate(ZOOM) == before

    page.evaluate("window.scrollTo(0, 0)")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.wait_for_function(f"({ZOOM})() > {before + 1}")
    page.keyboard.up("Control")
    assert page.evaluate("window.scrollY") == 0
    assert plain.problems == []
    plain.close()
