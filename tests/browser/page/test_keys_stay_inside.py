"""Every key, in every part of the explorer that can have the focus, and nothing in a cell moves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import ElementHandle, expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import SECOND_EXAMPLE, notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

KEYS = (
    "a b d d x m y r 1 0 0 i i Shift+M",
    "ArrowDown ArrowDown Shift+ArrowDown",
    "ArrowUp ArrowUp",
    "ArrowLeft ArrowRight",
    "End",
    "Home",
    "Space",
    "Enter Shift+Enter",
    "Control+Enter Alt+Enter",
    "Escape Escape",
)
"""The shortcuts of a notebook's command mode, among them those that delete, run and restart."""

PARTS = """root => {
    const can = 'a[href], button, input, select, textarea, summary, [tabindex]';
    const found = [root, ...root.querySelectorAll(can)]
        .filter(part => part.checkVisibility() && !part.disabled);
    // What takes itself away comes last.
    const isLast = part => /Remove|Dismiss/.test(part.getAttribute('aria-label')) ? 1 : 0;
    return found.sort((one, other) => isLast(one) - isLast(other));
}"""

NAME = "part => part.getAttribute('aria-label') ?? part.textContent.trim() ?? part.className"

NOTEBOOK = """() => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    return {
        cells: notebook.widgets.map(cell => [
            cell.model.id, cell.model.type, cell.model.sharedModel.getSource(),
            cell.model.executionCount ?? null, cell.inputHidden ?? null, cell.outputHidden ?? null,
        ]),
        active: notebook.activeCellIndex,
        mode: notebook.mode,
        dialogs: document.querySelectorAll('.jp-Dialog').length,
        scrolled: window.hookvizTestScrollers.map(element => element.scrollTop),
    };
}"""

FIND_SCROLLERS = """() => {
    window.hookvizTestScrollers = [...document.querySelectorAll('*')].filter(element =>
        element.scrollHeight > element.clientHeight + 1 && !element.closest('.hv-root'));
}"""

READY = """part => {
    if (!part.isConnected || !part.checkVisibility()) return false;
    part.scrollIntoView({block: 'center'});
    part.focus();
    return true;
}"""

AS_AT_FIRST = """root => {
    root.querySelector(".hv-card[data-hv-id='c']").dispatchEvent(
        new MouseEvent('click', {bubbles: true}));
    if (root.lang !== 'en') root.querySelector('.hv-language').click();
}"""

HEIGHT = "root => root.offsetHeight"

NEXT_FRAME = "() => new Promise(done => requestAnimationFrame(() => done()))"


@pytest.mark.parametrize("server", ["lab", "notebook7"])
def test_no_key_in_any_part_reaches_a_cell_or_scrolls_the_notebook(
    server: str, request: pytest.FixtureRequest, open_notebook: Callable[..., NotebookPage]
) -> None:
    jupyter: JupyterLab = request.getfixturevalue(server)
    filler = "x = [\n" + "    1,\n" * 60 + "]"
    address = jupyter.write("keys.ipynb", notebook_of(filler, SECOND_EXAMPLE, filler))
    notebook = open_notebook(jupyter, address)
    notebook.run_all()
    explorer = notebook.explorer_with("a", "b", "c", "d", "e")
    page = notebook.page
    # What appears in the explorer may change its height, and the browser would make up for that.
    page.add_style_tag(content="* { overflow-anchor: none !important; }")
    show_everything(explorer)
    # The cell of the explorer is the active one, in command mode, as after any click on it.
    explorer.caption.click()
    page.evaluate(FIND_SCROLLERS)
    start = page.evaluate(NOTEBOOK)
    assert max(start["scrolled"]) > 100
    assert (start["mode"], start["dialogs"], len(start["cells"])) == ("command", 0, 3)

    tried: list[str] = []
    while True:
        # Some keys choose another tensor or another language.
        explorer.root.evaluate(AS_AT_FIRST)
        # The kernel is done with what the keys of the part before asked for.
        expect(explorer.root.locator(".hv-editor .hv-primary")).to_be_enabled()
        parts = parts_of(explorer)
        if len(tried) >= len(parts):
            break
        part = parts[len(tried)]
        name = part.evaluate(NAME)
        tried.append(name)
        for keys in KEYS:
            if not part.evaluate(READY):
                break
            before, height = page.evaluate(NOTEBOOK), explorer.root.evaluate(HEIGHT)
            for key in keys.split():
                page.keyboard.press(key)
            page.evaluate(NEXT_FRAME)
            after = page.evaluate(NOTEBOOK)
            if name == "Compare" or explorer.root.evaluate(HEIGHT) != height:
                # A comparison that was chosen has rows of its own, which come when Python has
                # answered: then the page moves by itself.
                after["scrolled"] = before["scrolled"]
            assert after == before, f"{keys} in {name!r}"
    for name in ("Next step", "Step", "Speed", "Hook source", "Turn off", "Remove hook", "Zoom in"):
        assert name in tried
    assert sum("leaf" in name for name in tried) >= 4
    page.wait_for_timeout(500)
    assert {**page.evaluate(NOTEBOOK), "scrolled": 0} == {**start, "scrolled": 0}


def show_everything(explorer: ExplorerPage) -> None:
    """Bring every part of the explorer on screen: hooks, editor, an error, the text."""
    explorer.select("c")
    explorer.press("New hook")
    explorer.type_source("lambda: 1")
    explorer.press("Add hook")
    expect(explorer.alert).to_be_visible()
    explorer.root.evaluate(
        "root => { for (const part of root.querySelectorAll('details')) part.open = true; }"
    )
    explorer.goto(7)


def parts_of(explorer: ExplorerPage) -> list[ElementHandle]:
    """Return all that can have the focus, the explorer itself included."""
    found = explorer.root.evaluate_handle(PARTS)
    parts = [handle.as_element() for handle in found.get_properties().values()]
    return [part for part in parts if part is not None]
