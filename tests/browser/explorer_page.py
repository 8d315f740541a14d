"""Read and press one explorer on a page, by the names that a person or a screen reader gets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect


@dataclass(kw_only=True)
class ExplorerPage:
    """One explorer; `root` is the element that holds all of it."""

    page: Page
    root: Locator

    def press(self, name: str) -> None:
        """Press a button by its exact accessible name."""
        self.root.get_by_role("button", name=name, exact=True).click()

    def goto(self, stop: int) -> None:
        """Click a row of the timeline."""
        self.rows.nth(stop).locator(".hv-row").click()
        self.expect_step(stop)

    def expect_step(self, stop: int) -> None:
        """Wait until the slider and the timeline are there; with no closed box stops are steps."""
        expect(self.root.get_by_role("slider", name="Step", exact=True)).to_have_value(str(stop))
        row = self.rows.nth(stop).locator(".hv-row")
        expect(row).to_have_attribute("aria-current", "step")

    @property
    def rows(self) -> Locator:
        """The rows of the timeline; row k is the k-th stop."""
        return self.root.locator(".hv-timeline li")

    def goto_row(self, text: str) -> None:
        """Click the first row of the timeline that says this."""
        row = self.rows.filter(has_text=text).first.locator(".hv-row")
        row.click()
        expect(row).to_have_attribute("aria-current", "step")

    @property
    def caption(self) -> Locator:
        """The sentence of the current step, which screen readers speak."""
        return self.root.get_by_role("status")

    @property
    def printed(self) -> Locator:
        """What user code wrote to standard output during the current step."""
        return self.root.locator(".hv-printed")

    @property
    def alert(self) -> Locator:
        """The message about something that went wrong."""
        return self.root.get_by_role("alert")

    @property
    def source(self) -> Locator:
        """The text box with the source of a hook."""
        return self.root.get_by_role("textbox", name="Hook source", exact=True)

    def card(self, tensor: str) -> Locator:
        """The card of a tensor in the picture."""
        return self.root.locator(f".hv-card[data-hv-id='{tensor}']").first

    def box(self, name: str) -> Locator:
        """The box of a module in the picture, open or closed."""
        return self.root.locator(f".hv-module[data-hv-id='{name}']").first

    def box_field(self, name: str, field: str) -> Locator:
        """One text of a box that changes with the steps."""
        return self.box(name).locator(f"[data-hv-field='{field}']")

    def select_module(self, name: str) -> None:
        """Select a module as the keyboard does, and wait for its inspector."""
        self.box(name).focus()
        self.box(name).press("Enter")
        heading = self.root.get_by_role("heading", name=f"Module {name}", exact=True)
        expect(heading).to_be_visible()

    def open_box(self, name: str) -> None:
        """Open the box of a module by the sign on it."""
        sign = self.root.get_by_role("button", name=f"Expand {name}", exact=True)
        sign.focus()
        sign.press("Enter")
        expect(self.box(name)).to_have_class(re.compile(r"\bhv-expanded\b"))

    def close_box(self, name: str) -> None:
        """Close the box of a module by the sign on it."""
        sign = self.root.get_by_role("button", name=f"Collapse {name}", exact=True)
        sign.focus()
        sign.press("Enter")
        expect(self.box(name)).not_to_have_class(re.compile(r"\bhv-expanded\b"))

    @property
    def lit_line(self) -> Locator:
        """The line of the user's code to which the current step belongs."""
        return self.root.locator(".hv-code-line[aria-current]")

    def choose_kind(self, kind: str, *, with_kwargs: bool = False) -> None:
        """Say of what kind the hook is that is about to be added to a module."""
        self.root.get_by_role("combobox", name="Kind of hook", exact=True).select_option(kind)
        box = self.root.get_by_role("checkbox", name="with_kwargs", exact=True)
        if box.is_enabled():
            box.set_checked(with_kwargs)

    def field(self, tensor: str, name: str) -> Locator:
        """One text of a card that changes with the steps."""
        return self.card(tensor).locator(f"[data-hv-field='{name}']")

    def contribution(self, edge: str) -> Locator:
        """What was sent along an edge."""
        return self.root.locator(f"[data-hv-key='{edge}'] [data-hv-field='contribution']").first

    def hook_text(self, tensor: str, place: int) -> Locator:
        """What the hook in this place of a card's chain did."""
        return self.card(tensor).locator(".hv-hook").nth(place).locator("[data-hv-field^='hook:']")

    def expect_state(self, tensor: str, state: str) -> None:
        """Wait until a card is in this state."""
        expect(self.card(tensor)).to_have_attribute("data-hv-state", state)

    def select(self, tensor: str) -> None:
        """Click a card, wherever it is in the picture, and wait for its inspector."""
        self.card(tensor).focus()
        self.card(tensor).click()
        expect(
            self.root.get_by_role("heading", name=f"Tensor {tensor}", exact=True)
        ).to_be_visible()

    def fact(self, name: str) -> Locator:
        """One fact of the inspector by its term, such as `after its hooks`."""
        exactly = re.compile(rf"^{re.escape(name)}$")
        return self.root.locator(".hv-facts dt", has_text=exactly).locator(
            "xpath=following-sibling::dd[1]"
        )

    @property
    def hooks(self) -> Locator:
        """The hooks of the selected tensor, in the order in which they run."""
        return self.root.locator(".hv-hook-list li")

    def open_hook(self, place: int) -> None:
        """Put the source of a hook of the selected tensor into the text box."""
        self.hooks.nth(place).get_by_role("button").first.click()

    def type_source(self, text: str) -> None:
        """Replace what stands in the text box, key by key as a person does."""
        self.source.click()
        self.source.press("ControlOrMeta+a")
        self.source.press_sequentially(text)
