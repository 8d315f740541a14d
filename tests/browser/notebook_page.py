"""Drive one notebook in JupyterLab through what a person can see and press."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

from tests.browser.explorer_page import ExplorerPage
from tests.browser.jupyterlab import JupyterLab

WAIT = 30_000

# The status light turns to idle before the kernel is connected, and cells that run then open a
# dialog, so ask the session itself.
KERNEL_IS_READY = """() => {
    const context = window.jupyterapp?.shell?.currentWidget?.sessionContext;
    const kernel = context?.session?.kernel;
    return !!(context?.isReady && kernel?.connectionStatus === 'connected'
              && kernel?.status === 'idle');
}"""

MODEL = "window.jupyterapp.shell.currentWidget.context.model"

RUN_ALL = """() => {
    window.hookvizTestDone = false;
    window.jupyterapp.commands.execute('notebook:run-all-cells')
        .then(() => { window.hookvizTestDone = true; });
}"""


@dataclass(kw_only=True)
class NotebookPage:
    """A notebook that is open; `problems` collects what the browser's console complained of."""

    page: Page
    server: JupyterLab
    screenshots: Path
    problems: list[str] = field(default_factory=list)

    @classmethod
    def open(
        cls,
        browser: Browser,
        server: JupyterLab,
        address: str,
        *,
        screenshots: Path,
        width: int = 1280,
        height: int = 1000,
        color_scheme: str = "light",
    ) -> NotebookPage:
        """Open the address and wait until its kernel is ready."""
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=color_scheme,  # type: ignore[arg-type]
        )
        page = context.new_page()
        page.set_default_timeout(WAIT)
        notebook = cls(page=page, server=server, screenshots=screenshots)
        page.on("console", notebook._on_console)
        page.on("pageerror", lambda error: notebook.problems.append(str(error)))
        page.goto(address)
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        page.wait_for_function(KERNEL_IS_READY)
        return notebook

    def run_all(self) -> None:
        """Run every cell and wait until the last one has finished."""
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function("window.hookvizTestDone === true")

    def explorer_with(self, *tensors: str) -> ExplorerPage:
        """Return the explorer whose picture has cards for all of these tensors."""
        root = self.page.locator(".jp-OutputArea [data-lm-suppress-shortcuts='true']")
        for tensor in tensors:
            root = root.filter(has=self.page.locator(f"[data-hv-id='{tensor}']"))
        root.first.scroll_into_view_if_needed()
        return ExplorerPage(page=self.page, root=root.first)

    def cell_sources(self) -> list[str]:
        """Return the text of every cell, to see that none was changed."""
        sources: list[str] = self.page.evaluate(
            """() => window.jupyterapp.shell.currentWidget.content.widgets
                .map(cell => cell.model.sharedModel.getSource())"""
        )
        return sources

    def make_dirty(self) -> None:
        """Make JupyterLab believe that something is not saved."""
        self.page.evaluate(f"() => {{ {MODEL}.dirty = true; }}")

    def becomes_clean(self) -> bool:
        """Return whether the notebook is saved within a second."""
        for _ in range(10):
            if self.page.evaluate(f"() => {MODEL}.dirty === false"):
                return True
            self.page.wait_for_timeout(100)
        return False

    def output_of(self, text: str) -> Locator:
        """Return the output area of the first cell whose source contains `text`."""
        cell = self.page.locator(".jp-Cell").filter(
            has=self.page.locator(".jp-InputArea", has_text=re.compile(re.escape(text)))
        )
        return cell.first.locator(".jp-OutputArea")

    def hide_side_bar(self) -> None:
        """Give the notebook the width of the window."""
        self.page.evaluate(
            "() => window.jupyterapp.commands.execute('application:toggle-left-area')"
        )

    def screenshot(self, name: str) -> None:
        """Save what is on the page now."""
        self.page.screenshot(path=self._picture(name))

    def screenshot_of(self, element: Locator, name: str) -> None:
        """Save one element, also where it is higher than the window."""
        element.screenshot(path=self._picture(name))

    def _picture(self, name: str) -> Path:
        return self.screenshots / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', name)}.png"

    def close(self) -> None:
        """Close the page and end its kernel."""
        self.page.context.close()
        self.server.stop_kernels()

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(message.text)
