"""Where an explorer is narrow, nothing is squeezed beside something else or covered by it."""

from __future__ import annotations

import pytest
import torch
from playwright.sync_api import Browser, expect

import hookviz
from hookviz._widget.explorer import Explorer
from tests.browser.plain_page import PlainPage

pytestmark = pytest.mark.browser


def network() -> Explorer:
    torch.manual_seed(0)
    layers = [torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh()) for _ in range(5)]
    model, x = torch.nn.Sequential(*layers), torch.ones(2, 4)
    explorer = hookviz.explore(lambda: model(x).sum())
    explorer.expand_all()
    return explorer


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [320, 400, 700, 1200])
def test_the_legend_keeps_its_words_beside_or_below_the_buttons(
    browser: Browser, width: int, lang: str
) -> None:
    explorer = network()
    explorer.lang = lang
    plain = PlainPage.open(browser, explorer, width=width)
    find = plain.explorer.root.locator(".hv-find")
    expect(find).to_be_visible()
    box = find.bounding_box()
    assert box is not None
    signs = plain.explorer.root.locator(".hv-key-sign")
    for place in (signs.nth(number).bounding_box() for number in range(signs.count())):
        assert place is not None
        assert place["height"] < 40
        beside = place["x"] + place["width"] <= box["x"] or box["x"] + box["width"] <= place["x"]
        above = place["y"] + place["height"] <= box["y"] or box["y"] + box["height"] <= place["y"]
        assert beside or above
    assert plain.page.evaluate("document.documentElement.scrollWidth") <= width
    plain.close()


@pytest.mark.parametrize("width", [400, 1200])
def test_a_map_is_only_where_it_leaves_room_for_the_step(browser: Browser, width: int) -> None:
    plain = PlainPage.open(browser, network(), width=width)
    expect(plain.explorer.root.locator(".hv-stage .hv-card").first).to_be_visible()
    expect(plain.explorer.root.locator(".hv-minimap")).to_be_visible(visible=width > 480)
    plain.close()
