"""Find the line of the user's code that called backward, and the variables that it sees."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from types import FrameType
from typing import Any

from msgspec import Struct

from hookviz._live.user.code import variables_of
from hookviz._live.user.names import Namespace

_ON_THE_WAY = ("torch._tensor", "torch.autograd", "torch.overrides", "hookviz")
"""Modules between the user's call and the engine."""

_SHELLS = ("IPython", "ipykernel", "hookviz", "runpy")
"""Modules that run the user's code; the frames above them are not the user's."""

MAX_FRAMES = 20


class Caller(Struct, frozen=True):
    """Where the user's code called backward.

    Attributes:
        file: As Python names it, which for a notebook cell is no file that exists.
        line: Number of the line, from 1.
        code: The text of the line without the blanks around it; empty where it cannot be read.
    """

    file: str
    line: int
    code: str


def calling_frame(frame: FrameType | None) -> FrameType | None:
    """Return the frame that called backward, or `None` if PyTorch itself did (a checkpoint does).

    Args:
        frame: The frame that was called in place of the engine.
    """
    while frame is not None and _is_in(frame, _ON_THE_WAY):
        frame = frame.f_back
    return None if frame is None or _is_in(frame, ("torch",)) else frame


def caller_in(frame: FrameType) -> Caller:
    """Describe the user's frame that is calling backward."""
    code, line = frame.f_code, frame.f_lineno
    return Caller(
        file=code.co_filename,
        line=line,
        code=linecache.getline(code.co_filename, line, frame.f_globals).strip(),
    )


def variables_seen_from(frame: FrameType) -> tuple[Namespace, ...]:
    """Return the variables of a function, of its callers, and its globals."""
    return tuple(_namespaces(frame))


def _namespaces(frame: FrameType) -> Iterator[Namespace]:
    module: dict[str, Any] = frame.f_globals
    current: FrameType | None = frame
    for _ in range(MAX_FRAMES):
        if current is None or _is_in(current, _SHELLS):
            break
        if current.f_locals is current.f_globals:
            # The top of the user's code: of a script or a cell, or of a module that is imported.
            if current.f_globals is not module:
                yield current.f_globals
            break
        if not _is_in(current, ("torch",)):
            yield variables_of(current)[0]
        current = current.f_back
    yield module


def _is_in(frame: FrameType, packages: tuple[str, ...]) -> bool:
    name = frame.f_globals.get("__name__")
    if not isinstance(name, str):
        return False
    return any(name == package or name.startswith(f"{package}.") for package in packages)
