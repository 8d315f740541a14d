"""Hold one graph, its hooks and its last trace, and run again after each change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from hookviz._live.forward.part import LiveModule
from hookviz._live.graph.hooks import AnyHook
from hookviz._live.graph.tensors import LiveTensor, check_names
from hookviz._live.hooks.maker import HookLike, HookMaker
from hookviz._live.hooks.places import MODULE_KINDS
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.table import Hook
from hookviz._live.hooks.typed import own_namespaces
from hookviz._live.recording.explain import run_message
from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.arguments import named_arguments
from hookviz._live.session.ready_graph import PassSettings
from hookviz._live.session.replay import Backward, PlainBackward, Replay
from hookviz._live.session.root_function import is_function
from hookviz._live.session.targets import HookId, Owner, Target, find_hook, find_owner, find_tensor
from hookviz._live.session.work import Work
from hookviz._live.user.names import Namespace
from hookviz._parameters import Keep
from hookviz._records import HookKind, HookRecord, TraceRecord
from hookviz.errors import ClosedError, HookRunError, HookvizError, UnknownTargetError

__all__ = ["HookId", "HookLike", "Session", "Target"]

Undo = Callable[[], object]


class Session:
    """The one mutable object of an explorer: each method that changes hooks is a click there.

    Each change runs one real backward from the `.grad`s of before the first run, so the state
    afterwards is that of one plain `backward()` with the hooks as they stand. Where a function
    makes the root, a change of a module's hook runs that function again as well. A change with
    which a run fails is taken back, with all `.grad`s.

    Attributes:
        trace: The last pass.
        arguments: The arguments of backward; not `retain_graph`, which is always on here.
        dropped: The labels of the hooks for which the last new forward had no place.
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
        backward: Backward | None = None,
    ) -> None:
        """Capture the graph and run it once.

        Args:
            root: The tensor on which to call backward, or a function without arguments that
                computes and returns it.
            options: The arguments of backward.
            names: Names given by hand.
            namespaces: Variables among which names are looked for, and which the text of a hook
                may use.
            keep: See `Keep`.
            echo: Whether the output of hooks also reaches standard output.
            backward: Makes each pass, where it is not hookviz that calls backward.

        Raises:
            HookvizError: If backward cannot be called on the root.
        """
        check_names(names)
        spaces = tuple(namespaces)
        settings = PassSettings(
            options=options, names=names, namespaces=spaces, keep=keep, echo=echo
        )
        self._work = Work()
        self._is_closed = False
        self._maker = HookMaker((*spaces, *own_namespaces(root)) if is_function(root) else spaces)
        self._replay = Replay(
            root, settings, backward=backward or PlainBackward(), maker=self._maker
        )
        self.trace: TraceRecord = self._replay.run()
        self.arguments = named_arguments(self._replay.graph)
        self.dropped: tuple[str, ...] = ()

    # -- questions ------------------------------------------------------------------------------

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    @property
    def module_kinds(self) -> tuple[HookKind, ...]:
        """The kinds of hooks that can be put on modules: none where there is no function to run."""
        return MODULE_KINDS if self._replay.has_function else ()

    def can_leave_out(self, hook: HookRecord) -> bool:
        """Return whether a pass without this hook can be run, to compare with.

        A hook of a module's forward has done its work before backward begins, so it can only be
        left out where the forward can be run again.
        """
        try:
            return self._replay.can_switch(self.find_hook(hook))
        except UnknownTargetError:
            return False  # its module is gone, and only its record is left

    def tensor_with_id(self, tensor_id: str) -> LiveTensor:
        """Return the tensor with this id, even if another one has it for its name.

        Raises:
            UnknownTargetError: If the graph has no such tensor; it names those it has.
        """
        self._check_open()
        live = self._replay.graph.live
        by_id = (owner for owner in live.tensors if owner.id == tensor_id)
        return next(by_id, None) or find_tensor(live, tensor_id)

    def find_owner(self, target: Target) -> Owner:
        """Return the tensor, module or function with a name or id.

        Raises:
            UnknownTargetError: If the graph has no such thing.
        """
        self._check_open()
        return find_owner(self._replay.graph.live, target, None)[0]

    def find_hook(self, hook: HookId) -> AnyHook:
        """Return the hook with an id, or of a record.

        Raises:
            UnknownTargetError: If there is none; it names those there are.
        """
        self._check_open()
        return find_hook(self._replay.graph.chains, hook)

    # -- actions --------------------------------------------------------------------------------

    def run(self) -> TraceRecord:
        """Run again with the hooks as they are now, and return the new trace.

        Raises:
            HookRunError: If it fails; the trace of before is kept.
        """
        with self._change(forward=True):
            pass
        return self.trace

    def attach(
        self,
        target: Target,
        hook: HookLike,
        *,
        kind: HookKind | None = None,
        with_kwargs: bool | None = None,
    ) -> str:
        """Register a hook at the end of its chain; return its id.

        Raises:
            UnknownTargetError: If the graph has no such thing.
            HookvizError: If that takes no hook of this kind, or the forward cannot be run again.
            HookSourceError: If it is no usable hook; nothing was changed.
            HookRunError: If the run fails with it; it was taken off again.
        """
        self._check_open()
        owner, chosen = find_owner(self._replay.graph.live, target, kind)
        if isinstance(owner, LiveModule):
            self._replay.check_can_change_modules()
        function, source, has_kwargs = self._maker.make(hook, chosen, with_kwargs=with_kwargs)
        with self._change(forward=isinstance(owner, LiveModule)) as undo:
            added = self._add(owner, chosen, function, source, with_kwargs=has_kwargs)
            undo(lambda: added.table.take_off(added.key))
        self._replay.note_added(added)
        return added.id

    def edit(self, hook_id: HookId, hook: HookLike) -> None:
        """Put another function in a hook's place; it stays on or off.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If it belongs to a forward that cannot be run again.
            HookSourceError: If it is no usable hook; nothing was changed.
            HookRunError: If the run fails with it; the old one is back.
        """
        found = self.find_hook(hook_id)
        self._replay.check_can_change(found)
        has_kwargs = found.record.with_kwargs if found.kind in MODULE_KINDS else None
        function, source, _ = self._maker.make(
            hook, found.kind, with_kwargs=has_kwargs, instead_of=found.function
        )
        old = (found.function, found.entry.source)
        with self._change(forward=found) as undo:
            _put(found, function, source)
            undo(lambda: _put(found, *old))

    def enable(self, hook_id: HookId) -> None:
        """Turn a hook on. Raises as `edit` does."""
        self._switch(hook_id, enabled=True)

    def disable(self, hook_id: HookId) -> None:
        """Turn a hook off; it keeps its place and its handle. Raises as `edit` does."""
        self._switch(hook_id, enabled=False)

    def move(self, hook_id: HookId, position: int) -> None:
        """Move a hook to a place in its chain, counted from 0. Raises as `edit` does."""
        found = self.find_hook(hook_id)
        self._replay.check_can_change(found, order=True)
        table = found.table
        old = table.listed()
        keys = [key for key in old if key != found.key]
        if not isinstance(position, int):
            raise HookvizError(f"position={position!r}; a place in the chain is a number from 0.")
        keys.insert(max(0, min(position, len(keys))), found.key)
        with self._change(forward=found) as undo:
            table.reorder(keys)
            undo(lambda: table.reorder(old))

    def remove(self, hook_id: HookId) -> None:
        """Take a hook off. Raises as `edit` does."""
        found = self.find_hook(hook_id)
        self._replay.check_can_change(found, order=True)
        table, key = found.table, found.key
        old = table.order()
        with self._change(forward=found) as undo:
            entry = table.take_off(key)
            undo(lambda: table.put_back(key, entry, old))

    def without(self, hooks: Iterable[HookId] | None = None) -> TraceRecord:
        """Return the trace of one more pass with some hooks off; everything is put back after it.

        Args:
            hooks: These hooks; all that can be left out if not given. Hooks that cannot be listed
                stay on.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If one of them belongs to a forward that cannot be run again.
        """
        self._check_open()
        chosen = None if hooks is None else [self.find_hook(hook) for hook in hooks]
        for hook in chosen or ():
            self._replay.check_can_switch(hook)
        with self._work.begun():
            return self._replay.run_without(chosen)

    def interrupt(self) -> None:
        """Raise a `KeyboardInterrupt` in the pass that runs now, if one does; see `Work`."""
        self._work.interrupt()

    def close(self) -> None:
        """Put the user's own hooks back as they were found, and take the added ones off.

        Raises:
            HookvizError: If a pass is running; call it when that has finished.
        """
        if self._is_closed:
            return
        self._work.check_idle()
        self._replay.close()
        self._is_closed = True
        # The trace stays, the graph can go.
        del self._replay, self._maker

    # -- changes --------------------------------------------------------------------------------

    @contextmanager
    def _change(self, *, forward: bool | AnyHook) -> Iterator[Callable[[Undo], None]]:
        """Run again after the block, and take the change back if that fails or is interrupted.

        Args:
            forward: Whether the forward has to be run again: or the hook that is changed.
        """
        self._check_open()
        self._work.check_idle()
        if not isinstance(forward, bool):
            forward = forward.is_on_module
        steps: list[Undo] = []
        with self._replay.put_back() as keep:
            try:
                yield steps.append
                with self._work.begun():
                    trace, dropped = self._replay.run_again(forward=forward)
                if trace.error is not None:
                    raise HookRunError(run_message(trace), trace=trace)
                keep()
            except BaseException:
                for undo in reversed(steps):
                    undo()
                self._replay.graph.chains.refresh()
                raise
        self.trace, self.dropped = trace, dropped

    def _add(
        self,
        owner: Owner,
        kind: HookKind,
        function: Hook,
        source: HookSource,
        *,
        with_kwargs: bool,
    ) -> AnyHook:
        chains = self._replay.graph.chains
        if isinstance(owner, LiveTensor):
            return chains.add(owner, function, source, kind)
        if isinstance(owner, LiveModule):
            return chains.modules.add(owner, kind, function, source, with_kwargs=with_kwargs)
        return chains.nodes.add(owner.id, kind, function, source)

    def _switch(self, hook_id: HookId, *, enabled: bool) -> None:
        found = self.find_hook(hook_id)
        self._replay.check_can_change(found)
        old = found.entry.enabled

        def put(value: bool) -> None:  # noqa: FBT001 - a setter of one value
            found.entry.enabled = value
            found.table.put(found.key)

        with self._change(forward=found) as undo:
            put(enabled)
            undo(lambda: put(old))

    def _check_open(self) -> None:
        if self._is_closed:
            raise ClosedError(
                "this explorer was closed. Call hookviz.explore() again to go on with hooks."
            )


def _put(hook: AnyHook, function: Hook, source: HookSource) -> None:
    hook.entry.function, hook.entry.source = function, source
    hook.table.put(hook.key)
