"""Record what unmodified code does, from one call to another: its forwards and its backwards."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from hookviz._live.forward.watch import LiveForward, watching
from hookviz._live.graph.walk import nodes_behind
from hookviz._live.unmodified.interception import CALLS, BackwardCall, Calls, Interception
from hookviz._live.user.printed import printed

LATEST_CALLS = 64
"""Of how many functions at each depth the variables are kept: enough for a net of many layers, and
few for a loop that runs it again and again without a backward."""


class UnmodifiedCode:
    """What is recorded between `start` and `stop`, in the thread that calls both.

    Modules and lines are watched until as many calls of backward are recorded as were asked for:
    from then on the code runs as fast as without hookviz.
    """

    def __init__(
        self,
        record: Callable[[BackwardCall], Any],
        *,
        discard: Callable[[Any], object] = lambda _: None,
        limit: int = CALLS,
    ) -> None:
        """Prepare; see `Interception` for the arguments."""
        self._record = record
        self._interception = Interception(
            self._recorded, discard=discard, limit=limit, when_full=self._watch_no_more
        )
        self._forward: LiveForward | None = None
        self._watch = ExitStack()
        self._thread = 0

    def start(self) -> None:
        """Begin to record."""
        self._thread = threading.get_ident()
        self._interception.start()
        self._forward = self._watch.enter_context(watching(most_calls=LATEST_CALLS))

    def stop(self) -> Calls:
        """End it, and return the calls of backward."""
        self._end_watch()
        calls = self._interception.stop()
        # Where the code itself had put another stream in place of standard output when the watch
        # ended, hookviz's own came back with the code's end of that.
        with printed(echo=True):
            pass
        return calls

    def _watch_no_more(self) -> None:
        # A watch ends in the thread in which it began.
        if threading.get_ident() == self._thread:
            self._end_watch()

    def _end_watch(self) -> None:
        self._watch.close()
        self._forward = None  # it keeps tensors

    def _recorded(self, call: BackwardCall) -> Any:
        recording = self._record(call)
        if self._forward is not None and not call.options.retain_graph:
            # In a loop the same variables come again, and those of before would stand beside them.
            self._forward.names.forget(nodes_behind(call.root))
        return recording
