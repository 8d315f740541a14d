"""Follow the lines of the user's code, to know which line makes which nodes."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from hookviz._live import internals
from hookviz._live.forward.book import CodePlace
from hookviz._live.user.code import forget_snapshot, is_users, users_frame

_DYNAMO_FILE = str(Path(torch.__file__).parent.joinpath("_dynamo", "eval_frame.py"))
"""Through the functions of this file compiled code is entered."""

Trace = Callable[[FrameType, str, Any], Any]


class Marks:
    """From which node on, counted as this thread makes them, which line is at work."""

    __slots__ = ("_numbers", "_places")

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._places: list[CodePlace | None] = []

    def note(self, place: CodePlace | None) -> None:
        """Note that nodes made from now on belong to a line."""
        number = internals.sequence_number()
        if self._numbers and self._numbers[-1] == number:
            self._places[-1] = place  # no node was made since: the line before made none
        else:
            self._numbers.append(number)
            self._places.append(place)

    def place_of(self, number: int) -> CodePlace | None:
        """Return the line that made the node with a number, where known."""
        index = bisect_right(self._numbers, number) - 1
        return self._places[index] if index >= 0 else None


class LineTracer:
    """Follow the user's lines in one thread by `sys.settrace`.

    Where another tracer is at work already (a debugger, a coverage tool) it stays, and no lines
    are known.
    """

    def __init__(
        self, returned: Callable[[FrameType], None], forward_entered: Callable[[FrameType], None]
    ) -> None:
        """Make a tracer that is not at work yet.

        Args:
            returned: Is told when a function of the user's ends.
            forward_entered: Is told when any function with the name `forward` begins.
        """
        self.marks = Marks()
        self._returned = returned
        self._forward_entered = forward_entered
        self._local: Trace | None = None
        self._global: Trace | None = None
        self._until_end: Trace | None = None
        self._compiled: FrameType | None = None

    @property
    def is_at_work(self) -> bool:
        """Whether lines are followed now; a debugger that was started meanwhile ends that."""
        return self._global is not None and sys.gettrace() is self._global

    @contextmanager
    def following(self, frame: FrameType | None) -> Iterator[None]:
        """Follow the lines of a frame that is running, and of all that begin within the block."""
        before = sys.gettrace()
        if before is not None:
            yield
            return
        # Bound once, so that no new method object is made for each event.
        self._local, self._global = self._on_line, self._on_call
        self._until_end = self._on_end_of_compiled
        trace_before = None if frame is None else frame.f_trace
        try:
            if frame is not None:
                self.marks.note(_place(frame))
                frame.f_trace = self._local
            sys.settrace(self._global)
            yield
        finally:
            if sys.gettrace() is self._global:
                sys.settrace(None)
            if frame is not None and frame.f_trace is self._local:
                frame.f_trace = trace_before
            if frame is not None:
                forget_snapshot(frame)
            self._local = self._global = self._until_end = self._compiled = None

    def _on_call(self, frame: FrameType, event: str, _: Any) -> Trace | None:
        if self._compiled is not None and internals.is_inside_compiled():
            # The compiler follows every function that is called now, ours as well. This one it
            # leaves alone as long as it touches no tensor.
            return None
        if frame.f_code.co_filename == _DYNAMO_FILE:
            if self._compiled is not None:
                return None
            self._compiled = frame
            return self._until_end
        if frame.f_code.co_name == "forward":
            self._forward_entered(frame)
        if not is_users(frame.f_code):
            return None
        self.marks.note(_place(frame))
        return self._local

    def _on_end_of_compiled(self, frame: FrameType, event: str, _: Any) -> Trace | None:
        if event == "return" and frame is self._compiled:
            self._compiled = None
        return self._until_end

    def _on_line(self, frame: FrameType, event: str, _: Any) -> Trace | None:
        if event == "line":
            self.marks.note(_place(frame))
        elif event == "return":
            self._returned(frame)
            caller = users_frame(frame.f_back)
            self.marks.note(None if caller is None else _place(caller))
        return self._local


def _place(frame: FrameType) -> CodePlace:
    return frame.f_code, frame.f_lineno or frame.f_code.co_firstlineno
