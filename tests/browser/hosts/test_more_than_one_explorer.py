"""Several explorers in a notebook, one shown twice, a cell run again, a kernel that went away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import KERNEL_IS_READY, NotebookPage

pytestmark = pytest.mark.browser

TENSORS = """\
import torch
import hookviz
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
c.register_hook(lambda grad: grad + 100)"""

FIRST = "first = hookviz.explore(c)\nfirst"
SECOND = "d = torch.tensor(5.0, requires_grad=True)\nsecond = hookviz.explore(d * 7)\nsecond"

RUN_CELL = """async (number) => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.deselectAll();
    notebook.activeCellIndex = number;
    await window.jupyterapp.commands.execute('notebook:run-cell');
}"""

RESTART = """async () => {
    const context = window.jupyterapp.shell.currentWidget.sessionContext;
    await context.session.kernel.restart();
}"""


def run_cell(notebook: NotebookPage, number: int) -> None:
    """Run one cell again and wait until it has finished."""
    notebook.page.evaluate(RUN_CELL, number)


def roots_in(notebook: NotebookPage, number: int) -> Locator:
    """Return the explorers in the output of a cell."""
    return notebook.page.locator(".jp-Cell").nth(number).locator(".jp-OutputArea .hv-root")


def explorer_in(notebook: NotebookPage, number: int, place: int = 0) -> ExplorerPage:
    root = roots_in(notebook, number).nth(place)
    expect(root).to_be_visible()
    return ExplorerPage(page=notebook.page, root=root)


@pytest.fixture
def open_cells(
    lab: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> Callable[..., NotebookPage]:
    """Return a function that opens a notebook with these cells and runs them."""

    def open_(*cells: str) -> NotebookPage:
        notebook = open_notebook(lab, lab.write("several.ipynb", notebook_of(*cells)))
        notebook.run_all()
        return notebook

    return open_


def test_explorers_in_one_notebook_keep_to_themselves(
    open_cells: Callable[..., NotebookPage],
) -> None:
    notebook = open_cells(TENSORS, FIRST, SECOND)
    one, other = explorer_in(notebook, 1), explorer_in(notebook, 2)

    one.press("Next step")
    one.press("Next step")
    other.expect_step(0)
    other.root.focus()
    notebook.page.keyboard.press("ArrowRight")
    other.expect_step(1)
    one.expect_step(2)

    # What is typed in one is neither shown nor applied in the other.
    other.select("d")
    other.type_source("lambda grad: grad * 0")
    expect(one.source).not_to_have_value("lambda grad: grad * 0")
    other.press("Add hook")
    expect(other.hooks).to_have_count(1)
    one.select("c")
    expect(one.hooks).to_have_count(1)
    one.root.get_by_role("button", name="中文", exact=True).click()
    expect(other.root.get_by_role("button", name="中文", exact=True)).to_be_visible()
    assert notebook.problems == []


def test_one_explorer_shown_twice_moves_as_one(open_cells: Callable[..., NotebookPage]) -> None:
    notebook = open_cells(TENSORS, FIRST, "first")
    one, other = explorer_in(notebook, 1), explorer_in(notebook, 2)
    other.press("Last step")
    one.expect_step(5)
    one.select("c")
    expect(other.root.get_by_role("heading", name="Tensor c", exact=True)).to_be_visible()
    one.open_hook(0)
    one.type_source("lambda grad: grad * 3")
    one.press("Apply")
    for explorer in (one, other):
        expect(explorer.field("a", "grad")).to_have_text("9")
        expect(explorer.source).to_have_value("lambda grad: grad * 3")
    assert notebook.problems == []


def test_a_cell_that_runs_again_begins_anew(open_cells: Callable[..., NotebookPage]) -> None:
    notebook = open_cells(TENSORS, FIRST, SECOND, "len(c._backward_hooks)")
    explorer = explorer_in(notebook, 1)
    explorer.select("c")
    explorer.press("New hook")
    explorer.type_source("lambda grad: grad * 2")
    explorer.press("Add hook")
    expect(explorer.hooks).to_have_count(2)
    explorer_in(notebook, 2).press("Next step")

    for _ in range(2):
        run_cell(notebook, 1)
        expect(roots_in(notebook, 1)).to_have_count(1)
        explorer = explorer_in(notebook, 1)
        explorer.select("c")
        expect(explorer.hooks).to_have_count(1)
    run_cell(notebook, 3)
    expect(notebook.output_of("len(c._backward_hooks)")).to_contain_text("]:1")
    # Another cell's explorer goes on.
    explorer_in(notebook, 2).expect_step(1)
    assert notebook.problems == []


def test_a_closed_explorer_leaves_the_picture_and_the_users_hooks(
    open_cells: Callable[..., NotebookPage],
) -> None:
    notebook = open_cells(TENSORS, FIRST, "first.close(); len(c._backward_hooks)", "None")
    expect(roots_in(notebook, 1)).to_have_count(0)
    expect(notebook.output_of("first.close()")).to_contain_text("]:1")
    still = notebook.page.locator(".jp-Cell").nth(1).locator(".jp-RenderedSVG")
    expect(still).to_be_visible()
    notebook.screenshot("closed")


def test_a_restarted_kernel_is_said_and_running_again_helps(
    open_cells: Callable[..., NotebookPage],
) -> None:
    notebook = open_cells(TENSORS, FIRST)
    page, explorer = notebook.page, explorer_in(notebook, 1)
    explorer.select("c")
    explorer.open_hook(0)
    explorer.type_source("lambda grad: grad * 3")

    page.evaluate(RESTART)
    page.wait_for_function(KERNEL_IS_READY)
    expect(explorer.root.get_by_text("No kernel answers")).to_be_visible()
    expect(explorer.root.get_by_role("button", name="Apply", exact=True)).to_be_disabled()
    expect(explorer.root.get_by_role("button", name="Remove hook").first).to_be_disabled()
    # All steps are on the page, and what was typed is not lost.
    explorer.press("Last step")
    explorer.expect_step(5)
    expect(explorer.field("a", "grad")).to_have_text("303")
    expect(explorer.source).to_have_value("lambda grad: grad * 3")
    notebook.screenshot("kernel-restarted")

    run_cell(notebook, 0)
    run_cell(notebook, 1)
    explorer = explorer_in(notebook, 1)
    explorer.select("c")
    explorer.open_hook(0)
    explorer.type_source("lambda grad: grad * 3")
    explorer.press("Apply")
    explorer.press("Last step")
    expect(explorer.field("a", "grad")).to_have_text("9")
    assert notebook.problems == []
