"""A notebook that was run and saved: whoever opens it without a kernel sees the pass."""

from __future__ import annotations

import base64
import copy
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.sign import NotebookNotary
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import SECOND_EXAMPLE
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage
from tests.requirements_of_tests import ROOT

pytestmark = pytest.mark.browser

WIDGET = "application/vnd.jupyter.widget-view+json"

# Lines of the transcript: what a hook has printed, and what was kept at the end.
SAID = ("c_hook tensor(8.)", "hello my grad is tensor(10.)", "112", "30")


@pytest.fixture(scope="module")
def executed() -> Any:
    """The second example as a notebook that has run, with the state of its widgets."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SECOND_EXAMPLE)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        NotebookClient(notebook, kernel_name="python3").execute()
    return notebook


def without_state(notebook: Any) -> Any:
    """Return a notebook as JupyterLab saves it unless it was told to save widgets."""
    found = copy.deepcopy(notebook)
    del found.metadata["widgets"]
    return found


def text_of(data: Any) -> str:
    return data if isinstance(data, str) else "".join(data)


def test_the_picture_and_the_text_stand_next_to_the_widget(executed: Any) -> None:
    nbformat.validate(executed)
    (cell,) = executed.cells
    widget, still = (output for output in cell.outputs if output.output_type != "stream")
    # A page that knows no widgets shows this line, and the picture below it.
    assert widget.data.keys() == {WIDGET, "text/plain"}
    assert text_of(widget.data["text/plain"]) == "Explorer(e.backward(), step 0 of 12)"
    # A page takes the best kind that it knows: none here needs the widget.
    assert still.data.keys() == {"image/svg+xml", "text/plain"}
    for text in SAID:
        assert text in text_of(still.data["text/plain"])


def test_the_picture_is_one_that_every_viewer_can_show(executed: Any) -> None:
    markup = text_of(executed.cells[0].outputs[-1].data["image/svg+xml"])
    root = ElementTree.fromstring(markup)
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    assert float(root.get("width", "0")) > 300
    kinds = {part.tag.removeprefix(space) for part in root.iter()}
    assert kinds <= {"svg", "g", "path", "rect", "circle", "text", "tspan", "title", "style"}
    names = {name.rpartition("}")[2] for part in root.iter() for name in part.attrib}
    assert not any(name.startswith("on") or name in ("href", "src") for name in names)
    assert "url(" not in markup
    # Also for a viewer that throws style sheets away: lines and boxes have colors of their own.
    boxes = [part for part in root.iter(f"{space}rect") if part.get("class") == "hv-box"]
    assert boxes
    assert all(box.get("fill") and box.get("stroke") for box in boxes)
    texts = " ".join("".join(part.itertext()) for part in root.iter(f"{space}text"))
    for text in SAID:
        assert text in texts


class Pictures(HTMLParser):
    """The SVG pictures of a page: in the page itself, or in an `<img>`."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        source = dict(attrs).get("src") or ""
        if tag == "img" and source.startswith("data:image/svg+xml;base64,"):
            self.found.append(base64.b64decode(source.partition(",")[2]).decode())


@pytest.mark.parametrize("has_state", [True, False], ids=["with state", "without state"])
def test_nbconvert_writes_the_picture_into_the_page(
    executed: Any, tmp_path: Path, browser: Browser, has_state: bool
) -> None:
    notebook = executed if has_state else without_state(executed)
    nbformat.write(notebook, tmp_path / "saved.ipynb")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "saved.ipynb"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "saved.html").read_text(encoding="utf-8")
    (picture,) = Pictures(page).found or re.findall(
        r"<svg\b.*?hv-picture.*?</svg>", page, re.DOTALL
    )
    for text in SAID:
        assert text in picture
    context = browser.new_context(offline=True)
    opened = context.new_page()
    # The page waits for scripts of a network that is not there; what stands in it is enough.
    opened.goto((tmp_path / "saved.html").as_uri(), wait_until="commit")
    expect(still_on(opened)).to_be_visible()
    assert width_of(still_on(opened)) > 500
    context.close()


