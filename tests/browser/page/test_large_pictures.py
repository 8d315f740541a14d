"""A thousand functions: a step changes little, and what is out of sight is not drawn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Locator, expect

import hookviz
from hookviz._widget.explorer import Explorer
from tests.browser.plain_page import PlainPage

pytestmark = pytest.mark.browser

WATCH = """() => {
    window.changes = {elements: 0, texts: 0, attributes: 0, moved: 0};
    window.said = {set: [], saved: 0, sent: window.sent.length};
    const {set, save_changes} = window.model;
    window.model.set = (name, value) => { window.said.set.push(name); set(name, value); };
    window.model.save_changes = () => { window.said.saved += 1; save_changes(); };
    new MutationObserver((records) => {
        for (const {type, target, attributeName, addedNodes} of records) {
            // A tooltip belongs to a text that is cut, and comes and goes with it.
            const isElement = [...addedNodes].some(
                (node) => node.nodeType === 1 && node.localName !== 'title');
            if (type === 'attributes' && attributeName === 'class'
                && target.parentElement?.matches('.hv-drawing')) window.changes.moved += 1;
            else if (type === 'attributes') window.changes.attributes += 1;
            else if (isElement) window.changes.elements += 1;
            else window.changes.texts += 1;
        }
    }).observe(document.querySelector('.hv-stage'),
        {subtree: true, childList: true, attributes: true, characterData: true});
    window.picture = document.querySelector('.hv-picture');
    window.rows = document.querySelector('.hv-timeline-box').innerHTML.length;
}"""


def deep_network(layers: int = 333) -> Explorer:
    """Return an explorer of three functions for each layer, all of them drawn."""
    torch.manual_seed(0)
    hidden = torch.ones(1, 4)
    for weight in [torch.randn(4, 4, requires_grad=True) for _ in range(layers)]:
        hidden = torch.tanh(hidden @ weight)
    explorer = hookviz.explore(hidden.sum())
    explorer.expand_all()
    return explorer


@pytest.fixture(scope="module")
def large() -> Explorer:
    return deep_network()


@pytest.fixture
def plain(browser: Browser, large: Explorer) -> Iterator[PlainPage]:
    plain = PlainPage.open(browser, large, reduced_motion="reduce")
    yield plain
    plain.close()


def test_a_step_asks_python_nothing_and_changes_only_what_the_step_changes(
    plain: PlainPage, large: Explorer
) -> None:
    page, count = plain.page, 100
    plain.explorer.root.focus()
    page.keyboard.press("ArrowRight")
    page.evaluate(WATCH)
    for _ in range(count):
        page.keyboard.press("ArrowRight")
    # The observer hears of it at the end of the task.
    page.evaluate("() => new Promise(requestAnimationFrame)")
    changes, said = page.evaluate("[window.changes, window.said]")

    assert said["set"] == ["step"] * count
    assert said["saved"] == count
    assert page.evaluate("window.sent.length") == said["sent"]

    stops = [stop["step"] for stop in large.stops]
    patches = sum(len(step["patches"]) for step in large.steps[stops[1] + 1 : stops[count + 1] + 1])
    # The picture stays the same one: no element in it is made anew.
    assert page.evaluate("window.picture === document.querySelector('.hv-picture')")
    assert changes["elements"] == 0
    assert 0 < changes["texts"] <= 2 * patches
    # A state, a sign that it was rewritten, a name; on two places at most, for a leaf that is drawn
    # once more. Then the mark of the current step, and where one is in the picture.
    assert 0 < changes["attributes"] <= 4 * patches + 4 * count
    # What comes into sight and goes out of it: a few parts for each step that moves on.
    assert changes["moved"] <= 12 * count


def away(plain: PlainPage) -> Locator:
    return plain.explorer.root.locator(".hv-drawing > .hv-away")


def test_what_is_out_of_sight_is_not_drawn_and_comes_back_in_time(plain: PlainPage) -> None:
    page, explorer = plain.page, plain.explorer
    parts = explorer.root.locator(".hv-drawing > *").count()
    assert parts > 1000
    assert away(plain).count() > 0.8 * parts

    for key in ("End", "Home", "End"):
        explorer.root.press(key)
        current = explorer.root.locator(".hv-drawing > [data-hv-state=current]").first
        if key == "End":
            expect(current).not_to_contain_class("hv-away")
            assert is_in_the_stage(plain, current)
    assert everything_in_the_stage_is_drawn(plain)

    # Tab goes on to cards that were out of sight.
    cards = explorer.root.locator(".hv-drawing > .hv-card[tabindex='0']")
    cards.first.focus()
    for _ in range(12):
        page.keyboard.press("Tab")
    focused = explorer.root.locator(".hv-drawing > :focus")
    expect(focused).to_have_count(1)
    expect(focused).not_to_contain_class("hv-away")
    assert is_in_the_stage(plain, focused)
    assert everything_in_the_stage_is_drawn(plain)

    for _ in range(6):
        page.keyboard.press("Shift+ArrowDown")
        assert everything_in_the_stage_is_drawn(plain)
    explorer.press("Fit")
    expect(away(plain)).to_have_count(0)


STEP_BY_STEP = """async (count) => {
    const root = document.querySelector('.hv-root');
    const drawing = document.querySelector('.hv-drawing');
    const seen = {within: 0, between: 0};
    const isPart = ({target}) => target.parentElement === drawing;
    const turned = (records) => records.filter(isPart).length;
    const observer = new MutationObserver((records) => { seen.between += turned(records); });
    observer.observe(drawing, {subtree: true, attributes: true, attributeFilter: ['class']});
    for (let step = 0; step < count; step += 1) {
        root.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}));
        seen.within += turned(observer.takeRecords());
        await new Promise(requestAnimationFrame);
        await new Promise((done) => requestIdleCallback(done));
    }
    return seen;
}"""


def test_what_comes_into_sight_next_is_drawn_in_the_pause_after_a_step(plain: PlainPage) -> None:
    plain.explorer.root.focus()
    plain.page.keyboard.press("ArrowRight")
    plain.page.evaluate("() => new Promise(requestIdleCallback)")
    seen = plain.page.evaluate(STEP_BY_STEP, 60)
    assert seen["within"] == 0
    assert seen["between"] > 0
    assert everything_in_the_stage_is_drawn(plain)


def test_what_is_out_of_sight_paints_nothing_and_can_still_have_the_focus(
    plain: PlainPage,
) -> None:
    card = plain.explorer.root.locator(".hv-drawing > .hv-card.hv-away").last
    box = card.locator("> .hv-box")
    expect(box).to_have_css("fill", "none")
    expect(box).to_have_css("stroke", "none")
    key = card.get_attribute("data-hv-key")
    card.focus()
    focused = plain.explorer.root.locator(".hv-drawing > :focus")
    expect(focused).to_have_attribute("data-hv-key", key or "")
    expect(focused.locator("> .hv-box")).not_to_have_css("fill", "none")


def is_in_the_stage(plain: PlainPage, element: Locator) -> bool:
    place = element.bounding_box()
    stage = plain.explorer.root.locator(".hv-stage").bounding_box()
    assert place is not None
    assert stage is not None
    return stage["y"] - 1 <= place["y"] <= stage["y"] + stage["height"]


def everything_in_the_stage_is_drawn(plain: PlainPage) -> bool:
    """Compare with where the browser says that parts lie, when all of them are drawn."""
    missing: int = plain.page.evaluate(
        """() => {
            const stage = document.querySelector('.hv-stage').getBoundingClientRect();
            const away = [...document.querySelectorAll('.hv-drawing > .hv-away')];
            for (const part of away) part.classList.remove('hv-away');
            const wrong = away.filter((part) => {
                const place = part.getBoundingClientRect();
                return place.bottom > stage.top && place.top < stage.bottom
                    && place.right > stage.left && place.left < stage.right;
            });
            for (const part of away) part.classList.add('hv-away');
            return wrong.length;
        }"""
    )
    return missing == 0
