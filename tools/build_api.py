"""Build docs/api.md from the docstrings of the names that users type.

It takes no arguments: `python tools/build_api.py`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hookviz
from hookviz import Event
from hookviz._records import EVENT_CLASSES

PAGE = Path(__file__).parents[1] / "docs" / "api.md"

HEAD = """\
# The names that you type

Built from the docstrings by `python tools/build_api.py`; every example is run as a test. In the
examples of `Explorer`, `explorer` and the tensors are those of its first example.
"""

KINDS = {cls.__name__: kind for kind, cls in EVENT_CLASSES.items()}
EVENTS = ("Event", "GradEvent", "HookEvent", *KINDS)
PARTS = {
    "Functions": ("explore", "record", "capture", "watch"),
    "The explorer": ("Explorer", "Verdict"),
    "A recorded pass": ("Trace", "Graph", "Forward"),
    "Values, hooks and errors of a pass": (
        "TensorSnapshot",
        "TensorSummary",
        "HookRecord",
        "Argument",
        "ErrorRecord",
    ),
    "Events": EVENTS,
    "Exceptions": tuple(name for name in hookviz.__all__ if name.endswith(("Error", "Warning"))),
}

_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example):$")
_NAMED = re.compile(r"^([\w, ]+): (.*)$")
_WIDEST = 100


def page() -> str:
    """Return the whole page."""
    lines = [HEAD]
    for title, names in PARTS.items():
        lines += [f"## {title}", ""]
        for name in names:
            lines += _entry(name, getattr(hookviz, name))
    return "\n".join(lines).rstrip("\n") + "\n"


def _entry(name: str, value: Any) -> Iterator[str]:
    yield from (f"### {name}", "")
    if not inspect.isclass(value):
        yield from _signature(name, value)
        yield from _markdown(value)
        return
    yield from _markdown(value)
    if name in KINDS:
        base = value.__mro__[1].__name__
        yield from (f'It is a kind of `{base}`; its `kind` is `"{KINDS[name]}"`.', "")
    for attribute, member in _members(value):
        if isinstance(member, property):
            yield from (f"#### {name}.{attribute}", "")
            yield from _markdown(member)
        else:
            yield from (f"#### {name}.{attribute}()", "")
            yield from _signature(attribute, member)
            yield from _markdown(member)


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class, its own before those of its bases."""
    seen: set[str] = set()
    for base in cls.__mro__:
        # A base with an entry of its own is not repeated, and every kind of event answers to
        # the attributes of every other.
        is_told = base is not cls and base.__name__ in hookviz.__all__
        if not base.__module__.startswith("hookviz") or is_told or base in Event.__mro__[1:]:
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            if isinstance(value, property) or hasattr(value, "attrname"):
                seen.add(name)
                yield name, value if isinstance(value, property) else property(value.func)
            elif inspect.isfunction(value) or isinstance(value, classmethod):
                seen.add(name)
                yield name, getattr(cls, name)


def _signature(name: str, function: Any) -> Iterator[str]:
    parameters = [*_parameters(inspect.signature(function))]
    text = f"{name}({', '.join(parameters)})"
    if len(text) > _WIDEST:
        inner = "".join(f"    {parameter},\n" for parameter in parameters)
        text = f"{name}(\n{inner})"
    yield from ("```python", text, "```", "")


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    has_star = False
    for name, parameter in signature.parameters.items():
        if name == "self":
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            name, has_star = f"*{name}", True
        elif parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            has_star = True
            yield "*"
        kind = parameter.annotation
        typed = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        yield f"{name}: {typed}{default}"


def _markdown(value: Any) -> Iterator[str]:
    """Yield a docstring in Google's style as Markdown."""
    for block in re.split(r"\n(?=\S+:\n)|\n\n", inspect.getdoc(value) or ""):
        first, _, rest = block.partition("\n")
        if _SECTION.match(first):
            section = first.rstrip(":")
            text = inspect.cleandoc("\n" + rest)
            if section == "Example":
                yield from ("```pycon", text, "```", "")
            else:
                told = [text] if section == "Returns" else _items(text)
                yield from (f"**{section}**", "", *told, "")
        else:
            yield from (block, "")


def _items(text: str) -> Iterator[str]:
    """Yield the `name: text` pairs as a list."""
    for item in re.split(r"\n(?=\S)", text):
        joined = " ".join(line.strip() for line in item.splitlines())
        named = _NAMED.match(joined)
        if named is not None:
            names = ", ".join(f"`{name}`" for name in named[1].split(", "))
            yield f"- {names}: {named[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"built {PAGE.name}")
