"""Notebook 02 in JupyterLab: read every value of a pass from the page, and change a hook there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import expect

from tests.browser.explorer_page import ExplorerPage
from tests.browser.jupyterlab import JupyterLab
from tests.browser.notebook_page import NotebookPage

pytestmark = pytest.mark.browser

PENDING = "not computed yet"


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What one step has to show.

    Attributes:
        row: The line of the timeline.
        caption: Pieces of the sentence.
        fields: By tensor and field, the text on its card.
        edges: By edge, what was sent along it.
        hooks: By tensor and place in the chain, what the hook did.
        printed: What user code printed.
    """

    row: str
    caption: tuple[str, ...]
    current: str
    fields: dict[tuple[str, str], str] = field(default_factory=dict)
    edges: dict[str, str] = field(default_factory=dict)
    hooks: dict[tuple[str, int], str] = field(default_factory=dict)
    printed: str = ""


PASS = (
    Moment(
        row="e: receives 1, backward starts here",
        caption=("e", "1"),
        current="e",
        fields={("e", "incoming"): "1", ("e", "rewritten"): "", ("e", "grad"): PENDING},
    ),
    Moment(
        row="e: 1 → 2 by hook lambda grad: grad * 2",
        caption=("e", "receives 1", "returns 2"),
        current="e",
        fields={("e", "rewritten"): "2", ("e", "grad"): PENDING},
        hooks={("e", 0): "1 → 2"},
    ),
    Moment(
        row="e: .grad keeps 2",
        caption=("retain_grad()", "e.grad was None, now 2"),
        current="e",
        fields={("e", "grad"): "2"},
    ),
    Moment(
        row="MulBackward0: sends 8 to c and 12 to d",
        caption=("MulBackward0", "receives 2", "8 to c", "12 to d"),
        current="",
        edges={"e0": "8", "e1": "12", "e2": "", "e3": ""},
    ),
    Moment(
        row="d: 12 → 112 by hook lambda grad: grad + 100",
        caption=("d", "receives 12", "returns 112"),
        current="d",
        fields={
            ("d", "incoming"): "12",
            ("d", "rewritten"): "112",
            ("d", "grad"): PENDING,
        },
        hooks={("d", 0): "12 → 112"},
    ),
    Moment(
        row="d: .grad None → 112",
        caption=("d is a leaf", "d.grad was None, now 112"),
        current="d",
        fields={("d", "grad"): "112"},
    ),
    Moment(
        row="c: 8 → 10 by hook c_hook",
        caption=("Hook 1 of 2 on c", "receives 8", "returns 10"),
        current="c",
        fields={("c", "incoming"): "8", ("c", "rewritten"): "10", ("c", "grad"): PENDING},
        hooks={("c", 0): "8 → 10", ("c", 1): ""},
        printed="c_hook tensor(8.)",
    ),
    Moment(
        row="c: 10 unchanged by hook lambda grad: print(",
        caption=("Hook 2 of 2 on c", "receives 10", "returns None", "stays 10"),
        current="c",
        hooks={("c", 0): "8 → 10", ("c", 1): "10, unchanged"},
        printed="hello my grad is tensor(10.)",
    ),
    Moment(
        row="c: .grad keeps 10",
        caption=("c is a non-leaf", "c.grad was None, now 10"),
        current="c",
        fields={("c", "grad"): "10"},
    ),
    Moment(
        row="MulBackward0: sends 30 to a and 20 to b",
        caption=("MulBackward0", "receives 10", "30 to a", "20 to b"),
        current="",
        edges={"e2": "30", "e3": "20"},
    ),
    Moment(
        row="a: .grad None → 30",
        caption=("a is a leaf", "a.grad was None, now 30"),
        current="a",
        fields={("a", "incoming"): "30", ("a", "grad"): "30", ("b", "grad"): PENDING},
    ),
    Moment(
        row="b: .grad None → 20",
        caption=("b is a leaf", "b.grad was None, now 20"),
        current="b",
        fields={("b", "incoming"): "20", ("b", "grad"): "20"},
    ),
)

VALUES = {"a": "2", "b": "3", "c": "6", "d": "4", "e": "24"}
AT_THE_END = {"a": "30", "b": "20", "c": "10", "d": "112", "e": "2"}


@pytest.mark.parametrize("server", ["lab", "lab_without_dot"])
def test_the_second_example_from_the_first_step_to_an_edited_hook(
    server: str,
    request: pytest.FixtureRequest,
    open_notebook: Callable[..., NotebookPage],
) -> None:
    lab: JupyterLab = request.getfixturevalue(server)
    notebook = open_notebook(lab, lab.copy("02_register_hook.ipynb"), width=1440)
    notebook.hide_side_bar()
    notebook.run_all()
    explorer = notebook.explorer_with("a", "b", "c", "d", "e")

    read_every_step(explorer)
    show_c_hook_at_work(explorer)
    notebook.screenshot_of(explorer.root, f"explorer-{server}")
    go_back(explorer)
    edit_the_hook_of_d(explorer)
    notebook.screenshot_of(explorer.root, f"explorer-edited-{server}")
    add_a_hook_to_b_and_remove_it(explorer)

    assert notebook.problems == []


