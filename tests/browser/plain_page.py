"""Show an explorer on an empty page: the real bundle and state, with no notebook around them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, Page, Route

from hookviz._widget.explorer import Explorer
from tests.browser.explorer_page import ExplorerPage
from tests.requirements_of_tests import ROOT

ADDRESS = "http://hookviz.test/"
STATIC = ROOT / "hookviz" / "static"

PAGE = """<!doctype html>
<html lang="en" {html}><head><meta charset="utf-8"><title>An explorer</title>
<link rel="stylesheet" href="sheet.css">
<style>body {{ margin: 0; }} main {{ padding: 12px; }} {css}</style></head>
<body {body}><main><h1>A page</h1><h2>With an explorer</h2>
<p><button>Before</button></p><div id="explorer"></div><p><button>After</button></p></main>
<script type="module" src="start.js"></script></body></html>
"""

# A model as anywidget gives it. It answers as a kernel does, so that all buttons are alive.
START = """import explorer from "./explorer.js";
const state = await (await fetch("state.json")).json();
const values = new Map(Object.entries(state));
const listeners = new Map();
const emit = (event, detail) => {
  for (const callback of [...(listeners.get(event) ?? [])]) callback(detail);
};
window.sent = [];
window.model = {
  get: (name) => values.get(name),
  set: (name, value) => window.update({ [name]: value }),
  save_changes: () => {},
  send: (message) => {
    window.sent.push(message);
    setTimeout(() => emit("msg:custom", { event: message.action === "hello" ? "hello" : "" }));
  },
  on: (event, callback) => listeners.set(event, (listeners.get(event) ?? new Set()).add(callback)),
  off: (event, callback) => listeners.get(event)?.delete(callback),
};
window.update = (changes) => {
  const changed = Object.keys(changes).filter((name) => values.get(name) !== changes[name]);
  for (const name of changed) values.set(name, changes[name]);
  for (const name of changed) emit(`change:${name}`);
};
window.close = explorer.render({ model: window.model, el: document.getElementById("explorer") });
window.shown = true;
"""


@dataclass(kw_only=True)
class PlainPage:
    """A page with one explorer; `problems` is what the console said, `requests` what it loaded."""

    page: Page
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @classmethod
    def open(
        cls,
        browser: Browser,
        explorer: Explorer | dict[str, Any],
        *,
        css: str = "",
        body: str = "",
        html: str = "",
        width: int = 1200,
        height: int = 1400,
        **context: Any,
    ) -> PlainPage:
        """Open a page with an explorer, or with the values of one's traits.

        Args:
            browser: Chromium.
            explorer: What to show; Python is not asked again.
            css: Rules of the page around it.
            body: Attributes of the page's body.
            html: Attributes of its root.
            width: Of the window.
            height: Of the window.
            **context: What Playwright's `new_context` takes, such as `color_scheme`.
        """
        state = explorer if isinstance(explorer, dict) else traits_of(explorer)
        files = {
            "": ("text/html", PAGE.format(css=css, body=body, html=html)),
            "sheet.css": ("text/css", Explorer._css),
            "start.js": ("text/javascript", START),
            "state.json": ("application/json", json.dumps(state)),
        }
        page = browser.new_context(
            viewport={"width": width, "height": height}, **context
        ).new_page()
        plain = cls(page=page)

        def answer(route: Route) -> None:
            name = route.request.url.removeprefix(ADDRESS)
            plain.requests.append(route.request.url)
            if name in files:
                kind, text = files[name]
                route.fulfill(content_type=f"{kind}; charset=utf-8", body=text)
            elif (STATIC / name).is_file():
                route.fulfill(path=STATIC / name)
            else:
                route.abort()

        page.route("**/*", answer)
        page.on("pageerror", lambda error: plain.problems.append(str(error)))
        page.on(
            "console",
            lambda message: (
                plain.problems.append(message.text) if message.type == "error" else None
            ),
        )
        page.goto(ADDRESS)
        page.wait_for_function("window.shown === true")
        return plain

    @property
    def explorer(self) -> ExplorerPage:
        return ExplorerPage(page=self.page, root=self.page.locator(".hv-root"))

    def update(self, **traits: Any) -> None:
        """Change traits as Python would."""
        self.page.evaluate("changes => window.update(changes)", traits)

    def close(self) -> None:
        """Close the page."""
        self.page.context.close()


def traits_of(explorer: Explorer) -> dict[str, Any]:
    """Return what a notebook gives to the page, apart from the script and the style sheet."""
    return {name: value for name, value in explorer.get_state().items() if not name.startswith("_")}
