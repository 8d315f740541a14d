"""The tutorial in Jupyter Notebook 7: the same page, steps and edits as in JupyterLab."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.hosts.test_in_jupyterlab import SECOND_EXAMPLE, notebook_of
from tests.browser.hosts.test_second_example import (
    add_a_hook_to_b_and_remove_it,
    edit_the_hook_of_d,
    go_back,
    read_every_step,
)
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser


def problems_without_hookviz(
    server: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> list[str]:
    """Return what the console says of a notebook with nothing of ours: some versions complain."""
    plain = open_notebook(server, server.write("plain.ipynb", notebook_of("6 * 7")))
    plain.run_all()
    expect(plain.output_of("6 * 7")).to_contain_text("42")
    return plain.problems


def test_the_tutorial_runs_steps_and_takes_an_edited_hook(
    notebook7: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> None:
    own_problems = problems_without_hookviz(notebook7, open_notebook)
    notebook = open_notebook(notebook7, notebook7.copy("02_register_hook.ipynb"), width=1280)
    notebook.run_all()
    explorer = notebook.explorer_with("a", "b", "c", "d", "e")

    read_every_step(explorer)
    explorer.goto(7)
    explorer.select("c")
    notebook.screenshot("notebook7")
    notebook.screenshot_of(explorer.root, "notebook7-explorer")
    go_back(explorer)
    edit_the_hook_of_d(explorer)
    add_a_hook_to_b_and_remove_it(explorer)

    assert explorer.root.evaluate("root => root.dataset.hvHost") == "jupyter"
    # The picture for pages without scripts is not shown beside the living widget here either.
    still = notebook.page.locator(".jp-OutputArea-child:has(> .jp-RenderedSVG)").first
    expect(still).to_be_attached()
    expect(still).to_be_hidden()
    assert [problem for problem in notebook.problems if problem not in own_problems] == []


def test_the_key_that_saves_reaches_the_notebook(
    notebook7: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> None:
    notebook = open_notebook(notebook7, notebook7.write("save.ipynb", notebook_of(SECOND_EXAMPLE)))
    notebook.run_all()
    explorer = notebook.explorer_with("a", "b", "c", "d", "e")
    explorer.select("c")
    for place in (explorer.card("c"), explorer.source):
        notebook.make_dirty()
        place.focus()
        # The key is ignored while the checkpoint of the save before is still being written.
        for _ in range(10):
            notebook.page.keyboard.press("ControlOrMeta+s")
            if notebook.becomes_clean():
                break
        else:
            pytest.fail("the notebook was not saved")
