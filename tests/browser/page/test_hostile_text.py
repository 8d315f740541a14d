"""Names, sources, prints and errors that would like to be more than text, in a real JupyterLab."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

OUTSIDE = "http://hostile.test/"

HOSTILE = {
    "script": f"<script src='{OUTSIDE}script.js'>window.broken = 'script'</script>",
    "end": "</script></style></svg></textarea><script>window.broken = 'end'</script>",
    "image": f"<img src='{OUTSIDE}image.png' onerror=\"window.broken = 'image'\">",
    "svg": "]]><svg onload=\"window.broken = 'svg'\"><a href='javascript:window.broken = 1'>x</a>",
    "proto": "__proto__",
    "constructor": "constructor",
    "quotes": "'\"`\\ \\n ${window.broken = 1} {tensor} {{x}} %s &lt; &amp;",
    "right to left": "\u202eevil\u202c \u05e2\u05d1\u05e8\u05d9\u05ea \u2067x",
    "long": "x" * 10_000,
    "lines": "first\nsecond\r\nthird\u2028fourth\tfifth\x0bsixth",
    "markdown": f"# head\n[link](javascript:window.broken=1) ![]({OUTSIDE}markdown.png) $x$ `c`",
}

CELL = """\
import torch
import hookviz

HOSTILE = {hostile!r}

class Loud(Exception):
    pass

def loud(text):
    def hook(grad):
        print(text)
        return grad + 1
    hook.__name__ = text
    hook.__qualname__ = text
    return hook

leaves = [torch.tensor(float(i + 1), requires_grad=True) for i in range(len(HOSTILE))]
names = dict(zip(HOSTILE.values(), leaves))
for text, leaf in names.items():
    leaf.register_hook(loud(text))
root = sum(leaf * leaf for leaf in leaves)
explorer = hookviz.explore(root, names=names)
explorer"""

WATCH = """() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation',
        event => window.violations.push(event.violatedDirective));
}"""


@pytest.fixture(scope="module")
def requests() -> list[str]:
    """Every address that the page has asked for."""
    return []


@pytest.fixture(scope="module")
def notebook(
    lab: JupyterLab,
    open_shared_notebook: Callable[..., NotebookPage],
    requests: list[str],
) -> Iterator[NotebookPage]:
    """A notebook whose tensors and hooks have hostile names."""
    cell = CELL.format(hostile=HOSTILE)
    page = open_shared_notebook(lab, lab.write("hostile.ipynb", notebook_of(cell)), width=700)
    page.hide_side_bar()
    page.page.on("request", lambda request: requests.append(request.url))
    page.page.evaluate(WATCH)
    page.run_all()
    yield page
    assert page.problems == [], "the browser's console has errors"


@pytest.fixture
def explorer(notebook: NotebookPage, requests: list[str]) -> Iterator[ExplorerPage]:
    """The explorer; after each test nothing of the text may have been more than text."""
    explorer = notebook.explorer_with("__proto__")
    yield explorer
    page = notebook.page
    assert page.evaluate("window.broken ?? null") is None
    assert page.evaluate("window.violations") == []
    assert [url for url in requests if url.startswith(OUTSIDE)] == []
    strangers = "script, iframe, object, img, a[href], [onerror], [onload], foreignObject"
    assert explorer.root.locator(strangers).count() == 0
    wide = page.evaluate(
        "() => [document.documentElement.scrollWidth, document.querySelector('.hv-root')"
        ".getBoundingClientRect().right, innerWidth]"
    )
    assert max(wide[:2]) <= wide[2], "the page is wider than its window"


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_each_step_shows_the_text_and_nothing_else(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    count = explorer.rows.count()
    assert count > 2 * len(HOSTILE)
    explorer.root.press("Home")
    explorer.expect_step(0)
    printed = set()
    for _ in range(count - 1):
        explorer.press("Next step")
        if explorer.printed.is_visible():
            printed.add(one_line(explorer.printed.text_content() or ""))
    # What was printed is there to the letter, whatever it looks like.
    assert {one_line(text) for text in HOSTILE.values()} <= printed
    notebook.screenshot_of(explorer.root, "hostile-last-step")


@pytest.mark.parametrize("kind", list(HOSTILE))
def test_a_tensor_and_its_hook_are_shown_by_their_names(
    notebook: NotebookPage, explorer: ExplorerPage, kind: str
) -> None:
    text = HOSTILE[kind]
    key = notebook.page.evaluate(
        """(text) => {
            // Drawings hold no signs that turn the direction of what follows.
            const plain = (name) => name.replace(/[\\s\u202a-\u202e\u2066-\u2069\ufffd]+/g, ' ');
            return [...document.querySelectorAll('.hv-root .hv-card')].find((card) =>
                plain(card.dataset.hvId).slice(0, 30) === plain(text).slice(0, 30))?.dataset.hvKey;
        }""",
        text,
    )
    assert key, "no card has the name for its id"
    card = explorer.root.locator(f".hv-card[data-hv-key='{key}']")
    card.dispatch_event("click")
    heading = explorer.root.locator(".hv-inspector .hv-heading")
    assert one_line(text)[:200] in one_line(heading.text_content() or "")
    expect(explorer.hooks).to_have_count(1)
    assert "grad + 1" in explorer.source.input_value()
    if kind in ("long", "right to left", "script", "lines"):
        notebook.screenshot_of(explorer.root, f"hostile-{kind}")


@pytest.mark.parametrize("kind", list(HOSTILE))
def test_a_source_and_an_error_are_shown_as_they_were_written(
    notebook: NotebookPage, explorer: ExplorerPage, kind: str
) -> None:
    text = HOSTILE[kind]
    explorer.root.locator(".hv-card[data-hv-id='__proto__']").dispatch_event("click")
    explorer.press("New hook")
    source = f"def hook(grad):\n    raise ValueError({text!r})"
    explorer.source.fill(source)
    explorer.press("Add hook")
    expect(explorer.alert).to_be_visible()
    expect(explorer.alert).to_contain_text("ValueError")
    assert one_line(text)[:150] in one_line(explorer.alert.text_content() or "")
    expect(explorer.source).to_have_value(source)

    # A source that is nothing but the text does not compile, or is no hook.
    explorer.source.fill(text)
    typed = explorer.source.input_value()
    explorer.press("Add hook")
    expect(explorer.alert).not_to_contain_text("ValueError")
    expect(explorer.alert).to_be_visible()
    expect(explorer.source).to_have_value(typed)
    notebook.screenshot_of(explorer.root, f"hostile-error-{kind}")
    explorer.press("Cancel")


def test_the_transcript_can_be_read(notebook: NotebookPage, explorer: ExplorerPage) -> None:
    explorer.root.get_by_text("The whole pass as text").click()
    text = explorer.root.locator(".hv-passage-text").first
    expect(text).to_be_visible()
    said = text.text_content() or ""
    for kind in ("script", "image", "proto", "constructor"):
        assert HOSTILE[kind] in said
    # One event stands on one line, and no line runs the other way.
    assert "\u202e" not in said or said.count("\u202e") == said.count("\u202c")
    notebook.screenshot_of(text, "hostile-transcript")
    explorer.root.get_by_text("The whole pass as text").click()
