"""A loop written out, in JupyterLab: it starts as one box, which opens in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

LOOP = """\
import torch
import hookviz

x = torch.tensor(1.0, requires_grad=True)
h = x
for _ in range(12):
    h = torch.tanh(h * 0.5)
loss = h * 2
explorer = hookviz.explore(loss)
explorer"""

# Before, the start, the product, the loop, and x.grad; the loop has 12 times two functions.
CLOSED, OPEN = 5, 16
LAST_STEP = 27

RUN_SECOND_CELL = """async source => {
    const notebook = window.jupyterapp.shell.currentWidget;
    notebook.content.widgets[1].model.sharedModel.setSource(source);
    notebook.content.activeCellIndex = 1;
    await window.jupyterapp.commands.execute('notebook:run-cell');
}"""


@pytest.fixture(scope="module")
def notebook(
    lab: JupyterLab, open_shared_notebook: Callable[..., NotebookPage]
) -> Iterator[NotebookPage]:
    """One notebook with the loop, shared by the tests of this module."""
    page = open_shared_notebook(lab, lab.write("loop.ipynb", notebook_of(LOOP, "'below'")))
    page.run_all()
    yield page
    assert page.problems == [], "the browser's console has errors"


@pytest.fixture
def explorer(notebook: NotebookPage) -> ExplorerPage:
    """The explorer with its box closed, at the first step."""
    explorer = notebook.explorer_with("x", "loss")
    close_all = explorer.root.get_by_role("button", name="Collapse all", exact=True)
    for _ in range(30):
        if explorer.rows.count() == CLOSED:
            break
        # What the test before asked for may still run, and then no click is taken.
        with suppress(TimeoutError):
            close_all.click(timeout=1000)
        notebook.page.wait_for_timeout(200)
    expect(explorer.rows).to_have_count(CLOSED)
    explorer.goto(0)
    return explorer


def tell_python(notebook: NotebookPage, source: str) -> None:
    notebook.page.evaluate(RUN_SECOND_CELL, source)


def test_the_steps_go_over_a_closed_box(explorer: ExplorerPage) -> None:
    expect(explorer.root.get_by_text(f"Step 0 of {CLOSED - 1}", exact=True)).to_be_visible()
    for stop in range(1, CLOSED):
        explorer.press("Next step")
        explorer.expect_step(stop)
    explorer.expect_state("x", "current")
    expect(explorer.field("x", "grad")).not_to_have_text("not computed yet")


def test_a_step_into_the_box_goes_to_its_first_step(explorer: ExplorerPage) -> None:
    name = "Step into Tanh, Mul"
    explorer.root.get_by_role("button", name=name, exact=True).click()
    expect(explorer.rows).to_have_count(OPEN)
    row = explorer.root.locator(".hv-row[aria-current]")
    expect(row).to_be_focused()
    expect(row).to_contain_text("12 of 12")


def test_the_box_opens_and_closes_by_keyboard(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    before = notebook.cell_sources()
    keyboard = notebook.page.keyboard
    box = explorer.root.locator(".hv-module[data-hv-box='g0']")
    box.focus()
    keyboard.press("Enter")
    expect(explorer.root.locator(".hv-module")).to_have_count(13)
    expect(box).to_be_focused()
    keyboard.press("-")
    expect(explorer.root.locator(".hv-module")).to_have_count(1)
    expect(box).to_be_focused()
    keyboard.press("Tab")
    expect(explorer.root.get_by_role("button", name="Expand Tanh, Mul", exact=True)).to_be_focused()
    keyboard.press("Space")
    expect(explorer.root.locator(".hv-module")).to_have_count(13)
    assert notebook.cell_sources() == before


def test_python_may_stand_at_a_step_inside(notebook: NotebookPage, explorer: ExplorerPage) -> None:
    tell_python(notebook, "explorer.step = 10")
    # The row is that of the box; what is said is what happens at that very step.
    explorer.expect_step(2)
    expect(explorer.caption).to_contain_text("Backward0")
    expect(explorer.root.locator("[data-hv-here]")).to_have_attribute("data-hv-box", "g0")
    explorer.press("Next step")
    explorer.expect_step(2)
    expect(explorer.caption).to_contain_text("24 steps")
    explorer.press("Next step")
    explorer.expect_step(3)


def test_python_opens_and_closes_boxes_too(notebook: NotebookPage, explorer: ExplorerPage) -> None:
    tell_python(notebook, "explorer.expand('g0')")
    expect(explorer.rows).to_have_count(OPEN)
    tell_python(notebook, "explorer.expand_all()")
    expect(explorer.rows).to_have_count(LAST_STEP + 1)
    tell_python(notebook, "explorer.collapse('g0')")
    expect(explorer.rows).to_have_count(CLOSED)
