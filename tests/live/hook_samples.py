"""Hooks in awkward places, for `test_source.py`; keep the lambdas on their lines."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]

pair = (lambda grad: grad * 2, lambda grad: grad + 2)
twins = (lambda grad: grad * 3, lambda grad: grad * 3)
nested = lambda grad: (lambda inner: inner + 1)(grad)  # noqa: E731


def within(factor: float) -> tuple[Hook, Hook]:
    def scaled(grad: float) -> float:
        """Scale by a variable of the function around it."""
        return grad * factor

    return scaled, lambda grad: grad / factor


def plain(grad: float) -> float:
    return grad


@functools.lru_cache
def decorated(grad: float) -> float:
    return grad + 1


class Scaler:
    def __call__(self, grad: float) -> float:
        return grad * 7

    def method(self, grad: float) -> float:
        return grad * 8


wrapped_in_partial = functools.partial(lambda factor, grad: grad * factor, 2)


def counting() -> Hook:
    calls = 0

    def counted(grad: float) -> float:
        nonlocal calls
        calls += 1
        return grad * calls

    return counted


class Base:
    def scale(self, grad: float) -> float:
        return grad


class Derived(Base):
    def hook(self) -> Hook:
        return lambda grad: super(Derived, self).scale(grad)

    def hook_with_class(self) -> Hook:
        def scaled(grad: float) -> float:
            return super(__class__, self).scale(grad)  # type: ignore[name-defined,no-any-return]

        return scaled


with_lambda_default = lambda grad, change=(lambda inner: inner + 1): change(grad)  # noqa: E731
