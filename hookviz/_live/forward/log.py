"""Hold the events of a watched block: plain data, and weak references to the user's objects."""

from __future__ import annotations

import weakref
from typing import Any, Protocol, TypedDict

from hookviz._live import internals
from hookviz._live.forward.book import CallBook, CallEntry, CallMark, CodePlace
from hookviz._live.forward.inner_tensors import NamedTensors
from hookviz._live.forward.lines import Marks
from hookviz._live.internals import HookDict
from hookviz._live.user.printed import Printed
from hookviz._records import AnyEvent, ErrorRecord

Seat = tuple[weakref.ref[Any], int]
"""Where a hook stands: PyTorch's dictionary, and its key there."""


class At(TypedDict):
    """The fields that tell when an event was: the same ones for every kind of event."""

    index: int
    printed: str
    timeline: int


class AtCall(At):
    """The same fields, and those that tell of which call of a module the event was."""

    module: str
    call: int


class Story(Protocol):
    """A place for the events of calls: a log of their own, or the middle of a backward."""

    @property
    def printed(self) -> Printed:
        """Catches what user code prints."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Keys of the language tables that every event has."""

    def at(self, call: CallEntry, printed: str) -> AtCall:
        """Return the common fields of the next event of a call."""

    def add(self, call: CallEntry, event: AnyEvent) -> None:
        """Append an event of a call."""

    def heard_outside(self) -> None:
        """Take in the text that was printed outside all calls."""

    def has_mark(self, call: CallEntry, mark: CallMark) -> None:
        """Note that backward hooks of a call are now in the graph."""

    def seat(self, hooks: HookDict, key: int) -> tuple[str, bool]:
        """Return the id of a hook, and whether the call of a module has registered it."""


class ForwardLog:
    """The events of a watched block and the book of its calls.

    Attributes:
        events: In the order in which they happened; `module` and `call` say of which call.
        calls: For each event the call it belongs to.
        seats: Where each hook stands that an event or a module speaks of, by its id.
        begin, end: Numbers of the first node that could be made in the block, and of the first
            one after it (`None` while it runs).
        marks: Which line made which node; `None` where lines could not be followed.
        error: The exception that ended the block, or `None`.
        outside: Where the user's code around the modules raised that, and what was printed before;
            `None` where an event of a call tells it already.
        thread: A token of the thread; the numbers of nodes are counted thread by thread.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, *, printed: Printed, thread: object) -> None:
        self.printed = printed
        self.book = CallBook()
        self.events: list[AnyEvent] = []
        self.calls: list[CallEntry] = []
        self.seats: dict[str, Seat] = {}
        self._ids: dict[tuple[int, int], str] = {}
        self.begin = internals.sequence_number()
        self.end: int | None = None
        self.marks: Marks | None = None
        self.error: ErrorRecord | None = None
        self.outside: tuple[CodePlace | None, str] | None = None
        self.thread = thread
        self._names: weakref.ref[NamedTensors] | None = None

    def has_names(self, names: NamedTensors) -> None:
        """Note the inner variables weakly: they are there as long as another object keeps them."""
        self._names = weakref.ref(names)

    @property
    def names(self) -> NamedTensors | None:
        """The variables inside the functions that ran, where still kept."""
        return None if self._names is None else self._names()

    def contains(self, number: int) -> bool:
        """Return whether a node of this thread was made in the block."""
        return self.begin <= number and (self.end is None or number < self.end)

    def at(self, call: CallEntry, printed: str) -> AtCall:
        """Return the common fields of the next event of a call."""
        return {
            "index": len(self.events),
            "printed": printed,
            "timeline": 0,
            "module": call.module.name,
            "call": call.number,
        }

    def add(self, call: CallEntry, event: AnyEvent) -> None:
        """Append an event of a call."""
        self.events.append(event)
        self.calls.append(call)

    def heard_outside(self) -> None:
        """Drop the text that was printed outside all calls: it belongs to none."""
        self.printed.take()

    def has_mark(self, call: CallEntry, mark: CallMark) -> None:
        """Note that backward hooks of a call are now in the graph."""
        call.mark = weakref.ref(mark)

    def seat(self, hooks: HookDict, key: int) -> tuple[str, bool]:
        """Return the id of a hook, which stays the same throughout the block.

        Which hooks a call has registered is known when a graph is found again.
        """
        place = (id(hooks), key)
        hook_id = self._ids.get(place)
        if hook_id is None or self.seats[hook_id][0]() is not hooks:
            hook_id = self._ids[place] = f"h{len(self.seats)}"
            self.seats[hook_id] = (weakref.ref(hooks), key)
        return hook_id, False
