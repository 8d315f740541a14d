"""Hold one graph, its hooks and its last trace, and run backward again after each change."""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from hookviz.errors import ClosedError, HookRunError, HookvizError, UnknownTargetError
from hookviz.live.chain import HookChains, LiveHook, switched_off
from hookviz.live.closing import Holding
from hookviz.live.compiler import check_callable, compile_hook
from hookviz.live.explain import run_message
from hookviz.live.grads import KeptGrads, KeptNumbers
from hookviz.live.graph import LiveGraph, LiveTensor, capture_live, check_root
from hookviz.live.module_chain import ModuleHook
from hookviz.live.names import Namespace
from hookviz.live.run import BackwardOptions, run_backward, with_gradient
from hookviz.live.source import HookSource, find_source
from hookviz.live.table import Hook
from hookviz.live.take import Keep
from hookviz.live.typed import own_namespaces, typed_source
from hookviz.records import HookRecord, TraceRecord

Target = torch.Tensor | str
HookLike = Hook | str
HookId = HookRecord | str
"""A hook of the explorer: its id, or the record that `Explorer.hooks` gives."""
Undo = Callable[[], object]

_texts = itertools.count(1)
"""Numbers the texts that were typed, so that tracebacks can tell them apart."""


class Session:
    """The one mutable object: whatever a click can do is a method here.

    Each change runs one real backward from the `.grad`s of before the first run, so the state
    afterwards is that of one plain `backward()` with the hooks as they stand. A change with which
    backward fails is taken back, with all `.grad`s.

    Attributes:
        trace: The last pass that is shown.
    """

    def __init__(
        self,
        root: Any,
        options: BackwardOptions,
        *,
        names: Mapping[str, torch.Tensor] | None = None,
        namespaces: Iterable[Namespace] = (),
        keep: Keep = "summary",
        echo: bool = True,
        first_run: Callable[[LiveGraph, HookChains], TraceRecord] | None = None,
    ) -> None:
        """Capture the graph and run it once.

        Args:
            root: The tensor on which to call backward.
            options: The arguments of backward.
            names: Names given by hand.
            namespaces: Where to look for names, and where the text of a hook finds its variables.
            keep: See `take`.
            echo: Whether what hooks print also reaches standard output.
            first_run: Makes the first pass, where it is not hookviz that calls backward.

        Raises:
            HookvizError: If backward cannot be called on the root.
        """
        root = check_root(root)
        with_gradient(root, options)  # refuses before anything is captured
        self._options = options
        self._namespaces = tuple(namespaces)
        self._keep: Keep = keep
        self._echo = echo
        self._live = capture_live(root, names=names, namespaces=self._namespaces)
        self._chains = HookChains(self._live)
        self._holding = Holding(self._chains)
        self._before = KeptGrads(self._live.tensors)
        self._gradient = KeptNumbers(options.gradient)
        self._closed = False
        self._running_thread: int | None = None
        self.trace: TraceRecord = (
            self._run() if first_run is None else first_run(self._live, self._chains)
        )

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def run(self) -> TraceRecord:
        """Run backward again with the hooks as they are now, and return the new trace.

        Raises:
            HookRunError: If it fails; the trace of before is kept.
        """
        with self._change() as undo:
            undo(lambda: None)
        return self.trace

    def attach(self, target: Target, hook: HookLike) -> str:
        """Register a hook at the end of a tensor's chain; return its id.

        Args:
            target: A tensor of the graph, its name, or its id.
            hook: A callable, or the text of a lambda or `def`.

        Raises:
            UnknownTargetError: If the graph has no such tensor.
            HookSourceError: If it is no usable hook; nothing was changed.
            HookRunError: If backward fails with it; it was taken off again.
        """
        owner = self.find_tensor(target)
        function, source = self._make(hook)
        with self._change() as undo:
            added = self._chains.add(owner, function, source)
            undo(lambda: added.table.take_off(added.key))
        self._holding.note_added(added.table, added.key)
        return added.id

    def edit(self, hook_id: HookId, hook: HookLike) -> None:
        """Put another function in a hook's place; it stays on or off.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookSourceError: If it is no usable hook; nothing was changed.
            HookRunError: If backward fails with it; the old one is back.
        """
        live_hook = self.find_hook(hook_id)
        function, source = self._make(hook, instead_of=live_hook)
        old = (live_hook.function, live_hook.entry.source)
        with self._change() as undo:
            self._put(live_hook, function, source)
            undo(lambda: self._put(live_hook, *old))

    def enable(self, hook_id: HookId) -> None:
        """Turn a hook on. Raises as `edit` does."""
        self._switch(hook_id, enabled=True)

    def disable(self, hook_id: HookId) -> None:
        """Turn a hook off; it keeps its place and its handle. Raises as `edit` does."""
        self._switch(hook_id, enabled=False)

    def move(self, hook_id: HookId, position: int) -> None:
        """Move a hook to a place in its chain, counted from 0. Raises as `edit` does."""
        live_hook = self.find_hook(hook_id)
        table = live_hook.table
        old = table.listed()
        keys = [key for key in old if key != live_hook.key]
        if not isinstance(position, int):
            raise HookvizError(f"position={position!r}; a place in the chain is a number from 0.")
        keys.insert(max(0, min(position, len(keys))), live_hook.key)
        with self._change() as undo:
            table.reorder(keys)
            undo(lambda: table.reorder(old))

    def remove(self, hook_id: HookId) -> None:
        """Take a hook off its tensor. Raises as `edit` does."""
        live_hook = self.find_hook(hook_id)
        table, key = live_hook.table, live_hook.key
        old = list(table.hooks)
        with self._change() as undo:
            entry = table.take_off(key)
            undo(lambda: table.put_back(key, entry, old))

    def without(self, hooks: Iterable[HookId] | None = None) -> TraceRecord:
        """Return the trace of one more pass with some hooks off; everything is put back after it.

        Args:
            hooks: Which ones; all of them if not given. Hooks that cannot be listed stay on.

        Raises:
            UnknownTargetError: If there is no such hook.
        """
        self._check_open()
        self._check_idle()
        self._chains.refresh()
        chosen = self._chains.all() if hooks is None else [self.find_hook(hook) for hook in hooks]
        results = KeptGrads(self._live.tensors)
        try:
            with switched_off(chosen):
                return self._run()
        finally:
            results.restore()
            self._chains.refresh()

    def close(self) -> None:
        """Put the user's own hooks back as they were found, and take the added ones off.

        Raises:
            HookvizError: If backward is running; call it when that has finished.
        """
        if self._closed:
            return
        self._check_idle()
        self._holding.release()
        self._closed = True
        # The trace stays, the graph can go.
        del self._live, self._chains, self._holding, self._before, self._gradient
        del self._options, self._namespaces

    def tensor_with_id(self, tensor_id: str) -> LiveTensor:
        """Return the tensor with this id, whatever the names are.

        Raises:
            UnknownTargetError: If the graph has no such tensor.
        """
        self._check_open()
        for owner in self._live.tensors:
            if owner.id == tensor_id:
                return owner
        return self.find_tensor(tensor_id)

    def find_tensor(self, target: Target) -> LiveTensor:
        """Return the tensor that is meant.

        Raises:
            UnknownTargetError: If the graph has no such tensor; it names those it has.
        """
        self._check_open()
        tensors = self._live.tensors
        if isinstance(target, torch.Tensor):
            found = next((owner for owner in tensors if owner.tensor is target), None)
            what = f"this tensor of shape {list(target.shape)}"
        else:
            found = next((owner for owner in tensors if target in owner.names), None) or next(
                (owner for owner in tensors if owner.id == target), None
            )
            what = f"{target!r}"
        if found is None:
            known = ", ".join(owner.label for owner in tensors[:20])
            raise UnknownTargetError(
                f"{what} is not a tensor of this graph. It has: {known}. An operation makes a new "
                "tensor each time: w[0] or x.T written again is another one than in the graph."
            )
        return found

    def find_hook(self, hook: HookRecord | str) -> LiveHook:
        """Return the hook that is meant: its id, or its record.

        Raises:
            UnknownTargetError: If there is none; it names those there are.
        """
        self._check_open()
        self._chains.refresh()
        hook_id = hook.id if isinstance(hook, HookRecord) else hook
        found = self._chains.get(hook_id) if isinstance(hook_id, str) else None
        if found is None:
            known = ", ".join(
                f"{h.id} ({h.owner.label}: {h.entry.source.label})" for h in self._chains.all()
            )
            raise UnknownTargetError(
                f"there is no hook {hook_id!r}. "
                + (f"There are: {known}." if known else "No tensor of this graph has a hook.")
            )
        if isinstance(found, ModuleHook):
            raise HookvizError("hooks of modules cannot be changed yet.")
        return found

    def interrupt(self) -> None:
        """Raise a KeyboardInterrupt in the thread in which backward runs now, if one does.

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
                "backward is running, and this was called from inside it (by a hook, say). Change "
                "hooks, or close, when it has finished."
            )

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError(
                "this explorer was closed. Call hookviz.explore() again to go on with hooks."
            )

    # -- changes --------------------------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[Callable[[Undo], None]]:
        """Run again after the block, and take the change back if that fails or is interrupted."""
        self._check_open()
        self._check_idle()
        steps: list[Undo] = []
        results = KeptGrads(self._live.tensors)
        try:
            yield steps.append
            trace = self._run()
        except BaseException:
            self._take_back(steps, results)
            raise
        if trace.error is not None:
            self._take_back(steps, results)
            raise HookRunError(run_message(trace), trace=trace)
        self.trace = trace

    def _take_back(self, steps: list[Undo], results: KeptGrads) -> None:
        for undo in reversed(steps):
            undo()
        results.restore()
        self._chains.refresh()

    def _run(self) -> TraceRecord:
        self._before.restore()
        # A hook on the root may have written to it, and a leaf may have its memory for `.grad`.
        self._gradient.restore()
        options = with_gradient(self._live.root, self._options)
        self._running_thread = threading.get_ident()
        try:
            return run_backward(self._live, self._chains, options, keep=self._keep, echo=self._echo)
        finally:
            self._running_thread = None
            self._holding.renew()

    def _make(
        self, hook: HookLike, *, instead_of: LiveHook | None = None
    ) -> tuple[Hook, HookSource]:
        if not isinstance(hook, str):
            check_callable(hook)
            return hook, find_source(hook)
        namespaces = self._namespaces
        if instead_of is not None:
            # A hook written inside a function goes on seeing the variables of that function.
            namespaces = (*own_namespaces(instead_of.function), *namespaces)
        function = compile_hook(hook, namespaces, filename=f"<hookviz hook {next(_texts)}>")
        return function, typed_source(hook, function)

    def _put(self, live_hook: LiveHook, function: Hook, source: HookSource) -> None:
        live_hook.entry.function, live_hook.entry.source = function, source
        live_hook.table.put(live_hook.key)

    def _switch(self, hook_id: HookId, *, enabled: bool) -> None:
        live_hook = self.find_hook(hook_id)
        old = live_hook.entry.enabled

        def put(value: bool) -> None:  # noqa: FBT001 - a setter of one value
            live_hook.entry.enabled = value
            live_hook.table.put(live_hook.key)

        with self._change() as undo:
            put(enabled)
            undo(lambda: put(old))
