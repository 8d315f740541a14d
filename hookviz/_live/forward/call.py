"""Stand before every call of a module while the thread is watched."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.hooks import RemovableHandle

from hookviz._live import internals
from hookviz._live.hooks.places import BACKWARD_KINDS, HookPlace, places_of
from hookviz._live.hooks.stand_in import Hook, StandIn, plain
from hookviz._live.hooks.table import HookEntry, table_of, turned_off

if TYPE_CHECKING:
    from hookviz._live.forward.call_events import CallFrame
    from hookviz._live.forward.watch import ForwardWatch


class _Here(threading.local):
    def __init__(self) -> None:
        self.watchers: list[ForwardWatch] = []
        self.calls: list[RunningCall] = []
        self.is_opaque = False


here = _Here()
"""The watches of this thread, the calls that run in it, and whether compiled code does."""


class CalledHook(StandIn):
    """A forward pre-hook or forward hook during one call of its module."""

    __slots__ = ("call", "entry", "key", "place")

    def __init__(
        self, hook: Hook, call: RunningCall, place: HookPlace, key: int, entry: HookEntry
    ) -> None:
        super().__init__(hook)
        self.call: RunningCall | None = call
        self.place = place
        self.key = key
        self.entry = entry

    @property
    def listener(self) -> RunningCall | None:
        """The call, in its own thread."""
        call = self.call
        return call if call is not None and call.thread == threading.get_ident() else None

    def leave(self, hooks: internals.HookDict, key: int) -> None:
        """Give the place back; the call, and so its arguments, can go."""
        self.call = None
        super().leave(hooks, key)


class RunningCall:
    """One call of a module that is running in this thread; it listens to its hooks."""

    def __init__(self, module: torch.nn.Module, args: tuple[Any, ...], kwargs: Any) -> None:
        self.module = module
        self.args = args
        self.kwargs: dict[str, Any] = kwargs
        """What it was called with; once pre-hooks have run, what they made of it."""
        self.places = places_of(module)
        self.thread = threading.get_ident()
        self.is_compiled = internals.is_compiled(module)
        self.has_grad_mode = torch.is_grad_enabled()
        self.handled = sys.exc_info()[1]
        """The exception that is being handled around the call, if one is."""
        self.refused: CalledHook | None = None
        """A pre-hook that has returned what PyTorch will refuse."""
        self.frames: list[CallFrame] = []
        self._swapped: list[tuple[HookPlace, int, StandIn]] = []
        self._registered = -1

    def run(self) -> Any:
        """Make the call, with stand-ins for its hooks."""
        here.calls.append(self)
        was_opaque, here.is_opaque = here.is_opaque, self.is_compiled
        try:
            if not self.is_compiled:
                self.swap()
            result = _plain(self.module, *self.args, **self.kwargs)
        except BaseException as error:
            for frame in self.frames:
                frame.raised(error)
            raise
        finally:
            here.is_opaque = was_opaque
            self._swap_back()
            here.calls.remove(self)
        for frame in self.frames:
            frame.returned(result)
        return result

    def end(self) -> None:
        """Let go of the watches, so that no object is kept in a circle."""
        self.frames.clear()
        self.handled = None

    def before(self, hook: CalledHook, args: tuple[Any, ...]) -> tuple[bool, list[Any]]:
        """Tell each watch that a hook begins."""
        return len(args) == 3, [frame.before(hook, args) for frame in self.frames]

    def after(self, hook: CalledHook, before: tuple[bool, list[Any]], result: Any) -> None:
        """Tell each watch what the hook has returned."""
        sees_kwargs, noted = before
        if hook.place.kind == "module_forward_pre_hook" and result is not None:
            self._take_arguments(hook, result, sees_kwargs=sees_kwargs)
        for frame, one in zip(self.frames, noted, strict=True):
            frame.after(hook, one, result)
        swap_new_hooks()

    def failed(
        self, hook: CalledHook, before: tuple[bool, list[Any]], error: BaseException
    ) -> None:
        """Tell each watch that the hook has raised."""
        for frame, one in zip(self.frames, before[1], strict=True):
            frame.failed(hook, one, error)

    def _take_arguments(self, hook: CalledHook, result: Any, *, sees_kwargs: bool) -> None:
        if not sees_kwargs:
            self.args = result if isinstance(result, tuple) else (result,)
        elif isinstance(result, tuple) and len(result) == 2:
            self.args, self.kwargs = result
        else:
            self.refused = hook

    def swap(self) -> None:
        """Put a stand-in under the key of each hook that has none yet."""
        self._registered = RemovableHandle.next_id
        with _lock:
            for place in self.places:
                for key, standing in list(place.hooks.items()):
                    if not self._has_swapped(standing):
                        self._put(place, key, standing)

    def _has_swapped(self, standing: Hook) -> bool:
        return any(put is standing for _, _, put in self._swapped)

    def _put(self, place: HookPlace, key: int, standing: Hook) -> None:
        hook = plain(standing)
        if place.kind in BACKWARD_KINDS:
            put: Hook = hook
            for frame in self.frames:
                put = frame.backward_stand_in(place, key, put)
        else:
            entry = table_of(place.hooks).entries.get(key)
            if entry is None or hook is turned_off:
                return
            put = CalledHook(hook, self, place, key, entry)
        if isinstance(put, StandIn):
            self._swapped.append((place, key, put))
            put.enter(place.hooks, key)

    def has_new_hooks(self) -> bool:
        """Return whether a hook was registered anywhere since the last look."""
        return not self.is_compiled and RemovableHandle.next_id != self._registered

    def _swap_back(self) -> None:
        with _lock:
            for place, key, put in reversed(self._swapped):
                put.leave(place.hooks, key)
            self._swapped.clear()


def swap_new_hooks() -> None:
    """Take in hooks that were registered on any running module of this thread."""
    for call in here.calls:
        if call.has_new_hooks():
            call.swap()


_plain: internals.Call = torch.nn.Module.__call__
_lock = threading.RLock()
_watched_blocks = 0


@functools.wraps(torch.nn.Module.__call__)
def _call(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
    # The first question stands alone for the compiler, which follows this function as well.
    if torch.compiler.is_compiling():
        return _plain(self, *args, **kwargs)
    if not here.watchers or here.is_opaque or internals.is_traced():
        return _plain(self, *args, **kwargs)
    if internals.is_inside_compiled():
        return _plain(self, *args, **kwargs)
    call = RunningCall(self, args, kwargs)
    for watcher in here.watchers:
        frame = watcher.begin(call)
        if frame is not None:
            call.frames.append(frame)
    if not call.frames:
        return _plain(self, *args, **kwargs)
    try:
        return call.run()
    finally:
        call.end()


@contextmanager
def calls_watched_by(watcher: ForwardWatch) -> Iterator[None]:
    """Let a watcher see the calls of modules that this thread makes within the block."""
    here.watchers.append(watcher)
    _install()
    try:
        yield
    finally:
        _uninstall()
        here.watchers.remove(watcher)


def _install() -> None:
    global _plain, _watched_blocks
    with _lock:
        if not _watched_blocks:
            _plain = torch.nn.Module.__call__
            torch.nn.Module.__call__ = _call  # type: ignore[method-assign]
        _watched_blocks += 1


def _uninstall() -> None:
    global _watched_blocks
    with _lock:
        _watched_blocks -= 1
        # Somebody else may have put a function of theirs there meanwhile; it calls ours.
        if not _watched_blocks and torch.nn.Module.__call__ is _call:
            torch.nn.Module.__call__ = _plain  # type: ignore[method-assign]
            internals.renew_copies(_call, _plain)
