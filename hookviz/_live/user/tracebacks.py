"""Take hookviz out of tracebacks, so that users see their own code and PyTorch."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

import torch

from hookviz._live.user.storable import storable


def without_hookviz(traceback: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of hookviz in it."""
    kept = []
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        if name != "hookviz" and not str(name).startswith("hookviz."):
            kept.append(traceback)
        traceback = traceback.tb_next
    chain: TracebackType | None = None
    for entry in reversed(kept):
        chain = TracebackType(chain, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return chain


def hide_hookviz(error: BaseException) -> None:
    """Take hookviz out of the traceback of an error, and of all that it is chained to."""
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        one.__traceback__ = without_hookviz(one.__traceback__)
        linked = (one.__cause__, one.__context__, *getattr(one, "exceptions", ()))
        waiting.extend(other for other in linked if isinstance(other, BaseException))


def user_traceback(error: BaseException) -> str:
    """Return the lines of the traceback that are neither in hookviz nor in PyTorch."""
    ours = (str(Path(__file__).parents[2]), str(Path(torch.__file__).parent))
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(ours)
    ]
    return storable("".join(traceback.format_list(frames)).rstrip())
