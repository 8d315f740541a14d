"""A lesson in JupyterLab: compare, predict, run on, look up, and what surprises at modules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import SECOND_EXAMPLE, notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

# The first zero makes the gradient of sqrt infinite.
VECTORS = """\
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.sqrt(x)
y.register_hook(lambda grad: grad * torch.tensor([1.0, 10.0]))
vectors = hookviz.explore(y.sum())
vectors"""

HOOKED = """\
net = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(net.weight)
net.register_forward_hook(lambda module, args, output: output * 2)
net.register_forward_hook(lambda module, args, output: output + 3)
modules = hookviz.explore(lambda: net(torch.ones(1, 1)).sum())
modules"""

MANY = """\
parts = {f"w{place}": torch.ones((), requires_grad=True) for place in range(12)}
total = sum(torch.sin(part) for part in parts.values())
many = hookviz.explore(total, names=parts)
many"""

# Each with what the explorer has to say of it, in the step where it happens or of the module.
SURPRISES = {
    "direct": (
        "model = torch.nn.Linear(2, 1); model.register_forward_hook(lambda m, i, o: o)\n"
        "shown = hookviz.explore(lambda: model.forward(torch.ones(1, 2)).sum())",
        "Its forward was called directly",
    ),
    "handle": (
        "model = torch.nn.Linear(2, 1)\n"
        "model.register_forward_hook(lambda m, i, o: o.register_hook(lambda grad: grad))\n"
        "shown = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())",
        "This hook returns a handle",
    ),
    "in place": (
        "model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(inplace=True))\n"
        "model[0].register_full_backward_hook(lambda m, gi, go: None)\n"
        "shown = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())",
        "Use inplace=False there",
    ),
    "no input grad": (
        "model = torch.nn.Linear(2, 1)\n"
        "model.register_full_backward_hook(lambda m, gi, go: None)\n"
        "shown = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())",
        "so grad_input is None throughout",
    ),
    "dictionary": (
        "class Named(torch.nn.Linear):\n"
        "    def forward(self, x):\n"
        "        return {'out': super().forward(x)}\n"
        "model = Named(2, 1); model.register_full_backward_hook(lambda m, gi, go: None)\n"
        "shown = hookviz.explore(lambda: model(torch.ones(1, 2))['out'].sum())",
        "This one is neither, so they will not run",
    ),
    "nested": (
        "model = torch.nn.LSTM(2, 3); model.register_full_backward_hook(lambda m, gi, go: None)\n"
        "shown = hookviz.explore(lambda: model(torch.ones(4, 1, 2))[0].sum())",
        "Those in a container inside it they do not see",
    ),
    "data parallel": (
        "model = torch.nn.DataParallel(torch.nn.Linear(2, 1))\n"
        "shown = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())",
        "Without a GPU DataParallel hands the call on",
    ),
    "compiled": (
        "inner = torch.nn.Linear(2, 1); model = torch.compile(inner, backend='eager')\n"
        "model(torch.ones(1, 2)); inner.register_forward_hook(lambda m, i, o: o * 2)\n"
        "shown = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())",
        "This is compiled code",
    ),
}


@pytest.fixture(scope="module")
def notebook(
    lab: JupyterLab, open_shared_notebook: Callable[..., NotebookPage]
) -> Iterator[NotebookPage]:
    shown = [f"{source}\nshown" for source, _ in SURPRISES.values()]
    text = notebook_of(SECOND_EXAMPLE, VECTORS, HOOKED, MANY, *shown)
    page = open_shared_notebook(lab, lab.write("lesson.ipynb", text), width=1440)
    page.hide_side_bar()
    page.run_all()
    expect(page.page.locator(".hv-root")).to_have_count(4 + len(shown))
    yield page
    assert page.problems == [], "the browser's console has errors"


@pytest.fixture
def explorer_at(notebook: NotebookPage) -> Callable[[int], ExplorerPage]:
    """Return a function that gives the explorer of a cell, at its first step."""

    def at(place: int) -> ExplorerPage:
        explorer = ExplorerPage(
            page=notebook.page, root=notebook.page.locator(".hv-root").nth(place)
        )
        explorer.root.scroll_into_view_if_needed()
        return explorer

    return at


def picture_of(explorer: ExplorerPage, notebook: NotebookPage, name: str) -> None:
    explorer.page.wait_for_timeout(600)
    explorer.root.screenshot(path=notebook.screenshots / f"lesson-{name}.png")


def choose(explorer: ExplorerPage, label: str) -> None:
    explorer.root.get_by_role("combobox", name="Compare", exact=True).select_option(label=label)


def test_a_pass_is_compared_and_so_is_an_edit(
    notebook: NotebookPage, explorer_at: Callable[[int], ExplorerPage]
) -> None:
    explorer = explorer_at(0)
    explorer.goto_row("by hook c_hook")
    choose(explorer, "without hooks")
    # d e / d c = 4 without hooks; with them the root sends 2, and 8 arrives.
    expect(explorer.caption).to_contain_text("without hooks, it is 4")
    expect(explorer.field("c", "ghost")).to_contain_text("4")
    expect(explorer.card("c")).to_have_attribute("data-hv-compared", "changed")
    picture_of(explorer, notebook, "compare")

    choose(explorer, "without lambda grad: grad + 100")
    expect(explorer.card("c")).to_have_attribute("data-hv-compared", "same")
    expect(explorer.card("d")).to_have_attribute("data-hv-compared", "changed")

    explorer.select("e")
    explorer.open_hook(0)
    explorer.source.fill("lambda grad: grad * 3")
    explorer.press("Apply")
    expect(explorer.field("c", "incoming")).to_have_text("12")
    choose(explorer, "before the last change")
    # What c handed on then: 8 and the 2 that its hook adds.
    expect(explorer.field("c", "ghost")).to_have_text("before the last change: 10")
    picture_of(explorer, notebook, "compare-edit")

    choose(explorer, "compare with …")
    expect(explorer.root.locator("[data-hv-compared]")).to_have_count(0)
    explorer.open_hook(0)
    explorer.source.fill("lambda grad: grad * 2")
    explorer.press("Apply")
    expect(explorer.field("c", "incoming")).to_have_text("8")


def test_the_next_value_is_predicted_and_counted(
    notebook: NotebookPage, explorer_at: Callable[[int], ExplorerPage]
) -> None:
    explorer = explorer_at(0)
    explorer.goto(1)
    explorer.press("Predict")
    box = explorer.root.get_by_placeholder("8, [30, 20] or None")
    # The hook of the root doubles the 1 that it is given.
    box.fill("1 + 1")
    box.press("Enter")
    expect(explorer.root.locator(".hv-prediction")).to_contain_text("Right: 2")
    expect(explorer.root.locator(".hv-prediction")).to_contain_text("1 of 1 right")
    box.fill("a hook")
    box.press("Enter")
    expect(explorer.root.locator(".hv-prediction")).to_contain_text("cannot be read")
    box.fill("77")
    box.press("Enter")
    expect(explorer.root.locator(".hv-prediction")).to_contain_text("77 is not it")
    picture_of(explorer, notebook, "predict")
    explorer.press("Reveal")
    expect(explorer.root.locator(".hv-prediction")).to_contain_text("1 of 2 right")
    explorer.press("Predict")


def test_a_pass_runs_on_to_hooks_rewrites_and_what_is_not_finite(
    notebook: NotebookPage, explorer_at: Callable[[int], ExplorerPage]
) -> None:
    explorer = explorer_at(1)
    explorer.goto(0)
    explorer.press("next rewrite")
    expect(explorer.caption).to_contain_text("[1, 1]")
    expect(explorer.caption).to_contain_text("[1, 10]")
    # A small table before and after, and the difference on the same scale of colors.
    values = explorer.root.locator(".hv-values")
    expect(values.locator(".hv-values-after td")).to_have_text(["1", "10"])
    expect(values.locator(".hv-values-difference svg")).to_be_visible()
    picture_of(explorer, notebook, "values")

    explorer.goto(0)
    explorer.press("first NaN or Inf")
    expect(explorer.caption).to_contain_text("inf")
    explorer.goto(0)
    explorer.select("x")
    explorer.root.locator(".hv-run-to").get_by_role("button", name="x", exact=True).click()
    expect(explorer.caption).to_contain_text("x")
    explorer.expect_state("x", "current")


def test_the_picture_turns_and_a_name_is_found(
    notebook: NotebookPage, explorer_at: Callable[[int], ExplorerPage]
) -> None:
    explorer = explorer_at(3)
    picture = explorer.root.locator(".hv-picture")
    turn = explorer.root.get_by_role("button", name=re.compile("^Draw from"))
    first = picture.get_attribute("data-hv-direction")
    turn.click()
    expect(picture).not_to_have_attribute("data-hv-direction", str(first))
    turn.click()
    expect(picture).to_have_attribute("data-hv-direction", str(first))
    find = explorer.root.locator("input.hv-find")
    expect(find).to_have_accessible_name("Find a name")
    find.fill("total")
    find.press("Enter")
    expect(explorer.root.get_by_role("heading", name="Tensor total", exact=True)).to_be_visible()
    picture_of(explorer, notebook, "find")


def test_a_modules_hooks_are_moved_and_turned_off_and_the_forward_runs_again(
    notebook: NotebookPage, explorer_at: Callable[[int], ExplorerPage]
) -> None:
    explorer = explorer_at(2)
    explorer.press("Last step")
    explorer.select_module("net")
    # 1 * 2 + 3, then (1 + 3) * 2, then 1 + 3.
    expect(explorer.fact("output")).to_contain_text("5")
    explorer.hooks.nth(0).get_by_role("button", name="Move down", exact=True).click()
    expect(explorer.fact("output")).to_contain_text("8")
    explorer.hooks.nth(1).get_by_role("button", name="Turn off", exact=True).click()
    expect(explorer.fact("output")).to_contain_text("4")
    picture_of(explorer, notebook, "module-hooks")
    explorer.hooks.nth(0).get_by_role("button", name="Remove hook", exact=True).click()
    expect(explorer.hooks).to_have_count(1)


def test_an_error_in_a_forward_is_about_the_module_that_raised(
    explorer_at: Callable[[int], ExplorerPage],
) -> None:
    explorer = explorer_at(4 + list(SURPRISES).index("in place"))
    explorer.press("Last step")
    expect(explorer.caption).to_contain_text("The forward of 1 raised RuntimeError")
    expect(explorer.root.get_by_role("heading", name="Module 1", exact=True)).to_be_visible()


@pytest.mark.parametrize("name", SURPRISES)
def test_what_surprises_is_said(
    notebook: NotebookPage, explorer_at: Callable[[int], ExplorerPage], name: str
) -> None:
    explorer = explorer_at(4 + list(SURPRISES).index(name))
    said = SURPRISES[name][1]
    where = explorer.root.locator(".hv-caption, .hv-inspector").filter(has_text=said)
    for stop in range(explorer.rows.count()):
        explorer.goto(stop)
        if where.count():
            break
    expect(where.first).to_be_visible()
    picture_of(explorer, notebook, name.replace(" ", "-"))
    explorer.root.get_by_text("The whole pass as text").click()
    expect(explorer.root.locator(".hv-passage-text").first).to_contain_text(said)
