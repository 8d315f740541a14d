"""Record the forwards and the backwards of code that does not know hookviz, as it runs."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Any

from hookviz._live.forward.watch import LiveForward, watching
from hookviz._live.graph.walk import nodes_behind
from hookviz._live.internals import EngineFunction, put_engine_function
from hookviz._live.recording.run import is_recording
from hookviz._live.unmodified.call import BackwardCall, Calls, NotRecorded, reason_for
from hookviz._live.unmodified.caller import Caller, caller_in, calling_frame, variables_seen_from
from hookviz._live.user.printed import printed
from hookviz._live.user.tracebacks import without_hookviz

CALLS = 3
"""How many calls of backward are recorded by default."""

MOST_CALLS = 50
"""How many can be asked for: each one keeps its graph, and makes a page heavier."""

LATEST_CALLS = 64
"""Of how many functions at each depth the variables are kept: enough for a net of many layers, and
few for a loop that runs it again and again without a backward."""


class UnmodifiedCode:
    """The recording of a cell or script, from `start` to `stop` in one thread.

    It stands between `torch.autograd.backward` and the engine. Only calls of the thread that
    started it, and of threads that were started since, are recorded; those of other threads pass
    through. So do calls of `torch.autograd.grad`, and those that PyTorch makes itself.

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
        """Take the way in which a call is recorded.

        Args:
            record: Makes the call and returns its recording. A `HookvizError` says that it cannot,
                before it has called anything.
            discard: Closes a recording that nobody will get.
            limit: How many calls to record; the others run plainly and are counted.
        """
        self._record = record
        self._discard = discard
        self._left = limit
        self._calls = Calls()
        self._engine: EngineFunction = put_engine_function()
        self._stand_in = self._engine
        self._is_on = False
        self._is_busy = False
        self._lock = threading.Lock()
        self._thread = 0
        self._others: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
        self._forward: LiveForward | None = None
        self._watch = ExitStack()

    def start(self) -> None:
        """Begin to record."""
        here = threading.current_thread()
        self._thread = threading.get_ident()
        self._others.update(thread for thread in threading.enumerate() if thread is not here)
        self._stand_in = self._run_engine
        self._is_on = True
        self._engine = put_engine_function(self._stand_in)
        self._forward = self._watch.enter_context(watching(most_calls=LATEST_CALLS))

    def stop(self) -> Calls:
        """Put the engine's function back, and return the calls of backward."""
        self._end_watch()
        self._is_on = False
        if put_engine_function() is self._stand_in:
            # Else another function stands in front of it now, and calls it: it passes all calls on.
            put_engine_function(self._engine)
        # Where the code itself had put another stream in place of standard output when the watch
        # ended, hookviz's own came back with the code's end of that.
        with printed(echo=True):
            pass
        return self._calls

    def _end_watch(self) -> None:
        self._watch.close()
        self._forward = None  # it keeps tensors

    def _run_engine(self, roots: Any, *arguments: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        frame = None
        if self._is_on and keywords.get("accumulate_grad") and not is_recording():
            frame = calling_frame(sys._getframe(1))
        if frame is None or not self._has_turn(frame):
            return self._engine(roots, *arguments, **keywords)
        call: BackwardCall | None = None
        caller = caller_in(frame)
        try:
            seen = variables_seen_from(frame)
            call = BackwardCall(self._engine, roots, arguments, keywords, seen)
            self._keep(caller, call)
        except BaseException as error:
            self._calls.not_recorded.append(NotRecorded(caller, reason_for(error)))
            # A fault of hookviz must never reach the user's code.
            if not isinstance(error, Exception) and (call is None or error is not call.error):
                raise
        finally:
            self._is_busy = False
            # A watch ends in the thread in which it began.
            if not self._left and threading.get_ident() == self._thread:
                self._end_watch()
        if call is None or not call.is_made:
            return self._engine(roots, *arguments, **keywords)
        if call.error is not None:
            raise call.error.with_traceback(without_hookviz(call.error.__traceback__))
        return call.result

    def _has_turn(self, frame: FrameType) -> bool:
        """Return whether a call is to be recorded; count it if it will not be."""
        if threading.current_thread() in self._others:
            return False
        with self._lock:
            if not self._left:
                self._calls.further += 1
                return False
            self._left -= 1
            if self._is_busy:
                # Two threads may share nodes, and then one would record the work of the other.
                reason = "another thread was in a backward() that was being recorded."
                self._calls.not_recorded.append(NotRecorded(caller_in(frame), reason))
                return False
            self._is_busy = True
            return True

    def _keep(self, caller: Caller, call: BackwardCall) -> None:
        """Make a call, and keep its recording."""
        recording = self._record(call)
        if self._forward is not None and not call.options.retain_graph:
            # In a loop the same variables come again, and those of before would stand beside them.
            self._forward.names.forget(nodes_behind(call.root))
        if self._is_on:
            self._calls.recorded.append((caller, recording))
        else:
            self._discard(recording)  # of a thread that has outlived the code that started it