def still_on(page: Page) -> Locator:
    """Return the picture in the output, however a page shows an SVG."""
    return page.locator(".jp-RenderedSVG img, .jp-RenderedSVG svg.hv-picture").first


def width_of(picture: Locator) -> float:
    width: float = picture.evaluate(
        "one => one.decode ? one.decode().then(() => one.naturalWidth) : one.viewBox.baseVal.width"
    )
    return width


class LabWithoutKernels(JupyterLab):
    """A JupyterLab on a machine where no kernel can be started."""

    program = (
        *JupyterLab.program,
        "--KernelSpecManager.ensure_native_kernel=False",
        "--KernelSpecManager.allowed_kernelspecs=none",
    )


@pytest.fixture(scope="module")
def lab_without_kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    server = LabWithoutKernels.start(tmp_path_factory.mktemp("lab"), ROOT, variables={})
    yield server
    server.stop()


@pytest.fixture
def open_without_kernel(browser: Browser, lab_without_kernels: JupyterLab) -> Iterator[Any]:
    """Return a function that opens a notebook in JupyterLab, as the one who ran it or another."""
    lab, pages = lab_without_kernels, []

    def open_(notebook: Any, *, is_own: bool) -> Page:
        if is_own:
            # JupyterLab notes so when it saves what it has run.
            folder = lab.environment["JUPYTER_DATA_DIR"]
            NotebookNotary(data_dir=folder).sign(notebook)
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        page = context.new_page()
        pages.append(page)
        page.goto(lab.write("saved.ipynb", nbformat.writes(notebook)))
        dialog = page.locator(".jp-Dialog")
        dialog.get_by_role("button", name="No Kernel", exact=True).click()
        page.wait_for_selector(".jp-Notebook .jp-Cell .jp-OutputArea")
        return page

    yield open_
    for page in pages:
        page.context.close()
    assert lab.request("/api/kernels") == []


@pytest.mark.parametrize("has_state", [True, False], ids=["with state", "without state"])
def test_jupyterlab_shows_the_picture_without_a_kernel(
    executed: Any, open_without_kernel: Any, has_state: bool
) -> None:
    # JupyterLab reads the state of widgets only when a kernel comes.
    notebook = executed if has_state else without_state(executed)
    page = open_without_kernel(notebook, is_own=True)
    still = still_on(page)
    expect(still).to_be_visible()
    assert width_of(still) > 500
    expect(page.locator(".hv-root")).to_have_count(0)


def test_jupyterlab_shows_the_text_of_a_notebook_that_it_does_not_trust(
    executed: Any, open_without_kernel: Any
) -> None:
    other = without_state(executed)
    other.cells[0].source += "  # sent by somebody else"
    page = open_without_kernel(other, is_own=False)
    texts = page.locator(".jp-RenderedText").last
    for text in SAID:
        expect(texts).to_contain_text(text)
    expect(still_on(page)).to_have_count(0)


def test_a_new_kernel_brings_back_an_explorer_that_steps(
    executed: Any, lab: JupyterLab, open_notebook: Callable[..., NotebookPage]
) -> None:
    NotebookNotary(data_dir=lab.environment["JUPYTER_DATA_DIR"]).sign(executed)
    notebook = open_notebook(lab, lab.write("saved.ipynb", nbformat.writes(executed)))
    root = notebook.page.locator(".hv-root")
    expect(root).to_be_visible()
    explorer = ExplorerPage(page=notebook.page, root=root)
    explorer.expect_step(0)
    explorer.press("Last step")
    expect(explorer.field("a", "grad")).to_have_text("30")
    explorer.select("d")
    expect(root.get_by_text("No kernel answers")).to_be_visible()
    expect(root.get_by_role("button", name="Apply", exact=True)).to_be_disabled()
    # The picture would be there twice.
    expect(notebook.page.locator(".jp-OutputArea-child:has(> .jp-RenderedSVG)")).to_be_hidden()
