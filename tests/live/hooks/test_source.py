"""The source of a hook is found where it stands, or nothing is shown."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path

import pytest
import torch

import hookviz
from hookviz._live.hooks.source import find_source
from tests.live import hook_samples as samples


@pytest.mark.parametrize(
    ("hook", "text"),
    [
        (samples.pair[0], "lambda grad: grad * 2"),
        (samples.pair[1], "lambda grad: grad + 2"),
        (samples.twins[0], "lambda grad: grad * 3"),
        (samples.nested, "lambda grad: (lambda inner: inner + 1)(grad)"),
        (samples.within(2)[1], "lambda grad: grad / factor"),
    ],
)
def test_each_lambda_on_a_line_is_told_from_the_others(hook: samples.Hook, text: str) -> None:
    found = find_source(hook)
    assert found.text == text
    assert found.label == text
    assert found.location.startswith("hook_samples.py:")


@pytest.mark.parametrize(
    ("hook", "label", "first_line"),
    [
        (samples.plain, "plain", "def plain(grad: float) -> float:"),
        (samples.within(2)[0], "scaled", "def scaled(grad: float) -> float:"),
        (samples.decorated, "decorated", "@functools.lru_cache"),
        (samples.Scaler(), "Scaler", "def __call__(self, grad: float) -> float:"),
        (samples.Scaler().method, "Scaler.method", "def method(self, grad: float) -> float:"),
    ],
)
def test_functions_methods_and_objects_show_the_text_behind_them(
    hook: samples.Hook, label: str, first_line: str
) -> None:
    found = find_source(hook)
    assert found.label == label
    assert found.text.splitlines()[0] == first_line


def test_a_partial_is_named_after_its_function() -> None:
    found = find_source(samples.wrapped_in_partial)
    assert found.label == "partial(<lambda>)"
    assert found.text == "lambda factor, grad: grad * factor"


@pytest.mark.parametrize(("hook", "label"), [(print, "print"), (5, "int"), (abs, "abs")])
def test_what_has_no_python_source_still_has_a_label(hook: object, label: str) -> None:
    found = find_source(hook)  # type: ignore[arg-type]
    assert (found.label, found.text) == (label, "")


def test_text_that_was_edited_since_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "edited.py"
    path.write_text("hook = lambda grad: grad * 2\n")
    scope: dict[str, samples.Hook] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert find_source(scope["hook"]).text == "lambda grad: grad * 2"
    path.write_text("hook = lambda grad: grad * 200 + 5\n")
    linecache.clearcache()
    assert find_source(scope["hook"]).text == ""


def test_a_loop_of_wrapped_functions_ends() -> None:
    class Loop:
        def __call__(self, grad: float) -> float:
            return grad

    loop = Loop()
    loop.__wrapped__ = loop  # type: ignore[attr-defined]
    assert find_source(loop).label == "Loop"


@pytest.mark.parametrize(
    ("hook", "start"),
    [
        (samples.counting(), "def counted(grad: float) -> float:\n    nonlocal calls"),
        (samples.Derived().hook(), "lambda grad: super(Derived, self)"),
        (samples.Derived().hook_with_class(), "def scaled(grad: float)"),
        (samples.with_lambda_default, "lambda grad, change=(lambda inner: inner + 1)"),
    ],
)
def test_a_hook_that_lives_on_variables_around_it_is_found(hook: samples.Hook, start: str) -> None:
    assert find_source(hook).text.startswith(start)


def test_hooks_of_pytorch_itself_are_told() -> None:
    a, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    torch.autograd.graph.register_multi_grad_hook([a, b], lambda grads: None)
    trace = hookviz.record((a * b).sum())
    assert [event.tensor for event in trace.events if event.kind == "tensor_hook"] == ["a", "b"]


def test_a_hook_that_calls_what_its_file_imports_has_its_source(tmp_path: Path) -> None:
    path = tmp_path / "imports.py"
    path.write_text("import math\nhook = lambda grad: math.floor(grad)\n")
    scope: dict[str, samples.Hook] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert find_source(scope["hook"]).text == "lambda grad: math.floor(grad)"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="code has no columns")
def test_two_lambdas_of_one_code_have_each_its_own_text(tmp_path: Path) -> None:
    file = tmp_path / "spaces.py"
    file.write_text("pair = (lambda g: g*2, lambda g: g * 2)\n")
    names: dict[str, tuple[samples.Hook, samples.Hook]] = {}
    exec(compile(file.read_text(), file, "exec"), names)
    assert [find_source(hook).text for hook in names["pair"]] == [
        "lambda g: g*2",
        "lambda g: g * 2",
    ]


def test_a_function_is_shown_whole_where_a_line_holds_a_form_feed(tmp_path: Path) -> None:
    file = tmp_path / "feed.py"
    text = "def hook(grad):\n    note = 'a\x0cb'\n    return grad, note"
    file.write_text(f"first = 'x\x0cy'\n\n{text}\n")
    names: dict[str, samples.Hook] = {}
    exec(compile(file.read_text(), file, "exec"), names)
    assert find_source(names["hook"]).text == text


class Lazy:
    """Looks attributes up in what is not there yet, as proxies of settings do."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("not configured")

    def __call__(self, grad: float) -> float:
        return grad


def test_an_object_whose_attributes_cannot_be_asked_for_is_shown_by_its_type() -> None:
    assert find_source(Lazy()).label == "Lazy"
    a = torch.tensor(2.0, requires_grad=True)
    a.register_hook(Lazy())
    explorer = hookviz.explore(a * 3, names={"a": a})
    explorer.attach("a", Lazy())  # type: ignore[arg-type]
    explorer.edit("h0", "lambda grad: grad * 2")
    assert a.grad == 6.0
    assert "Lazy has no source of its own" in explorer.as_code()
