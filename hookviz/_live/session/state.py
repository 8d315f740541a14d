"""Know whether a session is open and at work, and what is meant by a name in it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import AnyHook, HookChains
from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.places import MODULE_KINDS
from hookviz._live.session.passes import Passes
from hookviz._live.session.targets import HookId, Owner, Target, find_hook, find_owner, find_tensor
from hookviz._records import HookKind, HookRecord
from hookviz.errors import ClosedError, HookvizError, UnknownTargetError


class Sitting:
    """What all that a session does begins with."""

    is_fixed = False
    """Whether nothing can be run again, so that no hook can be changed."""

    _passes: Passes

    def __init__(self) -> None:
        self._closed = False
        self._running_thread: int | None = None

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def module_kinds(self) -> tuple[HookKind, ...]:
        """The kinds of hooks that can be put on modules: none where there is no function to run."""
        return MODULE_KINDS if self._passes.has_function else ()

    def can_leave_out(self, hook: HookRecord) -> bool:
        """Return whether a pass without this hook can be run, to compare with.

        A hook of a module's forward has done its work before backward begins, so it can only be
        left out where the forward can be run again.
        """
        try:
            return self._passes.can_switch(self.find_hook(hook))
        except UnknownTargetError:
            return False  # its module is gone, and only what was seen of it is left

    @property
    def _live(self) -> LiveGraph:
        return self._passes.live

    @property
    def _chains(self) -> HookChains:
        return self._passes.chains

    def tensor_with_id(self, tensor_id: str) -> LiveTensor:
        """Return the tensor with this id, whatever the names are.

        Raises:
            UnknownTargetError: If the graph has no such tensor.
        """
        self._check_open()
        by_id = (owner for owner in self._live.tensors if owner.id == tensor_id)
        return next(by_id, None) or self.find_tensor(tensor_id)

    def find_tensor(self, target: Target) -> LiveTensor:
        """Return the tensor that is meant.

        Raises:
            UnknownTargetError: If the graph has no such tensor; it names those it has.
        """
        self._check_open()
        return find_tensor(self._live, target)

    def find_owner(self, target: Target) -> Owner:
        """Return the tensor, module or function that is meant.

        Raises:
            UnknownTargetError: If the graph has no such thing.
        """
        self._check_open()
        return find_owner(self._live, target, None)[0]

    def find_hook(self, hook: HookId) -> AnyHook:
        """Return the hook that is meant: its id, or its record.

        Raises:
            UnknownTargetError: If there is none; it names those there are.
        """
        self._check_open()
        return find_hook(self._chains, hook)

    def interrupt(self) -> None:
        """Raise a KeyboardInterrupt in the thread in which a pass runs now, if one does.

        A click is served by a thread of the kernel's own, which the interrupt button of a notebook
        does not reach; this does, from a cell. A hook that waits inside compiled code goes on
        until it comes back.
        """
        thread = self._running_thread
        if thread is not None:
            interrupt = ctypes.c_long(thread), ctypes.py_object(KeyboardInterrupt)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(*interrupt)

    def _check_idle(self) -> None:
        if self._running_thread is not None:
            raise HookvizError(
                "forward or backward is running, and this was called from inside it (by a hook, "
                "say). Change hooks, or close, when it has finished."
            )

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError(
                "this explorer was closed. Call hookviz.explore() again to go on with hooks."
            )

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        thread, self._running_thread = self._running_thread, threading.get_ident()
        try:
            yield
        finally:
            self._running_thread = thread
