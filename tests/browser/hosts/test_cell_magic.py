"""`%%hookviz` in JupyterLab: each backward of a cell can be stepped through and hooked there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.hosts.test_in_jupyterlab import notebook_of
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

LEARNING = """\
%%hookviz
def loss_of(weight, batch):
    hidden = weight * batch
    hidden.register_hook(lambda grad: grad.clamp(max=1))
    loss = hidden.sum()
    loss.backward()

weight = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.5)
batch = torch.tensor([3.0, 4.0], requires_grad=True)
for _ in range(5):
    loss_of(weight, batch)
optimizer.step()
weight.grad"""

FAILING = """\
%%hookviz
a = torch.tensor(2.0, requires_grad=True)
b = a.exp()
b.backward()
b.backward()"""


@pytest.fixture
def notebook(lab: JupyterLab, open_notebook: Callable[..., NotebookPage]) -> NotebookPage:
    address = lab.write(
        "magic.ipynb", notebook_of("%load_ext hookviz\nimport torch", LEARNING, FAILING)
    )
    page = open_notebook(lab, address)
    page.hide_side_bar()
    page.run_all()
    return page


def test_every_backward_of_a_cell_has_its_explorer(notebook: NotebookPage) -> None:
    output = notebook.output_of("loss_of")
    explorers = output.locator("[data-lm-suppress-shortcuts='true']")
    expect(explorers).to_have_count(3)
    expect(output).to_contain_text("tensor([15., 20.])")
    expect(output).to_contain_text("backward() 2 of 3, line 6: loss.backward()")
    expect(output).to_contain_text("not recorded: 2.")
    # The picture for pages without a widget is hidden where one lives.
    expect(output.locator(".jp-RenderedSVG:visible")).to_have_count(0)

    second = ExplorerPage(page=notebook.page, root=explorers.nth(1))
    second.press("Last step")
    expect(second.field("weight", "grad")).to_have_text("[6, 8]")
    notebook.screenshot_of(output, "magic-learning")

    # optimizer.step() has changed the weights, so the pass cannot be run again.
    second.select("batch")
    second.type_source("lambda grad: grad * 2")
    second.press("Add hook")
    expect(second.alert).to_contain_text("optimizer.step() does that to the weights")
    expect(second.alert).to_contain_text("hookviz.explore(lambda: loss_of(model))")
    notebook.screenshot_of(second.root, "magic-refused")


def test_after_an_error_the_explorers_are_there_too(notebook: NotebookPage) -> None:
    output = notebook.output_of("b = a.exp()")
    expect(output.locator(".jp-RenderedText[data-mime-type*='stderr']")).to_contain_text(
        "RuntimeError: Trying to backward through the graph a second time"
    )
    explorer = ExplorerPage(
        page=notebook.page, root=output.locator("[data-lm-suppress-shortcuts='true']")
    )
    explorer.press("Next step")
    explorer.expect_step(1)
    explorer.select("a")
    explorer.type_source("lambda grad: grad * 2")
    explorer.press("Add hook")
    expect(explorer.hooks).to_have_count(1)
    explorer.press("Last step")
    expect(explorer.field("a", "grad")).to_have_text("14.7781")
    expect(output).to_contain_text("The backward() in line 5 is not shown: an earlier backward()")
    notebook.screenshot_of(output, "magic-failing")
