"""What axe finds, focus that can be seen, the order of Tab, and words for a screen reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.example import refuse, second_example, small_network
from tests.browser.hosts.test_in_jupyterlab import SECOND_EXAMPLE, notebook_of, set_theme
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage
from tests.browser.plain_page import PlainPage
from tests.requirements_of_tests import JS, need_npm_packages

pytestmark = pytest.mark.browser

VIOLATIONS = """async where => {
    const {violations} = await axe.run(where, {resultTypes: ['violations']});
    return violations.flatMap(({id, help, nodes}) => nodes.map(({html, failureSummary}) =>
        `${id}: ${help}\\n    ${html.slice(0, 200)}\\n    ${failureSummary}`));
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core."""
    need_npm_packages()
    return (JS / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def violations(page: Page, axe: str, where: str = "body") -> list[str]:
    """Return what axe finds on the page, one text for each element."""
    if page.evaluate("typeof window.axe") == "undefined":
        page.evaluate(axe)
    found: list[str] = page.evaluate(VIOLATIONS, where)
    return found


def open_everything(plain: PlainPage) -> None:
    """Unfold every part that can be folded."""
    plain.explorer.root.evaluate(
        "root => { for (const part of root.querySelectorAll('details')) part.open = true; }"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_at_any_step(
    show: Callable[..., PlainPage], axe: str, screenshots: Path, theme: str, lang: str
) -> None:
    explorer = second_example()
    explorer.lang, explorer.theme = lang, theme
    dark = "body { background: #14171b; color: #eee; }" if theme == "dark" else ""
    page = show(explorer, color_scheme=theme, css=dark, reduced_motion="reduce")
    assert violations(page.page, axe) == []
    for step in (1, 4, 6, 7, 8, 12):
        page.update(step=step)
        assert violations(page.page, axe) == [], f"step {step}"
    page.update(selected="t1")
    open_everything(page)
    assert violations(page.page, axe) == [], "a tensor is selected"

    refuse(explorer, "c", "lambda grad grad")
    page.update(notice=explorer.notice)
    page.explorer.root.locator("textarea").fill("lambda grad grad")
    expect(page.explorer.alert).to_be_visible()
    page.page.screenshot(path=screenshots / f"axe-{theme}-{lang}.png", full_page=True)
    assert violations(page.page, axe) == [], "an error is shown"
    assert page.problems == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_among_boxes_and_questions(
    show: Callable[..., PlainPage], axe: str, screenshots: Path, theme: str
) -> None:
    explorer = small_network()
    explorer.theme = theme
    dark = "body { background: #14171b; color: #eee; }" if theme == "dark" else ""
    for is_open in (False, True):
        if is_open:
            explorer.expand_all()
        page = show(explorer, color_scheme=theme, css=dark, reduced_motion="reduce")
        expect(page.explorer.root.locator(".hv-module").first).to_be_visible()
        assert violations(page.page, axe) == [], f"all boxes open: {is_open}"
        open_everything(page)
        page.explorer.press("Last step")
        page.explorer.root.locator(".hv-module").first.dispatch_event("click")
        assert violations(page.page, axe) == [], "a module is selected"
        page.update(predicting=True)
        page.explorer.press("First step")
        for _ in range(3):
            page.explorer.root.press("ArrowRight")
        page.page.screenshot(path=screenshots / f"axe-boxes-{theme}-{is_open}.png", full_page=True)
        assert violations(page.page, axe) == [], "a question is asked"


def test_axe_finds_nothing_in_jupyterlab(
    lab: JupyterLab, open_notebook: Callable[..., NotebookPage], axe: str
) -> None:
    notebook = open_notebook(lab, lab.write("axe.ipynb", notebook_of(SECOND_EXAMPLE)))
    notebook.run_all()
    explorer = notebook.explorer_with("a", "b", "c", "d", "e")
    try:
        for theme in ("dark", "light"):
            set_theme(notebook, theme)
            explorer.goto(7)
            explorer.select("c")
            assert violations(notebook.page, axe, ".hv-root") == [], theme
    finally:
        set_theme(notebook, "light")  # JupyterLab remembers it.


def test_axe_finds_nothing_in_the_saved_picture(
    browser: Browser, axe: str, screenshots: Path
) -> None:
    explorer = second_example()
    for lang in ("en", "zh"):
        explorer.lang = lang
        svg = explorer._repr_mimebundle_()[0]["image/svg+xml"]
        page = browser.new_page()
        page.set_content(
            f'<!doctype html><html lang="{lang}"><title>x</title><body><main><h1>x</h1>{svg}</main>'
        )
        assert violations(page, axe) == [], lang
        # What a screen reader gets: one picture with a name, and the pass as text in it.
        picture = page.get_by_role("img")
        expect(picture).to_have_count(1)
        assert picture.get_attribute("aria-label")
        page.close()


FOCUS = """() => {
    const element = document.activeElement;
    element?.setAttribute('hv-test-seen', '');
    if (!element || element === document.body) return null;
    // The text box has transparent letters; what it lies in is drawn.
    const style = getComputedStyle(element.closest('.hv-source') ?? element);
    const box = element.querySelector(':scope > .hv-box');
    const edge = box && getComputedStyle(box);
    return {
        name: (element.getAttribute('aria-label') ?? element.textContent.trim()).split(',')[0],
        outline: style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth),
        stroke: edge ? parseFloat(edge.strokeWidth) : 0,
        color: edge ? edge.stroke : style.outlineColor,
        inside: element.closest('.hv-root') !== null,
    };
}"""


def walk(page: Page, key: str, most: int = 80) -> list[dict[str, Any]]:
    """Press Tab until the focus has left the explorer, and return every stop inside it."""
    stops: list[dict[str, Any]] = []
    for _ in range(most):
        page.keyboard.press(key)
        stop = page.evaluate(FOCUS)
        if stop is None or not stop["inside"]:
            return stops
        stops.append(stop)
    raise AssertionError(f"the focus never leaves the explorer: {[stop['name'] for stop in stops]}")


def test_tab_goes_through_everything_in_order_and_out_again(show: Callable[..., PlainPage]) -> None:
    plain = show(second_example())
    page, explorer = plain.page, plain.explorer
    explorer.goto(7)
    explorer.select("c")
    page.get_by_role("button", name="Before", exact=True).focus()

    forward = walk(page, "Tab")
    names = [stop["name"] for stop in forward]
    in_this_order = [
        "hookviz e.backward()",
        *("First step", "Previous step", "Next step", "Last step", "Play", "Speed", "Step", "中文"),
        *("e", "c", "d", "a", "b", "Zoom in", "Zoom out", "Fit"),
        "7c: 8 → 10 by hook c_hook",
        *("1c_hook", "Turn off", "Move up", "Move down", "Remove hook"),
        *('2lambda grad: print("hello my grad is"', "Turn off", "Move up", "Move down"),
        *("Remove hook", "New hook", "Hook source", "Apply", "The whole pass as text"),
    ]
    rest = iter(names)
    assert [name for name in in_this_order if name not in rest] == [], names
    # Nothing that can be pressed or written in is left out, except rows that arrows reach.
    missed = explorer.root.evaluate(
        """root => [...root.querySelectorAll(
                'button, input, select, textarea, summary, [tabindex]')]
            .filter(part => part.checkVisibility() && !part.disabled)
            .filter(part => !part.hasAttribute('hv-test-seen') && !part.closest('.hv-timeline-box'))
            .map(part => part.outerHTML.slice(0, 120))"""
    )
    assert missed == []
    backward = [stop["name"] for stop in walk(page, "Shift+Tab")]
    assert backward == names[::-1]
    # The other rows of the timeline are reached from the one where Tab stops.
    explorer.rows.nth(7).get_by_role("button").focus()
    page.keyboard.press("ArrowDown")
    expect(explorer.rows.nth(8).get_by_role("button")).to_be_focused()
    explorer.expect_step(8)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_focus_can_be_seen_wherever_it_is(show: Callable[..., PlainPage], theme: str) -> None:
    explorer = second_example()
    explorer.theme = theme
    refuse(explorer, "c", "lambda grad grad")
    plain = show(explorer, color_scheme=theme)
    # Transitions would be caught on their way.
    plain.page.add_style_tag(content="* { transition: none !important; }")
    open_everything(plain)
    plain.page.get_by_role("button", name="Before", exact=True).focus()
    stops = walk(plain.page, "Tab")
    assert len(stops) > 20
    unseen = [stop["name"] for stop in stops if max(stop["outline"], stop["stroke"]) < 2]
    assert unseen == []
    # The blue that nothing else around it has.
    blue = {"light": "rgb(0, 114, 178)", "dark": "rgb(124, 196, 245)"}[theme]
    assert {stop["color"] for stop in stops if stop["stroke"] == 0} == {blue}


def test_the_status_line_speaks_each_step_once(show: Callable[..., PlainPage]) -> None:
    plain = show(second_example())
    explorer, page = plain.explorer, plain.page
    assert explorer.caption.get_attribute("role") == "status"
    # Other parts speak only of what was done in them.
    assert explorer.root.locator("[role=status]").count() == 1
    assert explorer.root.locator("[aria-live]:not(:empty)").count() == 0
    page.evaluate(
        """() => {
            window.spoken = [];
            const line = document.querySelector('[role=status]');
            new MutationObserver(() => window.spoken.push(line.textContent))
                .observe(line, {childList: true, characterData: true, subtree: true});
        }"""
    )
    explorer.root.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    explorer.expect_step(3)
    spoken = page.evaluate("window.spoken")
    assert len(spoken) == 3
    assert spoken[0].startswith("Backward starts at e with the gradient 1")
    assert "receives 1 and returns 2" in spoken[1]
    assert spoken[2] == explorer.caption.text_content()
    # To look at another tensor is no step, and says nothing.
    explorer.select("d")
    assert page.evaluate("window.spoken") == spoken


MOVING = """() => {
    const moving = [];
    for (const element of document.querySelectorAll('.hv-root, .hv-root *'))
        for (const pseudo of [null, '::before']) {
            const style = getComputedStyle(element, pseudo);
            const lasts = durations => durations.split(', ').some(text => parseFloat(text) > 0);
            if (lasts(style.transitionDuration)
                || (style.animationName !== 'none' && lasts(style.animationDuration)))
                moving.push(element.className.baseVal ?? element.className);
        }
    return moving;
}"""


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_by_itself_for_those_who_ask_for_less_motion(
    show: Callable[..., PlainPage], motion: str
) -> None:
    plain = show(second_example(), reduced_motion=motion)
    plain.update(busy=True)
    plain.explorer.press("Next step")
    moving = plain.page.evaluate(MOVING)
    assert (moving == []) == (motion == "reduce")


def test_forced_colors_can_be_read(show: Callable[..., PlainPage], screenshots: Path) -> None:
    explorer = second_example()
    refuse(explorer, "c", "lambda grad grad")
    for theme in ("light", "dark"):
        explorer.theme = theme
        plain = show(explorer, forced_colors="active", color_scheme=theme)
        plain.explorer.goto(7)
        plain.explorer.select("c")
        plain.page.screenshot(path=screenshots / f"forced-colors-{theme}.png", full_page=True)
        # The drawing takes the user's colors, too, and the text box shows its own letters.
        canvas, card, letters = plain.page.evaluate(
            """() => {
                const root = document.querySelector('.hv-root');
                const probe = document.body.appendChild(document.createElement('i'));
                probe.style.color = 'Canvas';
                return [getComputedStyle(probe).color,
                        getComputedStyle(root.querySelector('[data-hv-id=a] .hv-box')).fill,
                        getComputedStyle(root.querySelector('textarea')).color];
            }"""
        )
        assert card == canvas
        assert letters not in (canvas, "rgba(0, 0, 0, 0)")


# axe looks at no drawing.
PALE = """() => {
    const channels = color => color.match(/[0-9.]+/g).map(Number);
    const light = color => channels(color).slice(0, 3).map(value => value / 255)
        .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, place) => sum + value * [0.2126, 0.7152, 0.0722][place], 0);
    const ratio = (one, two) => {
        const [low, high] = [light(one), light(two)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    const page = getComputedStyle(document.querySelector('.hv-root')).backgroundColor;
    const shapes = [...document.querySelectorAll('.hv-picture rect, .hv-picture circle')]
        .filter(shape => shape.checkVisibility())
        .map(shape => ({box: shape.getBoundingClientRect(), fill: getComputedStyle(shape).fill}))
        .filter(({fill}) => fill !== 'none');
    const texts = [...document.querySelectorAll('.hv-picture text, .hv-picture tspan')]
        .filter(text => text.checkVisibility() && !text.childElementCount)
        .filter(text => text.textContent.trim());
    if (texts.length < 30) return ['there is hardly any text'];
    return texts.map(text => {
        const {left, right, top, bottom} = text.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        const below = shapes.filter(({box}) =>
            box.left <= x && x <= box.right && box.top <= y && y <= box.bottom);
        const color = getComputedStyle(text).fill;
        const found = ratio(color, below.at(-1)?.fill ?? page);
        return found < 4.5 ? `${text.textContent}: ${found.toFixed(2)}` : '';
    }).filter(Boolean);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_of_the_picture_stands_out(show: Callable[..., PlainPage], theme: str) -> None:
    explorer = second_example()
    explorer.theme = theme
    plain = show(explorer, color_scheme=theme, reduced_motion="reduce")
    for step in range(13):
        plain.update(step=step)
        assert plain.page.evaluate(PALE) == [], f"step {step}"
