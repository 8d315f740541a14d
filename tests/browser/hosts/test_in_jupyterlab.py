"""The explorer as a guest in JupyterLab: errors, keys, widths, languages, themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

SECOND_EXAMPLE = """\
import torch
import hookviz

def c_hook(grad):
    print("c_hook", grad)
    return grad + 2

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.register_hook(c_hook)
c.register_hook(lambda grad: print("hello my grad is", grad))
c.retain_grad()
d = torch.tensor(4.0, requires_grad=True)
d.register_hook(lambda grad: grad + 100)
e = c * d
e.register_hook(lambda grad: grad * 2)
e.retain_grad()
explorer = hookviz.explore(e)
explorer"""


def notebook_of(*sources: str) -> str:
    """Return the text of a notebook with these code cells."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    # Without the name of a kernel JupyterLab asks for one.
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    return str(nbformat.writes(notebook))


@pytest.fixture(scope="module")
def notebook(
    lab: JupyterLab, open_shared_notebook: Callable[..., NotebookPage]
) -> Iterator[NotebookPage]:
    """One notebook with the second example, shared by the tests of this module."""
    address = lab.write("guest.ipynb", notebook_of(SECOND_EXAMPLE, "'the cell below'"))
    page = open_shared_notebook(lab, address)
    page.run_all()
    yield page
    assert page.problems == [], "the browser's console has errors"


@pytest.fixture
def explorer(notebook: NotebookPage) -> ExplorerPage:
    """The explorer, brought back to its first step."""
    explorer = notebook.explorer_with("a", "b", "c", "d", "e")
    explorer.goto(0)
    return explorer


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("lambda grad grad", "lambda grad grad"),
        ("42", "cannot be called"),
        ("lambda: 1", "argument"),
        ("lambda grad: 1 / 0", "ZeroDivisionError"),
        ("lambda grad: 'text'", "str"),
    ],
    ids=["does not compile", "not callable", "no argument", "raises", "returns no tensor"],
)
def test_a_wrong_hook_is_refused_and_nothing_is_lost(
    explorer: ExplorerPage, source: str, said: str
) -> None:
    explorer.press("Last step")
    explorer.select("d")
    explorer.press("New hook")
    explorer.type_source(source)
    explorer.press("Add hook")

    expect(explorer.alert).to_be_visible()
    expect(explorer.alert).to_contain_text(said)
    expect(explorer.source).to_have_value(source)
    expect(explorer.hooks).to_have_count(1)
    expect(explorer.field("d", "grad")).to_have_text("112")
    expect(explorer.rows).to_have_count(13)

    explorer.type_source("lambda grad: grad")
    explorer.press("Add hook")
    expect(explorer.alert).to_be_hidden()
    expect(explorer.hooks).to_have_count(2)
    explorer.hooks.nth(1).get_by_role("button", name="Remove hook", exact=True).click()
    expect(explorer.hooks).to_have_count(1)


def test_keys_move_the_steps_and_reach_no_cell(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    before = notebook.cell_sources()
    explorer.card("c").focus()

    for key, step in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 12),
        ("Home", 0),
    ):
        notebook.page.keyboard.press(key)
        explorer.expect_step(step)
    for key in ("a", "b", "d", "d", "x", "m", "y", "ArrowRight"):
        notebook.page.keyboard.press(key)

    explorer.expect_step(1)
    assert notebook.cell_sources() == before


