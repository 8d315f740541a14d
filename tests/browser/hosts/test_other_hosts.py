"""Pages that look like VS Code's and Colab's: their colors are taken over, and can be read.

VS Code and Colab themselves are not driven here; what they say about light and dark is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.browser.example import second_example
from tests.browser.page.test_accessibility import axe as axe_script
from tests.browser.page.test_accessibility import violations
from tests.browser.plain_page import PlainPage

pytestmark = pytest.mark.browser

axe = axe_script


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a front end puts around an output."""

    host: str
    theme: str
    background: str
    body: str = ""
    html: str = ""
    css: str

    @property
    def options(self) -> dict[str, str]:
        page = f"body {{ background: {self.background}; }} h1, h2 {{ display: none; }}"
        return {"body": self.body, "html": self.html, "css": f":root {{ {self.css} }} {page}"}


def vscode(kinds: str, background: str, theme: str) -> Look:
    css = (
        f"--vscode-editor-background: {background}; --vscode-font-family: Georgia, serif;"
        "--vscode-editor-font-family: 'Courier New', monospace;"
    )
    body = f'class="{kinds}" data-vscode-theme-kind="{kinds.split()[0]}"'
    return Look(host="vscode", theme=theme, background=background, body=body, css=css)


def colab(theme: str, background: str) -> Look:
    css = f"--colab-primary-surface-color: {background};"
    return Look(host="colab", theme=theme, background=background, html=f'theme="{theme}"', css=css)


LOOKS = {
    "VS Code, light": vscode("vscode-light", "#fffffe", "light"),
    "VS Code, dark": vscode("vscode-dark", "#1f1f1f", "dark"),
    "VS Code, high contrast": vscode("vscode-high-contrast", "#000000", "dark"),
    "VS Code, light high contrast": vscode(
        "vscode-high-contrast vscode-high-contrast-light", "#ffffff", "light"
    ),
    "Colab, light": colab("light", "#fefefe"),
    "Colab, dark": colab("dark", "#383838"),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_the_colors_of_the_page_around_are_taken_over(
    show: Callable[..., PlainPage], axe: str, look: Look
) -> None:
    # The system says the opposite: it is the page that counts.
    system = "light" if look.theme == "dark" else "dark"
    plain = show(second_example(), color_scheme=system, reduced_motion="reduce", **look.options)
    root = plain.explorer.root
    expect(root).to_have_attribute("data-hv-theme", look.theme)
    expect(root).to_have_attribute("data-hv-host", look.host)
    expect(root).to_have_css("background-color", rgb(look.background))
    plain.explorer.goto(7)
    plain.explorer.select("c")
    assert violations(plain.page, axe, ".hv-root") == []
    if look.host == "vscode":
        expect(plain.explorer.caption).to_have_css("font-family", "Georgia, serif")
        expect(plain.explorer.source).to_have_css("font-family", '"Courier New", monospace')


def test_a_change_of_theme_is_followed(show: Callable[..., PlainPage]) -> None:
    light, dark = LOOKS["VS Code, light"], LOOKS["VS Code, dark"]
    plain = show(second_example(), **light.options)
    plain.page.evaluate(
        """(background) => {
            document.documentElement.style.setProperty('--vscode-editor-background', background);
            document.body.className = 'vscode-dark';
        }""",
        dark.background,
    )
    root = plain.explorer.root
    expect(root).to_have_attribute("data-hv-theme", "dark")
    expect(root).to_have_css("background-color", rgb(dark.background))
    # What Python asks for comes before what the page has; then the colors are our own.
    plain.update(theme="light")
    expect(root).to_have_attribute("data-hv-theme", "light")
    expect(root).to_have_attribute("data-hv-host", "none")
    expect(root).to_have_css("background-color", rgb("#ffffff"))


def rgb(color: str) -> str:
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"
