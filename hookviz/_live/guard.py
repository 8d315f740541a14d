"""Keep a fault of the recorder from ending the user's backward."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from hookviz.errors import RecordingWarning

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def guarded(callback: Callable[Parameters, Result]) -> Callable[Parameters, Result | None]:
    """Turn an exception of hookviz's own into a warning; the engine must never see it.

    Args:
        callback: Runs inside the engine and calls no code of the user's.
    """

    @functools.wraps(callback)
    def safely(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result | None:
        try:
            return callback(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours
            warn_of(error)
            return None

    return safely


def warn_of(error: Exception) -> None:
    """Say that a step was not recorded; called where an exception would reach the engine."""
    warnings.warn(
        f"hookviz could not record a step ({type(error).__name__}: {error}); "
        "your gradients are not affected. Please report this.",
        RecordingWarning,
        stacklevel=3,
    )
