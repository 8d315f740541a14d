"""Catch what user code writes to standard output while backward runs."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Printed(io.TextIOBase):
    """A stand-in for `sys.stdout` that keeps what one thread writes and passes it on.

    Args:
        target: The stream that was there before.
        echo: Whether to pass the text on to it, as plain PyTorch would.
    """

    def __init__(self, target: TextIO, *, echo: bool) -> None:
        super().__init__()
        self._target = target
        self._echo = echo
        self._thread = threading.get_ident()
        self._parts: list[str] = []

    def write(self, text: str) -> int:
        """Keep the text if it comes from the recorded thread; other threads print as ever."""
        if threading.get_ident() != self._thread:
            return self._target.write(text)
        self._parts.append(str(text))
        if self._echo:
            self._target.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream underneath."""
        self._target.flush()

    def take(self) -> str:
        """Return what was written since the last call."""
        text = "".join(self._parts)
        self._parts.clear()
        return text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


@contextmanager
def printed(*, echo: bool) -> Iterator[Printed]:
    """Stand in for `sys.stdout` within the block, and leave it as it was."""
    before = sys.stdout
    stand_in = Printed(before, echo=echo)
    sys.stdout = stand_in
    try:
        yield stand_in
    finally:
        # User code may have put a stream of its own there meanwhile; that one stays.
        if sys.stdout is stand_in:
            sys.stdout = before
