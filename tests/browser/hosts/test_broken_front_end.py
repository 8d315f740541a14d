"""A state that cannot be shown says so in its place, instead of a page that is empty or wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.example import second_example
from tests.browser.hosts.test_in_jupyterlab import SECOND_EXAMPLE, notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage
from tests.browser.plain_page import PlainPage, traits_of

pytestmark = pytest.mark.browser


@pytest.fixture
def show(browser: Browser) -> Iterator[Callable[[dict[str, Any]], PlainPage]]:
    pages: list[PlainPage] = []

    def show_(state: dict[str, Any]) -> PlainPage:
        pages.append(PlainPage.open(browser, state))
        return pages[-1]

    yield show_
    for page in pages:
        page.close()


UNUSABLE = {
    "steps are no steps": {"steps": [{"patches": 7}]},
    "steps are a number": {"steps": 42},
    "tensors are no list": {"tensors": {"t0": 1}},
    "a hook is nothing": {"tensors": [{"id": "t0", "role": "root", "hooks": [None]}]},
}


@pytest.mark.parametrize("changes", UNUSABLE.values(), ids=UNUSABLE)
def test_a_state_that_cannot_be_shown_shows_its_error(
    show: Callable[[dict[str, Any]], PlainPage], changes: dict[str, Any]
) -> None:
    for lang, said in (("en", "could not show"), ("zh", "无法显示")):
        state = {**traits_of(second_example()), "lang": lang}
        at_once = show({**state, **changes})
        later = show(state)
        expect(later.explorer.root).to_be_visible()
        later.update(**changes)
        for plain in (at_once, later):
            broken = plain.page.locator("#explorer").get_by_role("alert")
            expect(broken).to_contain_text(said)
            expect(broken).to_contain_text("TypeError")
            expect(plain.explorer.root).to_have_count(0)
            assert plain.problems == []


def test_in_jupyterlab_running_the_cell_again_helps(
    lab: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> None:
    break_it = "explorer.steps = [{'patches': 7}]"
    address = lab.write("broken.ipynb", notebook_of(SECOND_EXAMPLE, break_it))
    notebook = open_notebook(lab, address)
    notebook.run_all()
    broken = notebook.page.locator(".jp-Cell .jp-OutputArea .hv-broken")
    expect(broken).to_contain_text("hookviz could not show this explorer.")
    expect(broken).to_contain_text("TypeError")
    notebook.screenshot("broken")
    # The picture that needs no script is there meanwhile.
    expect(notebook.page.locator(".jp-Cell .jp-RenderedSVG").first).to_be_visible()

    notebook.page.evaluate(
        """async () => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = 0;
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }"""
    )
    explorer = notebook.explorer_with("a", "b", "c", "d", "e")
    explorer.press("Next step")
    explorer.expect_step(1)
    expect(broken).to_have_count(0)
    assert notebook.problems == []
