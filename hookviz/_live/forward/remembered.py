"""Remember the watched blocks of this process for a while, as plain data."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from hookviz._live.forward.log import ForwardLog

MOST = 8
"""How many finished blocks are remembered."""

_finished: deque[ForwardLog] = deque(maxlen=MOST)
_open: list[ForwardLog] = []


class _Thread(threading.local):
    def __init__(self) -> None:
        # The numbers of nodes are counted thread by thread, and the number of a thread is given
        # again when it has ended; this object is its own.
        self.token = object()


_thread = _Thread()


def thread_token() -> object:
    """Return an object that stands for this thread and no other, past or to come."""
    return _thread.token


@contextmanager
def remembered(log: ForwardLog) -> Iterator[None]:
    """Remember a block while it runs, and for a while afterwards."""
    _open.append(log)
    try:
        yield
    finally:
        _open.remove(log)
        if log.book.calls or log.end != log.begin:
            _finished.append(log)


def seen_in_this_thread() -> tuple[ForwardLog, ...]:
    """Return the blocks that this thread has run or is running, the oldest first."""
    token = _thread.token
    return tuple(log for log in (*_finished, *_open) if log.thread is token)