def test_the_key_that_saves_reaches_jupyterlab_and_no_other_does(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    keyboard = notebook.page.keyboard
    before = notebook.cell_sources()
    explorer.select("c")
    for place in (explorer.card("c"), explorer.source):
        notebook.make_dirty()
        place.focus()
        # JupyterLab ignores the key while it still writes the checkpoint of the save before.
        for _ in range(10):
            keyboard.press("ControlOrMeta+s")
            if notebook.becomes_clean():
                break
        else:
            pytest.fail("the notebook was not saved")
        expect(explorer.root).to_have_attribute("data-lm-suppress-shortcuts", "true")

    explorer.card("c").focus()
    for key in ("a", "b", "d", "d", "x"):
        keyboard.press(key)
    assert notebook.cell_sources() == before
    expect(explorer.source).to_have_value(
        'def c_hook(grad):\n    print("c_hook", grad)\n    return grad + 2'
    )


def test_typing_a_hook_moves_no_step_and_reaches_no_cell(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    before = notebook.cell_sources()
    explorer.select("b")

    explorer.type_source("abddx lambda")
    explorer.source.press("ArrowLeft")
    explorer.source.press("Home")

    explorer.expect_step(0)
    assert notebook.cell_sources() == before
    explorer.press("Cancel")
    expect(explorer.source).to_have_value("")


def test_tab_goes_through_the_tensors_and_enter_opens_one(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    cards = explorer.root.locator(".hv-card")
    names = [card.get_attribute("data-hv-id") for card in cards.all()]
    cards.first.focus()
    for name in names[1:]:
        notebook.page.keyboard.press("Tab")
        expect(explorer.card(str(name))).to_be_focused()

    notebook.page.keyboard.press("Enter")
    heading = explorer.root.get_by_role("heading", name=f"Tensor {names[-1]}", exact=True)
    expect(heading).to_be_visible()


def test_a_hook_is_turned_off_and_on_and_moved(explorer: ExplorerPage) -> None:
    explorer.press("Last step")
    explorer.select("c")
    first, second = explorer.hooks.nth(0), explorer.hooks.nth(1)

    first.get_by_role("button", name="Turn off", exact=True).click()
    expect(explorer.field("c", "grad")).to_have_text("8")
    first.get_by_role("button", name="Turn on", exact=True).click()
    expect(explorer.field("c", "grad")).to_have_text("10")

    second.get_by_role("button", name="Move up", exact=True).click()
    expect(first).to_contain_text("print")
    expect(explorer.hook_text("c", 0)).to_have_text("8, unchanged")
    first.get_by_role("button", name="Move down", exact=True).click()
    expect(first).to_contain_text("c_hook")


def test_play_goes_to_the_last_step_by_itself(explorer: ExplorerPage) -> None:
    explorer.root.get_by_label("Speed", exact=True).select_option("8")
    explorer.press("Play")
    explorer.expect_step(12)
    expect(explorer.root.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_chinese_and_back(notebook: NotebookPage, explorer: ExplorerPage) -> None:
    explorer.goto(6)
    explorer.root.get_by_role("button", name="中文", exact=True).click()

    expect(explorer.root.get_by_role("button", name="下一步", exact=True)).to_be_visible()
    expect(explorer.caption).not_to_contain_text("receives")
    expect(explorer.card("c")).to_contain_text("叶")
    notebook.screenshot("chinese")

    explorer.root.get_by_role("button", name="English", exact=True).click()
    expect(explorer.card("c")).to_contain_text("non-leaf")


def test_python_and_the_page_move_together(notebook: NotebookPage, explorer: ExplorerPage) -> None:
    explorer.goto(4)
    notebook.page.evaluate(
        """async () => {
            const notebook = window.jupyterapp.shell.currentWidget;
            const cell = notebook.content.widgets[1];
            const source = 'explorer.next(); print("python says", explorer.step)';
            cell.model.sharedModel.setSource(source);
            notebook.content.activeCellIndex = 1;
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }"""
    )

    expect(notebook.output_of("python says")).to_contain_text("python says 5")
    explorer.expect_step(5)


def set_theme(notebook: NotebookPage, theme: str) -> None:
    notebook.page.evaluate(
        "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})",
        f"JupyterLab {theme.title()}",
    )
    expect(notebook.page.locator("body")).to_have_attribute(
        "data-jp-theme-light", "true" if theme == "light" else "false"
    )


@pytest.fixture
def themed_notebook(notebook: NotebookPage) -> Iterator[NotebookPage]:
    """The notebook, brought back to the light theme afterwards: JupyterLab remembers it."""
    yield notebook
    set_theme(notebook, "light")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_explorer_follows_the_theme_of_jupyterlab(
    themed_notebook: NotebookPage, explorer: ExplorerPage, theme: str
) -> None:
    notebook = themed_notebook
    set_theme(notebook, theme)
    explorer.goto(6)
    notebook.screenshot(f"theme-{theme}")
    background, text = explorer.caption.evaluate(
        """element => {
            const light = color => {
                const [red, green, blue] = color.match(/[0-9.]+/g).map(Number);
                return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
            };
            let box = element;
            while (getComputedStyle(box).backgroundColor.endsWith(', 0)')) box = box.parentElement;
            return [light(getComputedStyle(box).backgroundColor),
                    light(getComputedStyle(element).color)];
        }"""
    )
    assert (background > text) == (theme == "light")
    assert abs(background - text) > 0.5


def test_no_text_lies_on_another(explorer: ExplorerPage) -> None:
    # JupyterLab has rules of its own for lists, headings and definitions in an output.
    explorer.press("Last step")
    explorer.select("c")

    overlaps = explorer.root.evaluate(
        """root => {
            const texts = [...root.querySelectorAll('dt, dd, h3, .hv-row-text, .hv-hook-label')]
                .filter(element => element.checkVisibility() && element.textContent.trim());
            const boxes = texts.map(element => element.getBoundingClientRect());
            const found = [];
            boxes.forEach((one, i) => boxes.slice(i + 1).forEach((two, j) => {
                const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
                const high = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
                const inBox = element => element.closest('.hv-timeline-box');
                const other = texts[i + 1 + j];
                if (wide > 1 && high > 1 && !inBox(texts[i]) && !inBox(other))
                    found.push(`${texts[i].textContent} | ${other.textContent}`);
            }));
            return found;
        }"""
    )
    assert overlaps == []


def test_the_still_picture_is_not_shown_beside_a_live_widget(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    expect(explorer.root).to_be_visible()
    still = notebook.page.locator(".jp-OutputArea-child:has(> .jp-RenderedSVG)").first
    expect(still).to_be_attached()
    expect(still).to_be_hidden()


# The tests below have pages of their own; to close one ends the kernel of the shared one too.


@pytest.fixture(params=[700, 400], ids=["700 pixels", "400 pixels"])
def narrow(
    request: pytest.FixtureRequest, lab: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> Iterator[tuple[NotebookPage, ExplorerPage]]:
    """An explorer in a window that is too narrow for its picture."""
    notebook = open_notebook(
        lab, lab.write("narrow.ipynb", notebook_of(SECOND_EXAMPLE)), width=request.param
    )
    notebook.hide_side_bar()
    notebook.run_all()
    yield notebook, notebook.explorer_with("a", "b", "c", "d", "e")
    assert notebook.problems == []


SHIFT_OF_THE_PICTURE = "picture => new DOMMatrix(getComputedStyle(picture).transform).e"


def test_a_narrow_picture_can_be_read_and_follows_the_steps(
    narrow: tuple[NotebookPage, ExplorerPage],
) -> None:
    notebook, explorer = narrow
    stage = explorer.root.locator(".hv-stage")
    picture = stage.locator(".hv-picture")
    scale = "picture => new DOMMatrix(getComputedStyle(picture).transform).a"
    assert picture.evaluate(scale) >= 0.8

    for step, tensor in ((1, "e"), (5, "d"), (7, "c"), (11, "a"), (12, "b"), (1, "e")):
        explorer.goto(step)
        notebook.page.wait_for_timeout(400)  # The picture glides.
        card, frame = explorer.card(tensor).bounding_box(), stage.bounding_box()
        assert card is not None
        assert frame is not None
        assert frame["x"] <= card["x"]
        assert card["x"] + card["width"] <= frame["x"] + frame["width"] + 1
        width = explorer.root.evaluate("root => root.clientWidth")
        notebook.screenshot_of(explorer.root, f"narrow-{width}-{step}")

    before = picture.evaluate(SHIFT_OF_THE_PICTURE)
    explorer.card("e").focus()
    notebook.page.keyboard.press("Shift+ArrowLeft")
    notebook.page.wait_for_timeout(400)
    assert picture.evaluate(SHIFT_OF_THE_PICTURE) == pytest.approx(before + 80, abs=1)
    explorer.expect_step(1)

    stage.scroll_into_view_if_needed()
    frame = stage.bounding_box()
    assert frame is not None
    notebook.page.mouse.move(frame["x"] + 20, frame["y"] + 12)
    notebook.page.mouse.down()
    notebook.page.mouse.move(frame["x"] + 60, frame["y"] + 12, steps=4)
    notebook.page.mouse.up()
    assert picture.evaluate(SHIFT_OF_THE_PICTURE) == pytest.approx(before + 120, abs=1)


def test_nothing_overflows_a_narrow_window(narrow: tuple[NotebookPage, ExplorerPage]) -> None:
    notebook, explorer = narrow
    explorer.select("c")
    explorer.press("Last step")
    notebook.screenshot(f"narrow-{explorer.root.evaluate('r => r.clientWidth')}")

    too_wide = explorer.root.evaluate(
        """root => {
            const edge = root.getBoundingClientRect().right + 1;
            const scrolls = element => ['auto', 'scroll', 'hidden', 'clip']
                .includes(getComputedStyle(element).overflowX);
            const inside = element => {
                for (let box = element; box !== root; box = box.parentElement)
                    if (box !== element && scrolls(box)) return true;
                return false;
            };
            return [...root.querySelectorAll('*')]
                .filter(element => !element.ownerSVGElement && !inside(element))
                .filter(element => element.getBoundingClientRect().right > edge)
                .map(element => element.className);
        }"""
    )
    assert too_wide == []
    assert explorer.root.evaluate("root => root.scrollWidth <= root.clientWidth + 1")


def test_two_views_of_one_explorer_stay_together_and_play_once(
    lab: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> None:
    again = "import ipywidgets\nipywidgets.VBox([explorer])"
    page = open_notebook(lab, lab.write("twice.ipynb", notebook_of(SECOND_EXAMPLE, again)))
    page.run_all()
    roots = page.page.locator(".jp-OutputArea .hv-root")
    expect(roots).to_have_count(2)
    one, other = (ExplorerPage(page=page.page, root=roots.nth(place)) for place in (0, 1))
    one.press("Next step")
    other.expect_step(1)
    other.root.get_by_label("Speed", exact=True).select_option("8")
    other.press("Play")
    steps: list[int] = page.page.evaluate(
        """() => new Promise((resolve) => {
            const slider = document.querySelector('.hv-root input[type=range]');
            const seen = [];
            const timer = setInterval(() => {
                const step = Number(slider.value);
                if (seen.at(-1) !== step) seen.push(step);
                if (step === Number(slider.max)) { clearInterval(timer); resolve(seen); }
            }, 5);
        })"""
    )
    assert steps == list(range(steps[0], 13))
    assert page.problems == []
