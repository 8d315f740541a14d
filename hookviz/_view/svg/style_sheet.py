"""Make a picture carry its own looks, for viewers that load no other file."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from hookviz._view.svg.element import Element, element

_VARIABLE = re.compile(r"(--hv-[\w-]+):\s*([^;]+);")
_USE = re.compile(r"([\w-]+):([^;{}]*var\((--hv-[\w-]+)\)[^;{}]*);")
_RULE = re.compile(r"^([^{}@/]+)\{([^{}]*)\}", re.MULTILINE)
_ONE_CLASS = re.compile(r"(?:\.hv-picture )?\.(hv-[\w-]+)")
_AS_ATTRIBUTES = frozenset(
    {
        "display",
        "fill",
        "font-family",
        "font-size",
        "font-weight",
        "stroke",
        "stroke-dasharray",
        "stroke-width",
    }
)


def style_element() -> Element:
    """Return a `<style>` with the whole sheet.

    Each declaration that uses a variable is preceded by one with the variable's light default:
    a viewer that knows no variables keeps the first, any other takes the second.
    """
    made = element("style")
    made.text = _sheet_with_defaults()
    return made


def make_standalone(root: Element) -> None:
    """Turn a picture for a page with a script into one that is looked at and nothing more.

    Looks are also written as attributes, which every style sheet overrules, for viewers that
    throw style sheets away.
    """
    root.set("class", f"{root.get('class')} hv-standalone")
    root.set("role", "img")
    attributes = _class_attributes()
    for line in root.iter("text"):
        _remove_hidden(line)
    for part in root.iter():
        if part.attrib.pop("tabindex", None):
            part.attrib.pop("role", None)
        if part.attrib.pop("data-hv-said", None):
            part.set("class", f"{part.get('class', '')} hv-said".strip())
        for name in part.get("class", "").split():
            for attribute, value in attributes.get(name, {}).items():
                part.set(attribute, value)


def _remove_hidden(line: Element) -> None:
    """Take the parts that the style sheet only hides out of a line with two gradients."""
    parts = {part.get("data-hv-field", "arrow"): part for part in line.findall("tspan")}
    if "rewritten" in parts and not parts["rewritten"].text:
        line.remove(parts["arrow"])
    if "flow" in parts and parts["incoming"].text:
        line.remove(parts["flow"])


@cache
def _sheet() -> str:
    return (resources.files("hookviz") / "static" / "picture.css").read_text("utf-8")


@cache
def _defaults() -> dict[str, str]:
    defaults: dict[str, str] = {}
    for name, value in _VARIABLE.findall(_sheet()):
        # The light ones come first in the sheet.
        defaults.setdefault(name, " ".join(value.split()))
    return defaults


@cache
def _sheet_with_defaults() -> str:
    def with_default(match: re.Match[str]) -> str:
        name, value, variable = match.groups()
        plain = value.replace(f"var({variable})", _defaults()[variable])
        return f"{name}:{plain};{match[0]}"

    return _USE.sub(with_default, _sheet())


@cache
def _class_attributes() -> dict[str, dict[str, str]]:
    """Return the declarations of single classes that hold in every state."""
    found: dict[str, dict[str, str]] = {}
    for selectors, body in _RULE.findall(_sheet()):
        for selector in selectors.split(","):
            match = _ONE_CLASS.fullmatch(selector.strip())
            if match is None:
                continue
            for declaration in body.split(";"):
                name, _, value = (part.strip() for part in declaration.partition(":"))
                if name in _AS_ATTRIBUTES:
                    for variable, default in _defaults().items():
                        value = value.replace(f"var({variable})", default)
                    found.setdefault(match[1], {})[name] = value
    return found
