"""A notebook that was run and exported: the picture and the text are there without a network."""

from __future__ import annotations

import base64
from pathlib import Path

import nbconvert
import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Browser, expect

from tests.browser.hosts.test_in_jupyterlab import SECOND_EXAMPLE
from tests.requirements_of_tests import ROOT

pytestmark = pytest.mark.browser


def test_an_exported_page_shows_the_picture_and_the_transcript(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(SECOND_EXAMPLE)])
    NotebookClient(notebook, kernel_name="python3").execute()
    exporter = nbconvert.HTMLExporter(embed_images=True)
    html, _ = exporter.from_notebook_node(notebook)
    path = tmp_path / "exported.html"
    path.write_text(html, encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    # The page waits for scripts of a network that is not there; what stands in it is enough.
    page.goto(path.as_uri(), wait_until="commit")
    picture = page.locator(".jp-RenderedSVG img")
    expect(picture).to_be_visible()
    assert picture.evaluate("img => img.decode().then(() => img.naturalWidth)") > 500
    source = picture.get_attribute("src") or ""
    svg = base64.b64decode(source.partition("base64,")[2]).decode()
    assert "c_hook tensor(8.)" in svg
    context.close()
