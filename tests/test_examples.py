"""Every example in a docstring runs and shows what it says; every public method has one."""

from __future__ import annotations

import builtins
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import hookviz

CLASSES = ("Explorer", "Trace", "Graph", "Forward", "TensorSnapshot")
FUNCTIONS = ("capture", "explore", "record", "watch")


@pytest.fixture(autouse=True)
def no_last_value() -> Iterator[None]:
    """Take away the `_` of doctest: IPython makes none of its own where Python has one."""
    yield
    vars(builtins).pop("_", None)


def public_classes() -> Iterator[type]:
    """Yield each class that users meet, and those of its bases that are hookviz's own."""
    found: dict[type, None] = {}
    for value in (getattr(hookviz, name) for name in hookviz.__all__):
        if inspect.isclass(value):
            ours = (base for base in value.__mro__ if "hookviz" in base.__module__)
            found.update(dict.fromkeys(ours))
    yield from found


def examples() -> Iterator[doctest.DocTest]:
    """Yield every docstring of the package that has examples."""
    finder = doctest.DocTestFinder()
    for value in (*public_classes(), *(getattr(hookviz, name) for name in FUNCTIONS)):
        # Their `__module__` is not the file they stand in, so it is not asked.
        yield from finder.find(value, value.__qualname__, module=False)  # type: ignore[arg-type]
    yield from finder.find(hookviz, "hookviz", module=hookviz)
    for info in pkgutil.walk_packages(hookviz.__path__, "hookviz."):
        if info.name != "hookviz.__main__":
            module = importlib.import_module(info.name)
            yield from finder.find(module, info.name, module=module)


def by_name() -> dict[str, doctest.DocTest]:
    found: dict[str, doctest.DocTest] = {}
    for test in examples():
        if test.examples and all(test.docstring != other.docstring for other in found.values()):
            found[test.name] = test
    return found


def of_the_explorer() -> dict[str, Any]:
    """Return the names that the example of `Explorer` makes, for those of its methods."""
    a, b, d = (torch.tensor(x, requires_grad=True) for x in (2.0, 3.0, 4.0))
    c = a * b
    e = c * d
    e.register_hook(lambda grad: grad * 2)
    names = {"a": a, "b": b, "c": c, "d": d, "e": e}
    return {**names, "explorer": hookviz.explore(e, names=names)}


EXAMPLES = by_name()


def test_the_examples_are_found() -> None:
    assert {"hookviz", "record", "Trace.grad", "Stepping.next", "Explorer.attach"} <= set(EXAMPLES)
    assert "TensorSnapshot.numpy" in EXAMPLES


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_shows_what_it_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    test = EXAMPLES[name]
    own = {} if name == "Explorer" else of_the_explorer()
    test.globs = {**vars(hookviz), **test.globs, "torch": torch, "hookviz": hookviz, **own}
    said: list[str] = []
    failed, _ = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
    assert not failed, "".join(said)


def methods() -> Iterator[tuple[str, Any]]:
    for name in CLASSES:
        cls = getattr(hookviz, name)
        for base in cls.__mro__:
            if "hookviz" not in base.__module__:
                continue
            for attribute, value in vars(base).items():
                if not attribute.startswith("_") and (
                    inspect.isfunction(value) or isinstance(value, classmethod)
                ):
                    yield f"{name}.{attribute}", getattr(cls, attribute)


METHODS = {
    **dict(methods()),
    **{name: getattr(hookviz, name) for name in FUNCTIONS},
}


@pytest.mark.parametrize("name", METHODS)
def test_a_learner_reads_what_a_method_takes_gives_and_raises(name: str) -> None:
    method = METHODS[name]
    text = inspect.getdoc(method) or ""
    assert "Example:\n" in text, "an example"
    assert "See `" not in text
    arguments = text.partition("\nArgs:\n")[2].partition("\n\n")[0]
    for parameter in inspect.signature(method).parameters:
        if parameter != "self":
            assert f"    {parameter}: " in arguments, f"what {parameter} is"
