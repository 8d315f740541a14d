"""Know where the passes of an explorer come from: a session, or one trace that stays."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from hookviz._live.session.session import Session
from hookviz._live.session.targets import Target
from hookviz._records import BackwardArguments, HookKind, HookRecord, TraceRecord
from hookviz._trace import Trace
from hookviz.errors import HookvizError

FORWARD_IS_OVER = (
    "this is a forward that is over, so its hooks can no longer be changed. Pass a function "
    "instead, which can be run again: hookviz.explore(lambda: model(x).sum())."
)


class Source:
    """A session that can run again, or a trace of a forward that is over."""

    def __init__(self, shown: Session | Trace) -> None:
        self._session = None if isinstance(shown, Trace) else shown
        self._trace = shown if isinstance(shown, Trace) else None

    @property
    def trace(self) -> Trace:
        """The last pass."""
        session, trace = self._session, self._trace
        if trace is None or (session is not None and session.trace is not trace._record):
            trace = self._trace = _trace_of(self.session)
        return trace

    @property
    def record(self) -> TraceRecord:
        """The last pass as plain data."""
        return self.trace._record

    @property
    def session(self) -> Session:
        """The session.

        Raises:
            HookvizError: If there is none, so that nothing can be changed.
        """
        if self._session is None:
            raise HookvizError(FORWARD_IS_OVER)
        return self._session

    @property
    def is_fixed(self) -> bool:
        """Whether there is no session."""
        return self._session is None

    @property
    def arguments(self) -> BackwardArguments:
        """The arguments of backward, as far as they are known."""
        return BackwardArguments() if self._session is None else self._session.arguments

    @property
    def module_kinds(self) -> tuple[HookKind, ...]:
        """The kinds of hooks that can be put on modules now."""
        return () if self._session is None else self._session.module_kinds

    @property
    def dropped(self) -> tuple[str, ...]:
        """The hooks for which the last new forward had no place."""
        return () if self._session is None else self._session.dropped

    def can_leave_out(self, hook: HookRecord) -> bool:
        """Return whether a pass without this hook can be run."""
        return self._session is not None and self._session.can_leave_out(hook)

    def id_of(self, target: Target, find: Callable[[object], str]) -> str:
        """Return the id of a tensor, module or function.

        Args:
            target: The thing, its name or its id.
            find: Finds an id by a name, where there is no session.
        """
        return find(target) if self._session is None else self._session.find_owner(target).id

    def close(self) -> None:
        """Put the user's own hooks back, and take the added ones off."""
        if self._session is not None:
            self._session.close()

    def interrupt(self) -> None:
        """Stop the pass that runs now, if one does."""
        if self._session is not None:
            self._session.interrupt()


def _trace_of(session: Session) -> Trace:
    """Return the last pass of a session; it knows the session's tensors while they are its own."""
    record, reference = session.trace, weakref.ref(session)

    def find(target: Any) -> str | None:
        alive = reference()
        if alive is None or alive.is_closed or alive.trace is not record:
            return None
        try:
            return alive.find_owner(target).id
        except HookvizError:
            return None

    return Trace(record, find=find)
