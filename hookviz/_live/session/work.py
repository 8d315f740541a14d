"""Tell whether a session runs forward or backward now, and interrupt that."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hookviz.errors import HookvizError


class Work:
    """The work of one session: at most one pass at a time, in whichever thread asked for it."""

    def __init__(self) -> None:
        self._thread: int | None = None

    @contextmanager
    def begun(self) -> Iterator[None]:
        """Count the block as work.

        Raises:
            HookvizError: If the session is at work already.
        """
        self.check_idle()
        self._thread = threading.get_ident()
        try:
            yield
        finally:
            self._thread = None

    def check_idle(self) -> None:
        """Refuse what a hook or a forward must not do to the session that runs it.

        Raises:
            HookvizError: If the session is at work.
        """
        if self._thread is not None:
            raise HookvizError(
                "forward or backward is running, and this was called from inside it (by a hook, "
                "say). Change hooks, or close, when it has finished."
            )

    def interrupt(self) -> None:
        """Raise a `KeyboardInterrupt` in the thread that is at work, if one is.

        A click is served by a thread of the kernel's own, which the interrupt button of a notebook
        does not reach; this does, from a cell. A hook that waits inside compiled code goes on
        until it comes back.
        """
        thread = self._thread
        if thread is not None:
            interrupt = ctypes.c_long(thread), ctypes.py_object(KeyboardInterrupt)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(*interrupt)
