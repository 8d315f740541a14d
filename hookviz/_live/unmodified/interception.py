"""Catch each `backward()` of code that knows nothing of hookviz, and record it as it runs."""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from hookviz._live import internals
from hookviz._live.recording.options import BackwardOptions, check_inputs
from hookviz._live.recording.run import is_recording
from hookviz._live.unmodified.caller import Caller, caller_in, calling_frame, variables_seen_from
from hookviz._live.user.names import Namespace
from hookviz._live.user.tracebacks import without_hookviz
from hookviz.errors import FreedGraphError, HookvizError

CALLS = 3
"""How many calls of backward are recorded, if nothing else was said."""

MOST_CALLS = 50
"""How many can be asked for: each one keeps its graph, and makes a page heavier."""


@dataclass(frozen=True, slots=True)
class BackwardCall:
    """One call of `backward()` that is to be recorded.

    Attributes:
        root: The tensor on which it was called.
        options: The arguments that PyTorch hands to its engine.
        namespaces: The variables that can be seen where it was called.
        run: Does what was called, `retain_graph` apart, which is given.
    """

    root: torch.Tensor
    options: BackwardOptions
    namespaces: tuple[Namespace, ...]
    run: Callable[[bool], object]


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """A call that could not be recorded and ran plainly.

    Attributes:
        caller: Whose call it was.
        reason: Why, in a sentence or two.
    """

    caller: Caller
    reason: str


@dataclass(slots=True)
class Calls:
    """What was caught.

    Attributes:
        recorded: Each recorded call with its caller, in the order in which they began.
        not_recorded: The first calls that could not be recorded.
        further: How many calls there were after those.
    """

    recorded: list[tuple[Caller, Any]] = field(default_factory=list)
    not_recorded: list[NotRecorded] = field(default_factory=list)
    further: int = 0


class Interception:
    """Stand between `torch.autograd.backward` and the engine, from `start` to `stop`.

    Only calls of the thread that started it, and of threads that were started since, are
    recorded; those of other threads pass through. So do calls of `torch.autograd.grad`, and those
    that PyTorch makes itself.
    """

    def __init__(
        self,
        record: Callable[[BackwardCall], Any],
        *,
        discard: Callable[[Any], object] = lambda _: None,
        limit: int = CALLS,
        when_full: Callable[[], object] = lambda: None,
    ) -> None:
        """Prepare.

        Args:
            record: Makes the call and whatever is to be kept of it. A `HookvizError` says that it
                cannot, before it has called anything.
            discard: Closes what `record` made and nobody will get.
            limit: How many calls to record; the others run plainly and are counted.
            when_full: Is called after the last of them.
        """
        self._record = record
        self._when_full = when_full
        self._discard = discard
        self._left = limit
        self._calls = Calls()
        self._engine: internals.EngineFunction = internals.put_engine_function()
        self._stand_in = self._engine
        self._is_on = False
        self._is_busy = False
        self._lock = threading.Lock()
        self._others: weakref.WeakSet[threading.Thread] = weakref.WeakSet()

    def start(self) -> None:
        """Begin; the calling thread is the one whose calls count."""
        here = threading.current_thread()
        self._others.update(thread for thread in threading.enumerate() if thread is not here)
        self._stand_in = self._run_engine
        self._is_on = True
        self._engine = internals.put_engine_function(self._stand_in)

    def stop(self) -> Calls:
        """Put the engine's function back and return what was caught."""
        self._is_on = False
        if internals.put_engine_function() is self._stand_in:
            # Else somebody stands in front of it now, and calls it: it passes everything on.
            internals.put_engine_function(self._engine)
        return self._calls

    def _run_engine(self, roots: Any, *arguments: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        frame = None
        if self._is_on and keywords.get("accumulate_grad") and not is_recording():
            frame = calling_frame(sys._getframe(1))
        if frame is None or not self._has_turn(frame):
            return self._engine(roots, *arguments, **keywords)
        outcome = _Outcome(self._engine, roots, arguments, keywords)
        try:
            self._make_recording(outcome, frame)
        finally:
            self._is_busy = False
            if not self._left:
                self._when_full()
        if not outcome.is_there:
            return self._engine(roots, *arguments, **keywords)
        if outcome.error is not None:
            raise outcome.error.with_traceback(without_hookviz(outcome.error.__traceback__))
        return outcome.result

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
                # Two threads may share nodes, and then one would write down what the other does.
                reason = "another thread was in a backward() that was being recorded."
                self._calls.not_recorded.append(NotRecorded(caller_in(frame), reason))
                return False
            self._is_busy = True
            return True

    def _make_recording(self, outcome: _Outcome, frame: FrameType) -> None:
        """Record a call. Where that is not possible, `outcome` tells whether it was made at all."""
        caller = caller_in(frame)
        try:
            recording = self._record(outcome.call(variables_seen_from(frame)))
        except BaseException as error:
            self._calls.not_recorded.append(NotRecorded(caller, _reason(error)))
            if not isinstance(error, Exception) and error is not outcome.error:
                raise
            return  # a fault of hookviz must never reach the user's code
        if self._is_on:
            self._calls.recorded.append((caller, recording))
        else:
            self._discard(recording)  # of a thread that has outlived the code that started it


class _Outcome:
    """A call of the engine that waits to be made, and then what came of it."""

    def __init__(
        self, engine: internals.EngineFunction, roots: Any, arguments: Any, keywords: Any
    ) -> None:
        self._make = functools.partial(engine, roots, **keywords)
        self._roots = roots
        self._arguments = arguments
        self.is_there = False
        self.result: object = None
        self.error: BaseException | None = None

    def call(self, namespaces: tuple[Namespace, ...]) -> BackwardCall:
        """Describe the call.

        Raises:
            HookvizError: If it is not of a kind that can be recorded.
        """
        gradients, retain_graph, create_graph, inputs = self._arguments
        if len(self._roots) != 1:
            raise HookvizError(
                f"it starts from {len(self._roots)} tensors at once, and hookviz records one. Call "
                "backward() on their sum, or on one after the other with retain_graph=True."
            )
        if not isinstance(self._roots[0], torch.Tensor):
            raise HookvizError("it starts from a GradientEdge; call it on the tensor itself.")
        options = BackwardOptions(
            gradient=gradients[0],
            inputs=check_inputs(tuple(inputs) or None),
            retain_graph=bool(retain_graph),
            create_graph=bool(create_graph),
        )
        return BackwardCall(self._roots[0], options, namespaces, self._run)

    def _run(self, retain_graph: bool) -> object:  # noqa: FBT001 - one value, named at each use
        gradients, _, create_graph, inputs = self._arguments
        self.is_there = True
        try:
            self.result = self._make(gradients, retain_graph, create_graph, inputs)
        except BaseException as error:
            self.error = error
            raise
        return self.result


def _reason(error: BaseException) -> str:
    if isinstance(error, FreedGraphError):
        return "an earlier backward() without retain_graph=True has freed its graph."
    if isinstance(error, HookvizError):
        return str(error)
    if isinstance(error, Exception):
        return f"a fault of hookviz, please report it ({type(error).__name__}: {error})."
    return f"it was stopped by {type(error).__name__}."
