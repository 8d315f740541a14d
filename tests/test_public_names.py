"""The names that users type: which there are, what they say, and what can be copied."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
import typing
from importlib.metadata import version
from typing import Any

import pytest
import torch

import hookviz
from hookviz._records import EVENT_CLASSES
from tests.live.scripts import second_example

FUNCTIONS = ("capture", "explore", "record", "watch")
RETURNED = ("Explorer", "Trace", "Graph", "Forward", "Verdict")
RECORDS = ("Argument", "ErrorRecord", "HookKind", "HookRecord", "TensorSnapshot", "TensorSummary")
EVENTS = ("Event", "GradEvent", "HookEvent", *(kind.__name__ for kind in EVENT_CLASSES.values()))
ERRORS = tuple(
    name
    for name, value in vars(hookviz.errors).items()
    if isinstance(value, type) and issubclass(value, hookviz.HookvizError | Warning)
)


def test_dir_shows_the_names_that_users_type_and_no_others() -> None:
    expected = {*FUNCTIONS, *RETURNED, *RECORDS, *EVENTS, *ERRORS, "__version__"}
    assert set(dir(hookviz)) == expected == set(hookviz.__all__)
    for name in expected:
        assert getattr(hookviz, name) is not None


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'tensors'"):
        hookviz.tensors  # noqa: B018
    assert not hasattr(hookviz, "Any_thing")


def test_every_name_says_that_it_is_of_hookviz() -> None:
    named = {name: getattr(hookviz, name) for name in hookviz.__all__}
    classes = {name: value for name, value in named.items() if isinstance(value, type)}
    assert {value.__module__ for value in (*classes.values(), hookviz.record)} == {"hookviz"}
    assert {name: repr(value) for name, value in classes.items()} == {
        name: f"<class 'hookviz.{name}'>" for name in classes
    }


def test_the_version_is_that_of_the_installed_package() -> None:
    assert hookviz.__version__ == version("hookviz")


def test_types_of_every_record_can_be_resolved() -> None:
    # Decoding JSON looks the types up in the module that a class names.
    for name in (*RECORDS, *EVENTS):
        value = getattr(hookviz, name)
        if isinstance(value, type):
            assert typing.get_type_hints(value)


def test_the_explorer_is_loaded_when_it_is_asked_for() -> None:
    program = (
        "import sys, hookviz; dir(hookviz); hookviz.__version__; assert 'anywidget' not in "
        "sys.modules; assert hookviz.Explorer.__module__ == 'hookviz'; import anywidget"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def copies(value: Any) -> list[Any]:
    return [pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)]


def test_a_trace_and_all_that_it_holds_can_be_copied() -> None:
    tensors = second_example()
    trace = hookviz.record(tensors["e"], names=tensors)
    hook = next(event.hook for event in trace.events if event.hook is not None)
    for value in (trace, trace.graph, trace.events, trace.of("c"), *trace.events, hook):
        for other in copies(value):
            assert other == value
            assert type(other) is type(value)
            assert repr(other) == repr(value)
    again = pickle.loads(pickle.dumps(trace))
    assert again.text() == trace.text()
    assert again.events._repr_html_() == trace.events._repr_html_()
    with pytest.raises(hookviz.UnknownTargetError, match="by their names only: e, c, d, a, b"):
        again.grad(tensors["c"])


def test_an_error_of_every_kind_can_be_copied() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    explorer = hookviz.explore(x * 3)
    found: list[BaseException] = []
    for hook in ("lambda", "lambda g: 1 / 0"):
        with pytest.raises(hookviz.HookvizError) as caught:
            explorer.attach("x", hook)
        found.append(caught.value)
    plain = [getattr(hookviz, name) for name in ERRORS]
    found += [kind("why") for kind in plain if "__init__" not in vars(kind)]
    found.append(hookviz.AnswerError("two"))
    assert len({type(error) for error in found}) == len(ERRORS)
    for error in found:
        for other in copies(error):
            assert type(other) is type(error)
            assert str(other) == str(error)
            assert repr(vars(other)) == repr(vars(error))


@pytest.mark.parametrize("name", [*FUNCTIONS, *RETURNED, *ERRORS, *EVENTS])
def test_every_name_has_a_docstring_of_its_own(name: str) -> None:
    value = getattr(hookviz, name)
    assert value.__doc__
    assert "`Session" not in value.__doc__
    if inspect.isclass(value):
        bases = [base.__doc__ for base in value.__mro__[1:] if base is not object]
        assert value.__doc__ not in bases
