"""The explorer in marimo, whose cells are functions and which shows widgets in a shadow tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.marimo import Marimo, MarimoPage
from tests.requirements_of_tests import ROOT

pytestmark = pytest.mark.browser

NOTEBOOK = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import torch
    import hookviz
    return hookviz, mo, torch


@app.cell
def _(torch):
    def c_hook(grad):
        print("c_hook", grad)
        return grad + 2

    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a * b
    c.register_hook(c_hook)
    c.retain_grad()
    return (c,)


@app.cell
def _(c, torch):
    d = torch.tensor(4.0, requires_grad=True)
    d.register_hook(lambda grad: grad + 100)
    return (d,)


@app.cell
def _(c, d, hookviz):
    _e = c * d
    explorer = hookviz.explore(_e)
    explorer
    return (explorer,)


@app.cell
def _(d, mo):
    count = mo.ui.button(label="Count hooks", value=0, on_click=lambda n: n + 1)
    count
    return (count,)


@app.cell
def _(count, d):
    f"asked {count.value}: {len(d._backward_hooks)} hooks on d"
    return


if __name__ == "__main__":
    app.run()
"""

IN_AN_APP = (
    NOTEBOOK.replace("hookviz.explore(_e)", "mo.ui.anywidget(hookviz.explore(_e))")
    .replace("def _(c, d, hookviz):", "def _(c, d, hookviz, mo):")
    .replace("def _(count, d):", "def _(explorer):")
    .replace("asked {count.value}: {len(d._backward_hooks)} hooks on d", "at step {explorer.step}")
)


@pytest.fixture
def open_marimo(browser: Browser, tmp_path: Path) -> Iterator[Callable[[str, str], MarimoPage]]:
    """Return a function that opens a notebook in marimo; ends all of it afterwards."""
    servers: list[Marimo] = []
    pages: list[MarimoPage] = []

    def open_(notebook: str, mode: str, *, theme: str = "light") -> MarimoPage:
        folder = tmp_path / str(len(servers))
        folder.mkdir()
        variables = {"PYTHONPATH": str(ROOT)}
        server = Marimo.start(folder, notebook, mode=mode, theme=theme, variables=variables)
        servers.append(server)
        pages.append(MarimoPage.open(browser, server))
        return pages[-1]

    yield open_
    for page in pages:
        page.close()
    for server in servers:
        server.stop()


def test_a_notebook_steps_takes_an_edited_hook_and_runs_again(
    open_marimo: Callable[..., MarimoPage], screenshots: Path
) -> None:
    notebook = open_marimo(NOTEBOOK, "edit")
    notebook.run_all()
    explorer = notebook.explorer

    # Variables of other cells, and one that belongs to its own cell alone.
    names = [card.get_attribute("data-hv-id") for card in explorer.root.locator(".hv-card").all()]
    assert sorted(map(str, names)) == ["_e", "a", "b", "c", "d"]

    explorer.press("Last step")
    expect(explorer.field("a", "grad")).to_have_text("18")
    explorer.press("Previous step")
    explorer.select("d")
    explorer.open_hook(0)
    expect(explorer.source).to_have_value("lambda grad: grad + 100")
    cells = notebook.cells.count()
    explorer.type_source('lambda grad: print("typed", grad)')
    explorer.press("Apply")
    expect(explorer.field("d", "grad")).to_have_text("6")
    explorer.goto(3)
    expect(explorer.printed).to_have_text("typed tensor(6.)")
    notebook.page.screenshot(path=screenshots / "marimo.png")

    explorer.select("d")
    explorer.press("New hook")
    explorer.type_source("lambda grad: grad * 2")
    explorer.press("Add hook")
    expect(explorer.hooks).to_have_count(2)
    assert notebook.cells.count() == cells
    ask = notebook.page.get_by_role("button", name="Count hooks")
    ask.click()
    expect(notebook.page.get_by_text("asked 1: 2 hooks on d")).to_be_visible()

    # The cell run again shows the hooks of the code, and those added here have gone.
    notebook.run("hookviz.explore(_e)")
    expect(notebook.explorer.rows.nth(3)).to_contain_text("6 → 106")
    explorer = notebook.explorer
    explorer.select("d")
    expect(explorer.hooks).to_have_count(1)
    ask.click()
    expect(notebook.page.get_by_text("asked 2: 1 hooks on d")).to_be_visible()
    assert notebook.problems == []


def test_an_app_follows_the_step_and_the_dark_theme(
    open_marimo: Callable[..., MarimoPage], screenshots: Path
) -> None:
    notebook = open_marimo(IN_AN_APP, "run", theme="dark")
    explorer = notebook.explorer
    expect(notebook.page.get_by_text("at step 0")).to_be_visible()
    explorer.press("Next step")
    explorer.press("Next step")
    expect(notebook.page.get_by_text("at step 2")).to_be_visible()
    explorer.expect_step(2)
    expect(explorer.root).to_have_attribute("data-hv-theme", "dark")
    notebook.page.screenshot(path=screenshots / "marimo-app.png")
    assert notebook.problems == []


def test_no_key_reaches_a_cell(open_marimo: Callable[..., MarimoPage]) -> None:
    notebook = open_marimo(NOTEBOOK, "edit")
    notebook.run_all()
    explorer = notebook.explorer
    explorer.select("c")
    before = notebook.sources()
    assert len(before) == 6
    places = (
        explorer.root,
        explorer.root.get_by_role("button", name="Next step", exact=True),
        explorer.root.get_by_role("slider", name="Step", exact=True),
        explorer.card("c"),
        explorer.root.locator(".hv-row[aria-current]"),
        explorer.source,
    )
    keys = "a b d d x m y j k ArrowDown ArrowUp Delete Enter Shift+Enter Control+Enter Escape"
    for place in places:
        for key in keys.split():
            place.focus()
            notebook.page.keyboard.press(key)
        assert notebook.sources() == before
    assert notebook.problems == []
