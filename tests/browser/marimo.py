"""Start a marimo notebook, and drive its page."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.jupyterlab import free_port, own_environment

START_TIMEOUT = 90
WAIT = 30_000


@dataclass(kw_only=True)
class Marimo:
    """A running marimo with one notebook, to edit it (`edit`) or as an app (`run`)."""

    folder: Path
    port: int
    token: str
    process: subprocess.Popen[bytes]

    @classmethod
    def start(
        cls, folder: Path, notebook: str, *, mode: str, theme: str, variables: dict[str, str]
    ) -> Marimo:
        """Write the notebook into `folder`, start marimo on it and wait until it answers."""
        path = folder / "notebook.py"
        path.write_text(notebook, encoding="utf-8")
        port, token = free_port(), secrets.token_hex(16)
        environment = {**os.environ, **own_environment(folder), **variables}
        settings = Path(environment["XDG_CONFIG_HOME"]) / "marimo" / "marimo.toml"
        settings.parent.mkdir()
        settings.write_text(f'[display]\ntheme = "{theme}"\n', encoding="utf-8")
        options = ["--headless", f"--port={port}", f"--token-password={token}"]
        command = [sys.executable, "-m", "marimo", mode, str(path), *options]
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(
                command, env=environment, cwd=folder, stdout=log, stderr=subprocess.STDOUT
            )
        server = cls(folder=folder, port=port, token=token, process=process)
        server._wait_until_it_answers()
        return server

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """End the server by its own process id."""
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def _wait_until_it_answers(self) -> None:
        end = time.monotonic() + START_TIMEOUT
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.address}/health", timeout=10).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        self.stop()
        log = (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(f"marimo did not start:\n{log}")


@dataclass(kw_only=True)
class MarimoPage:
    """A marimo notebook that is open; `problems` is what the browser's console complained of."""

    page: Page
    problems: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, browser: Browser, server: Marimo) -> MarimoPage:
        """Open the notebook; `run_all` runs it, if marimo does not."""
        context = browser.new_context(viewport={"width": 1280, "height": 1100})
        page = context.new_page()
        page.set_default_timeout(WAIT)
        notebook = cls(page=page)
        page.on("console", notebook._on_console)
        page.on("pageerror", lambda error: notebook.problems.append(str(error)))
        page.goto(f"{server.address}/?access_token={server.token}")
        return notebook

    def run_all(self) -> None:
        """Run every cell, as the big button does."""
        self.cells.first.wait_for()
        expect(self.page.get_by_test_id("backend-status")).to_be_visible()
        self.page.get_by_test_id("run-button").last.click()

    def run(self, text: str) -> None:
        """Run the cell with this text again, and all that depend on it."""
        cell = self.cell(text)
        cell.scroll_into_view_if_needed()
        cell.hover()
        cell.get_by_test_id("run-button").first.click()

    @property
    def cells(self) -> Locator:
        """Every cell that can be edited."""
        return self.page.locator(".marimo-cell")

    def sources(self) -> list[str]:
        """Return the text of every cell, to see that none was changed, added or removed."""
        return self.page.locator(".marimo-cell .cm-content").all_text_contents()

    def cell(self, text: str) -> Locator:
        """The first cell whose source or output has this text."""
        return self.cells.filter(has_text=text).first

    @property
    def explorer(self) -> ExplorerPage:
        """The explorer; Playwright looks into the shadow tree in which marimo shows widgets."""
        root = self.page.locator(".hv-root")
        expect(root).to_have_count(1)
        return ExplorerPage(page=self.page, root=root)

    def close(self) -> None:
        """Close the page."""
        self.page.context.close()

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(message.text)