def read_every_step(explorer: ExplorerPage) -> None:
    explorer.expect_step(0)
    expect(explorer.rows).to_have_count(len(PASS) + 1)
    for tensor, value in VALUES.items():
        expect(explorer.card(tensor).locator(".hv-number").first).to_have_text(value)
        expect(explorer.field(tensor, "grad")).to_have_text(PENDING)
        explorer.expect_state(tensor, "pending")
    for step, moment in enumerate(PASS, start=1):
        explorer.press("Next step")
        explorer.expect_step(step)
        expect(explorer.rows.nth(step)).to_contain_text(moment.row)
        for piece in moment.caption:
            expect(explorer.caption).to_contain_text(piece)
        for (tensor, name), text in moment.fields.items():
            expect(explorer.field(tensor, name)).to_have_text(text)
        for edge, text in moment.edges.items():
            expect(explorer.contribution(edge)).to_have_text(text)
        for (tensor, place), text in moment.hooks.items():
            expect(explorer.hook_text(tensor, place)).to_have_text(text)
        if moment.printed:
            expect(explorer.printed).to_have_text(moment.printed)
        else:
            expect(explorer.printed).to_be_hidden()
        if moment.current:
            explorer.expect_state(moment.current, "current")
    for tensor, grad in AT_THE_END.items():
        expect(explorer.field(tensor, "grad")).to_have_text(grad)


def show_c_hook_at_work(explorer: ExplorerPage) -> None:
    """Show what the picture in the README shows."""
    explorer.goto(7)
    explorer.select("c")
    expect(explorer.source).to_have_value(
        'def c_hook(grad):\n    print("c_hook", grad)\n    return grad + 2'
    )
    explorer.source.press("Escape")


def go_back(explorer: ExplorerPage) -> None:
    last = len(PASS)
    explorer.press("Last step")
    explorer.press("Previous step")
    explorer.expect_step(last - 1)
    expect(explorer.field("b", "grad")).to_have_text(PENDING)
    explorer.expect_state("b", "pending")
    expect(explorer.field("a", "grad")).to_have_text("30")
    # Far back, by a click on the timeline: before c's hooks ran.
    explorer.goto(5)
    expect(explorer.field("c", "rewritten")).to_have_text("")
    expect(explorer.field("d", "rewritten")).to_have_text("112")
    expect(explorer.field("d", "grad")).to_have_text(PENDING)
    explorer.press("Last step")
    explorer.expect_step(last)
    expect(explorer.field("d", "grad")).to_have_text("112")


def edit_the_hook_of_d(explorer: ExplorerPage) -> None:
    explorer.select("d")
    expect(explorer.fact("gradient that arrived")).to_have_text("12")
    expect(explorer.fact("after its hooks")).to_have_text("112")
    explorer.open_hook(0)
    expect(explorer.source).to_have_value("lambda grad: grad + 100")

    explorer.type_source("lambda grad: grad * 0")
    explorer.press("Apply")

    expect(explorer.field("d", "grad")).to_have_text("0")
    expect(explorer.fact("after its hooks")).to_have_text("0")
    explorer.expect_step(len(PASS))
    for tensor, grad in {**AT_THE_END, "d": "0"}.items():
        expect(explorer.field(tensor, "grad")).to_have_text(grad)
    expect(explorer.rows.nth(5)).to_contain_text("12 → 0")
    expect(explorer.root.get_by_text("not applied yet")).to_be_hidden()


def add_a_hook_to_b_and_remove_it(explorer: ExplorerPage) -> None:
    explorer.select("b")
    expect(explorer.hooks).to_have_count(0)
    explorer.type_source("lambda grad: grad / 8")
    explorer.press("Add hook")

    expect(explorer.hooks).to_have_count(1)
    # The new hook is the one in the box.
    expect(explorer.root.get_by_role("button", name="Apply", exact=True)).to_be_visible()
    expect(explorer.source).to_have_value("lambda grad: grad / 8")
    expect(explorer.field("b", "grad")).to_have_text("2.5")
    expect(explorer.field("a", "grad")).to_have_text("30")
    expect(explorer.rows).to_have_count(len(PASS) + 2)

    explorer.hooks.first.get_by_role("button", name="Remove hook", exact=True).click()
    expect(explorer.hooks).to_have_count(0)
    expect(explorer.source).to_have_value("")
    expect(explorer.field("b", "grad")).to_have_text("20")
    expect(explorer.rows).to_have_count(len(PASS) + 1)
