"""Catch the output of user code while backward runs."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from hookviz._live.user.storable import storable


class Printed:
    """The output of one thread while it was listened to.

    Args:
        echo: Whether the text also goes on to where it would have gone.
    """

    def __init__(self, *, echo: bool) -> None:
        self.echo = echo
        self._parts: list[str] = []

    def hear(self, text: str) -> None:
        """Keep a text."""
        self._parts.append(storable(text))

    def take(self) -> str:
        """Return the output since the last call."""
        if not self._parts:
            return ""
        text = "".join(self._parts)
        self._parts.clear()
        return text


_lock = threading.Lock()


class _StandIn:
    """Stand in for one `sys.stdout` while any thread is listened to; one for all threads.

    With one stand-in each, two threads that record at the same time would put back each other's.
    A stream that user code puts in front of it (`redirect_stdout` does) gets a stand-in of its own.
    Everything but writing is left to the stream underneath: its encoding, its `isatty`, ...
    """

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._listeners: dict[int, list[Printed]] = {}

    @classmethod
    def start(cls, listener: Printed) -> _StandIn:
        """Have a listener hear this thread from now on."""
        with _lock:
            standing: Any = sys.stdout
            if not isinstance(standing, cls):
                standing = cls(standing)
                sys.stdout = standing
            standing._listeners.setdefault(threading.get_ident(), []).append(listener)
            return cast(_StandIn, standing)

    def stop(self, listener: Printed) -> None:
        """Take a listener off, and the stand-in with the last one."""
        with _lock:
            stack = self._listeners[threading.get_ident()]
            stack.remove(listener)
            if not stack:
                del self._listeners[threading.get_ident()]
            # User code may have put a stream of its own there meanwhile; that one stays.
            if not self._listeners and cast(Any, sys.stdout) is self:
                sys.stdout = self._target

    def write(self, text: str) -> int:
        """Let the thread's listeners hear the text, the innermost first; others print as ever."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        for listener in reversed(self._listeners.get(threading.get_ident(), ())):
            listener.hear(text)
            if not listener.echo:
                return len(text)
        return self._target.write(text)

    def flush(self) -> None:
        """Flush the stream underneath."""
        self._target.flush()

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each of the texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


@contextmanager
def printed(*, echo: bool) -> Iterator[Printed]:
    """Listen to the output of this thread within the block, and leave `sys.stdout` as it was."""
    listener = Printed(echo=echo)
    stand_in = _StandIn.start(listener)
    try:
        yield listener
    finally:
        stand_in.stop(listener)
