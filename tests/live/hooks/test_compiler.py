"""Hook text is compiled in the user's namespace, or refused with what was expected."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from hookviz._live.hooks.compiler import check_callable, compile_hook
from hookviz.errors import HookSourceError


def test_a_lambda_reads_the_users_variables_as_they_are_when_it_runs() -> None:
    variables = {"factor": 2}
    hook = compile_hook("lambda grad: grad * factor", [variables])
    assert hook(3) == 6
    variables["factor"] = 10
    assert hook(3) == 30


def test_names_are_looked_up_in_order() -> None:
    hook = compile_hook("lambda grad: grad + n", [{"n": 1}, {"n": 100}])
    assert hook(0) == 1


def test_a_def_with_an_import_leaves_the_users_variables_alone() -> None:
    variables: dict[str, Any] = {}
    hook = compile_hook(
        "import math\n\ndef scale(grad):\n    return math.floor(grad)\n", [variables]
    )
    assert hook(2.5) == 2
    assert variables == {}


@pytest.mark.parametrize(
    "text",
    [
        "  lambda grad: grad",
        "# double it\nlambda grad: (\n    grad\n)",
        "\n\n    def h(grad):\n        return grad\n",
        "abs",
        "def h(grad, scale=2):\n    return grad",
        "lambda *args: args[0]",
    ],
)
def test_indented_commented_and_named_hooks_are_accepted(text: str) -> None:
    assert compile_hook(text, [{}])(7) == 7


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("5", "of type int, which cannot be called"),
        ("x = 3", "defines no function"),
        ("lambda: 3", "one argument, the gradient"),
        ("lambda a, b: a", "one argument, the gradient"),
        ("nowhere", "NameError: name 'nowhere' is not defined"),
        ("async def f(grad): return grad", "async"),
        ("def f(grad): yield grad", "generator"),
        ("1 / 0", "ZeroDivisionError"),
        ("lambda grad: \0", "null"),
    ],
)
def test_what_is_no_hook_is_refused_with_an_example(text: str, words: str) -> None:
    with pytest.raises(HookSourceError, match=words) as caught:
        compile_hook(text, [{}])
    assert "lambda grad: grad * 2" in str(caught.value)


def test_a_syntax_error_shows_the_line_and_a_caret_under_the_place() -> None:
    with pytest.raises(HookSourceError) as caught:
        compile_hook("def h(grad):\n    return grad +* 2", [{}])
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("line 2: ")
    assert lines[1].strip() == "return grad +* 2"
    assert lines[2].index("^") == lines[1].index("*")
    assert (caught.value.line, caught.value.column) == (2, 18)


def test_the_text_can_be_read_back_by_inspect_and_tracebacks() -> None:
    hook = compile_hook("lambda grad: grad * 4", [{}], filename="<a test hook>")
    assert "grad * 4" in inspect.getsource(hook)


def test_a_number_is_refused_at_once_though_pytorch_would_accept_it() -> None:
    with pytest.raises(HookSourceError, match="cannot be called"):
        check_callable(5)
    check_callable(print)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "lambda grad: " + "1 + " * 25_000 + ")" + "+ 1" * 20_000,
        f"lambda {', '.join(f'a{n}' for n in range(20_000))}: 0",
    ],
)
def test_a_long_text_is_not_repeated_whole(text: str) -> None:
    with pytest.raises(HookSourceError) as caught:
        compile_hook(text, [])
    assert len(str(caught.value)) < 1000
    assert "…" in str(caught.value)
    assert all(len(value) < 1000 for value in caught.value.values.values())


def test_the_caret_stands_below_the_place_in_a_long_line_too() -> None:
    with pytest.raises(HookSourceError) as caught:
        compile_hook("lambda grad: " + "1 + " * 1000 + "1 ) + 1" + " + 1" * 1000, [])
    _, line, caret, *_ = str(caught.value).splitlines()
    assert line[caret.index("^")] == ")"
