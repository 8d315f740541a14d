"""Watch the hooks of a pass: the steps around each of them that all kinds share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

from hookviz._live.guard import guarded
from hookviz._live.hooks.hook import LiveHook
from hookviz._live.hooks.stand_in import StandIn
from hookviz._live.recording.log import EventLog
from hookviz._records import AnyEvent

StandInT = TypeVar("StandInT", bound=StandIn)
LookT = TypeVar("LookT")

Noted = tuple[LiveHook[Any], LookT]
"""A hook that runs, and the look at its arguments before."""


class HookWatcher(ABC, Generic[StandInT, LookT]):
    """Listen to the hooks of one kind, and write an event for each that has run.

    A class for a kind of hook has two methods of its own: `_look` before a hook runs, and `_event`
    after it.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log

    @abstractmethod
    def _look(self, stand_in: StandInT, args: tuple[Any, ...]) -> Noted[LookT]:
        """Return the hook that is about to run, and a look at its arguments."""

    @abstractmethod
    def _event(self, stand_in: StandInT, noted: Noted[LookT], result: Any) -> tuple[AnyEvent, bool]:
        """Add the event of a hook to the log; return it, and whether PyTorch takes the result."""

    def before(self, stand_in: StandInT, args: tuple[Any, ...]) -> tuple[int, Noted[LookT] | None]:
        """Look at the arguments of a hook."""
        noted = self._begin(stand_in, args)
        return self._log.runs.enter_hook(), noted

    def after(
        self, stand_in: StandInT, before: tuple[int, Noted[LookT] | None], result: Any
    ) -> None:
        """Write the event of the hook."""
        depth, noted = before
        self._log.runs.leave_hook(depth)
        if noted is not None:
            self._end(stand_in, noted, result)

    def failed(
        self, stand_in: StandInT, before: tuple[int, Noted[LookT] | None], error: BaseException
    ) -> None:
        """End the runs of the engine that the hook has started; the pass tells of its exception."""
        self._log.runs.leave_hook(before[0])

    @guarded
    def _begin(self, stand_in: StandInT, args: tuple[Any, ...]) -> Noted[LookT]:
        noted = self._look(stand_in, args)
        self._log.blame.runs(noted[0])
        return noted

    @guarded
    def _end(self, stand_in: StandInT, noted: Noted[LookT], result: Any) -> None:
        event, is_accepted = self._event(stand_in, noted, result)
        self._log.blame.told(noted[0], event, is_accepted=is_accepted)
