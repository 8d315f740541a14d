"""Watch the hooks of a pass: what is done around each of them, whatever its kind."""

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
"""A hook that runs, and what was seen before."""


class HookWatcher(ABC, Generic[StandInT, LookT]):
    """Listen to the hooks of one kind, and write an event for each that has run.

    A kind of hook says what there is to see before (`_look`), and which event tells of what the
    hook has done (`_event`).
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log

    @abstractmethod
    def _look(self, stand_in: StandInT, args: tuple[Any, ...]) -> Noted[LookT]:
        """Return the hook that is about to run, and what it is given."""

    @abstractmethod
    def _event(self, stand_in: StandInT, noted: Noted[LookT], result: Any) -> tuple[AnyEvent, bool]:
        """Add the event of a hook to the log; return it, and whether PyTorch takes the result."""

    def before(self, stand_in: StandInT, args: tuple[Any, ...]) -> tuple[int, Noted[LookT] | None]:
        """Note what a hook is given."""
        noted = self._begin(stand_in, args)
        return self._log.runs.enter_hook(), noted

    def after(
        self, stand_in: StandInT, before: tuple[int, Noted[LookT] | None], result: Any
    ) -> None:
        """Note what it has done."""
        depth, noted = before
        self._log.runs.leave_hook(depth)
        if noted is not None:
            self._log.blame.returned(noted[0])
            self._end(stand_in, noted, result)

    def failed(
        self, stand_in: StandInT, before: tuple[int, Noted[LookT] | None], error: BaseException
    ) -> None:
        """Note that it is over; its exception ends the pass, which tells of it."""
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
