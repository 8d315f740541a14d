"""The forms in which people write a hook, and the shapes of tensors they put it on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
import torch

Function = Callable[[Any], Any]

SHAPES = [(), (3,), (2, 3), (2, 1, 3), (10, 10)]
"""A number, a vector, a matrix, three dimensions, and more elements than are kept whole."""

of_any_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


class _Scaler:
    def __init__(self, function: Function) -> None:
        self.function = function

    def __call__(self, grad: Any) -> Any:
        return self.function(grad)

    def method(self, grad: Any) -> Any:
        return self.function(grad)

    @classmethod
    def of_class(cls, function: Function, grad: Any) -> Any:
        return function(grad)


def _as_lambda(function: Function) -> Any:
    return lambda grad: function(grad)


def _as_def(function: Function) -> Any:
    def hook(grad):
        return function(grad)

    return hook


def _as_wrapped(function: Function) -> Any:
    @functools.wraps(function)
    def hook(*args, **kwargs):
        return function(*args, **kwargs)

    return hook


FORMS: dict[str, Callable[[Function], Any]] = {
    "lambda": _as_lambda,
    "def": _as_def,
    "decorated": _as_wrapped,
    "partial": lambda function: functools.partial(_Scaler.of_class, function),
    "method": lambda function: _Scaler(function).method,
    "object": _Scaler,
}

in_any_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)

_KINDS = {
    f"{name} {shape}": (shape, form)
    for (name, form), shape in zip(FORMS.items(), [*SHAPES, SHAPES[-1]], strict=True)
}

of_any_kind = pytest.mark.parametrize(("shape", "form"), _KINDS.values(), ids=_KINDS)
"""Every form and every shape at least once; not each with each, which would say no more."""


def each_with_a_form(names: str, cases: dict[str, Any]) -> pytest.MarkDecorator:
    """Parametrize a test by cases, each in one form; `names` ends with the argument `form`."""
    rows = {}
    for (case, values), (form, wrap) in zip(cases.items(), cycle(FORMS.items()), strict=False):
        row = values if isinstance(values, tuple) else (values,)
        rows[f"{case}, {form}"] = (*row, wrap)
    return pytest.mark.parametrize(names, rows.values(), ids=rows)


def filled(shape: tuple[int, ...], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Return a leaf with the numbers 1, 2, 3, ... in it."""
    count = torch.Size(shape).numel()
    data = torch.arange(1, count + 1, dtype=torch.float64).reshape(shape).to(dtype)
    return data.requires_grad_()


say = print
"""What a hook prints is compared line by line, so it is how the hooks of these tests speak."""
