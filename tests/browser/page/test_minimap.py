"""A map of the picture is there where much is out of sight; elsewhere it would hide cards."""

from __future__ import annotations

import pytest
import torch
from playwright.sync_api import Browser, expect

import hookviz
from hookviz._widget.explorer import Explorer
from tests.browser.page.test_large_pictures import deep_network
from tests.browser.plain_page import PlainPage

pytestmark = pytest.mark.browser


def small_graph() -> Explorer:
    x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
    y = torch.tensor([4.0, 5.0, 6.0, 7.0], requires_grad=True)
    w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    z = x + y
    z.register_hook(lambda grad: grad * 2)
    x.register_hook(lambda grad: grad * 10)
    return hookviz.explore(w @ z, names={"x": x, "y": y, "w": w, "z": z})


@pytest.mark.parametrize("width", [700, 1200])
def test_a_picture_of_which_most_is_in_sight_has_no_map_before_it(
    browser: Browser, width: int
) -> None:
    plain = PlainPage.open(browser, small_graph(), width=width, height=700)
    for stop in range(plain.explorer.rows.count()):
        plain.explorer.goto(stop)
        expect(plain.explorer.root.locator(".hv-minimap")).to_be_hidden()
    plain.close()


def test_a_click_on_the_map_brings_that_part_into_sight(browser: Browser) -> None:
    plain = PlainPage.open(browser, deep_network(12), reduced_motion="reduce")
    root = plain.explorer.root
    minimap = root.locator(".hv-minimap")
    expect(minimap).to_be_visible()
    outlines = minimap.locator(".hv-minimap-shape").get_attribute("d") or ""
    assert outlines.count("M") > 12
    place = minimap.locator("svg").bounding_box()
    sight = minimap.locator(".hv-minimap-sight")
    assert place is not None
    before = float(sight.get_attribute("y") or "nan")
    plain.page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] - 2)
    expect(sight).not_to_have_attribute("y", str(round(before)))
    assert float(sight.get_attribute("y") or "nan") > before

    plain.explorer.press("Fit")
    expect(minimap).to_be_hidden()
    plain.close()
