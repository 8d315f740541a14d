"""Modules in JupyterLab: go through a forward and its backward, open boxes, hook a module."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

# y = relu(2x + 1); relu(3y) runs twice in `twice`; loss = sum. With x = 1: y = 3, z = 9, 27.
SMALL_NET = """\
import torch
import hookviz

class Scale(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.tensor(factor))

    def forward(self, x):
        return x * self.factor

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Scale(2.0)
        self.second = Scale(3.0)

    def forward(self, x):
        x = self.first(x)
        x = self.second(x)
        return self.second(x)

net = Net()
x = torch.tensor(1.0, requires_grad=True)
explorer = hookviz.explore(lambda: net(x))
explorer"""


@pytest.fixture(scope="module")
def notebook(
    lab: JupyterLab, open_shared_notebook: Callable[..., NotebookPage]
) -> Iterator[NotebookPage]:
    """One notebook with the small network, shared by the tests of this module."""
    page = open_shared_notebook(lab, lab.write("net.ipynb", notebook_of(SMALL_NET)), width=1440)
    page.hide_side_bar()
    page.run_all()
    yield page
    assert page.problems == [], "the browser's console has errors"


@pytest.fixture
def explorer(notebook: NotebookPage) -> ExplorerPage:
    """The explorer with the outermost module open, at its first step."""
    explorer = ExplorerPage(page=notebook.page, root=notebook.page.locator(".hv-root").first)
    explorer.root.scroll_into_view_if_needed()
    close_all = explorer.root.get_by_role("button", name="Collapse all", exact=True)
    closed = explorer.root.get_by_role("button", name="Expand net", exact=True)
    for _ in range(30):
        if closed.is_visible():
            break
        # What the test before asked for may still run, and then no click is taken.
        with suppress(TimeoutError):
            close_all.click(timeout=1000)
        notebook.page.wait_for_timeout(200)
    explorer.open_box("net")
    explorer.goto(0)
    return explorer


def test_a_forward_and_its_backward_are_one_timeline(explorer: ExplorerPage) -> None:
    explorer.goto_row("first: forward")
    expect(explorer.box_field("first", "output")).to_contain_text("2")
    expect(explorer.lit_line).to_contain_text("self.first(x)")
    expect(explorer.box("first")).to_have_attribute("data-hv-state", "current")
    explorer.press("Last step")
    # d loss / d x = 2 * 3 * 3.
    expect(explorer.field("x", "grad")).to_have_text("18")
    expect(explorer.box_field("first", "grad_output")).to_contain_text("9")


def test_a_closed_box_is_stepped_over_and_an_open_one_is_stepped_through(
    explorer: ExplorerPage,
) -> None:
    opened = explorer.rows.count()
    explorer.close_box("net")
    closed = explorer.rows.count()
    assert closed < opened
    slider = explorer.root.get_by_role("slider", name="Step", exact=True)
    explorer.goto(0)
    for stop in range(1, closed):
        explorer.press("Next step")
        expect(slider).to_have_value(str(stop))
    expect(explorer.field("x", "grad")).to_have_text("18")

    into = explorer.root.get_by_role("button", name="Step into net", exact=True).first
    into.click()
    expect(explorer.box("first")).to_be_visible()
    expect(explorer.rows).to_have_count(opened)


def test_a_box_opens_by_keyboard_and_keeps_the_focus(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    before = notebook.cell_sources()
    explorer.close_box("net")
    box = explorer.box("net")
    box.focus()
    notebook.page.keyboard.press("+")
    expect(explorer.box("first")).to_be_visible()
    expect(box).to_be_focused()
    notebook.page.keyboard.press("-")
    expect(explorer.box("first")).to_have_count(0)
    expect(box).to_be_focused()
    for key in ("a", "d", "d", "x", "+"):
        notebook.page.keyboard.press(key)
    expect(explorer.box("first")).to_be_visible()
    assert notebook.cell_sources() == before


def test_a_module_that_runs_twice_shows_the_call_that_was_clicked(explorer: ExplorerPage) -> None:
    explorer.press("Last step")
    calls = explorer.root.locator(".hv-module[data-hv-id='second']")
    expect(calls).to_have_count(2)
    seen = []
    for call in calls.all():
        call.focus()
        call.press("Enter")
        chip = explorer.root.locator(".hv-inspector .hv-chip", has_text="of 2")
        expect(chip).to_be_visible()
        seen.append((chip.inner_text(), explorer.fact("output").inner_text()))
    assert {text for text, _ in seen} == {"call 1 of 2", "call 2 of 2"}
    assert seen[0][1] != seen[1][1]


def test_a_forward_hook_is_added_edited_and_removed(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    explorer.press("Last step")
    explorer.select_module("first")
    explorer.choose_kind("forward hook")
    expect(explorer.source).to_have_value("lambda module, args, output: output")
    explorer.type_source("lambda module, args, output: output * 10")
    explorer.press("Add hook")

    expect(explorer.hooks).to_have_count(1)
    expect(explorer.root.get_by_role("heading", name="forward hook", exact=True)).to_be_visible()
    expect(explorer.field("x", "grad")).to_have_text("180")
    expect(explorer.source).to_have_value("lambda module, args, output: output * 10")
    notebook.screenshot_of(explorer.root, "module-hook")

    explorer.type_source("lambda module, args, output: output * 100")
    explorer.press("Apply")
    expect(explorer.field("x", "grad")).to_have_text("1800")

    row = explorer.hooks.first
    row.get_by_role("button", name="Turn off", exact=True).click()
    expect(explorer.field("x", "grad")).to_have_text("18")
    row.get_by_role("button", name="Remove hook", exact=True).click()
    expect(explorer.hooks).to_have_count(0)
    expect(explorer.field("x", "grad")).to_have_text("18")


def test_a_backward_hook_of_a_module_changes_what_goes_on(explorer: ExplorerPage) -> None:
    explorer.press("Last step")
    explorer.select_module("first")
    explorer.choose_kind("full backward hook")
    explorer.type_source("lambda module, grad_input, grad_output: (grad_input[0] * 0,)")
    explorer.press("Add hook")
    expect(explorer.field("x", "grad")).to_have_text("0")
    explorer.hooks.first.get_by_role("button", name="Remove hook", exact=True).click()
    expect(explorer.field("x", "grad")).to_have_text("18")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("lambda output: output", "argument"),
        ("lambda module, args, output output", "output output"),
        ("lambda module, args, output: 1 / 0", "ZeroDivisionError"),
    ],
    ids=["too few arguments", "does not compile", "raises"],
)
def test_a_wrong_module_hook_is_refused_and_nothing_is_lost(
    explorer: ExplorerPage, source: str, said: str
) -> None:
    explorer.press("Last step")
    explorer.select_module("first")
    explorer.choose_kind("forward hook")
    explorer.type_source(source)
    explorer.press("Add hook")
    expect(explorer.alert).to_contain_text(said)
    expect(explorer.source).to_have_value(source)
    expect(explorer.hooks).to_have_count(0)
    expect(explorer.field("x", "grad")).to_have_text("18")
    explorer.press("Cancel")
    explorer.alert.get_by_role("button", name="Dismiss", exact=True).click()
    expect(explorer.alert).to_be_hidden()


def test_with_kwargs_is_asked_for(explorer: ExplorerPage) -> None:
    explorer.select_module("first")
    explorer.choose_kind("forward pre-hook", with_kwargs=True)
    expect(explorer.source).to_have_value("lambda module, args, kwargs: (args, kwargs)")
    explorer.type_source("lambda module, args, kwargs: ((args[0] * 4,), kwargs)")
    explorer.press("Add hook")
    expect(explorer.hooks).to_have_count(1)
    expect(explorer.hooks.first).to_contain_text("with_kwargs")
    explorer.press("Last step")
    expect(explorer.field("x", "grad")).to_have_text("72")
    explorer.hooks.first.get_by_role("button", name="Remove hook", exact=True).click()
    expect(explorer.hooks).to_have_count(0)


def test_the_code_follows_the_steps_and_leads_to_them(
    notebook: NotebookPage, explorer: ExplorerPage
) -> None:
    explorer.goto_row("first: forward")
    expect(explorer.lit_line).to_contain_text("x = self.first(x)")
    top = notebook.page.locator(".jp-WindowedPanel-outer").first.evaluate("box => box.scrollTop")
    line = explorer.root.locator(".hv-code-line", has_text="return self.second(x)")
    line.get_by_role("button").click()
    expect(explorer.lit_line).to_contain_text("return self.second(x)")
    bottom = notebook.page.locator(".jp-WindowedPanel-outer").first.evaluate("box => box.scrollTop")
    assert bottom == top, "the notebook stays where it is"


def test_chinese_names_the_boxes_too(notebook: NotebookPage, explorer: ExplorerPage) -> None:
    explorer.select_module("first")
    explorer.root.get_by_role("button", name="中文", exact=True).click()
    expect(explorer.root.get_by_role("button", name="收起 net", exact=True)).to_be_visible()
    expect(explorer.root.get_by_role("combobox", name="钩子类型", exact=True)).to_be_visible()
    notebook.screenshot_of(explorer.root, "modules-chinese")
    explorer.root.get_by_role("button", name="English", exact=True).click()
    expect(explorer.root.get_by_role("button", name="Collapse net", exact=True)).to_be_visible()
