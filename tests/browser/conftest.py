"""Give the browser tests a JupyterLab, a Chromium, and a page with a notebook that has run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.jupyterlab import JupyterLab, Notebook7
from tests.browser.notebook_page import NotebookPage
from tests.browser.plain_page import PlainPage
from tests.requirements_of_tests import ROOT, need_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests."""
    from playwright.sync_api import sync_playwright

    path = need_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def show(browser: Browser) -> Iterator[Callable[..., PlainPage]]:
    """Return a function that shows an explorer on an empty page; see `PlainPage.open`."""
    pages: list[PlainPage] = []

    def show_(*arguments: Any, **options: Any) -> PlainPage:
        pages.append(PlainPage.open(browser, *arguments, **options))
        return pages[-1]

    yield show_
    for page in pages:
        page.close()


@pytest.fixture
def screenshots(tmp_path: Path) -> Path:
    """Where pictures of pages go, to be looked at."""
    folder = Path(os.environ.get("HOOKVIZ_SCREENSHOTS", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _start(
    tmp_path_factory: pytest.TempPathFactory,
    variables: dict[str, str],
    program: type[JupyterLab] = JupyterLab,
) -> JupyterLab:
    # A checkout on the path is what an editable install is; kernels start in another folder.
    variables = {"PYTHONPATH": str(ROOT), **variables}
    folder = tmp_path_factory.mktemp(program.program[0])
    return program.start(folder, ROOT / "notebooks", variables=variables)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    """A JupyterLab with the machine's PATH."""
    server = _start(tmp_path_factory, {})
    yield server
    server.stop()


@pytest.fixture(scope="session")
def lab_without_dot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    """A JupyterLab whose PATH holds no program at all, so no `dot`."""
    empty = tmp_path_factory.mktemp("no_programs")
    server = _start(tmp_path_factory, {"PATH": str(empty)})
    assert shutil.which("dot", path=server.environment["PATH"]) is None
    yield server
    server.stop()


@pytest.fixture(scope="session")
def notebook7(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    """A Jupyter Notebook 7 with the machine's PATH."""
    server = _start(tmp_path_factory, {}, Notebook7)
    yield server
    server.stop()


@pytest.fixture
def open_notebook(
    browser: Browser, request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[Callable[..., NotebookPage]]:
    """Return a function that opens an address in JupyterLab; closes all pages at the end."""
    yield from opener(browser, request, tmp_path)


@pytest.fixture(scope="module")
def open_shared_notebook(
    browser: Browser, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., NotebookPage]]:
    """The same, for a page that the tests of one module share."""
    yield from opener(browser, request, tmp_path_factory.mktemp("pages"))


def opener(
    browser: Browser, request: pytest.FixtureRequest, folder: Path
) -> Iterator[Callable[..., NotebookPage]]:
    pages: list[NotebookPage] = []
    screenshots = Path(os.environ.get("HOOKVIZ_SCREENSHOTS", folder))
    screenshots.mkdir(parents=True, exist_ok=True)

    def open_(server: JupyterLab, address: str, **options: object) -> NotebookPage:
        page = NotebookPage.open(browser, server, address, screenshots=screenshots, **options)
        pages.append(page)
        return page

    failures = request.session.testsfailed
    yield open_
    for number, page in enumerate(pages):
        if request.session.testsfailed > failures:
            page.screenshot(f"failed-{request.node.name}-{number}")
        page.close()
