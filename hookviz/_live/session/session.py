"""Hold one graph, its hooks and its last trace, and run again after each change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import torch

from hookviz._live.forward.part import LiveModule
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import AnyHook, HookChains, switched_off
from hookviz._live.graph.tensors import LiveTensor, check_names
from hookviz._live.hooks.maker import HookLike, HookMaker
from hookviz._live.hooks.places import MODULE_KINDS
from hookviz._live.hooks.source import HookSource
from hookviz._live.hooks.table import Hook
from hookviz._live.hooks.typed import own_namespaces
from hookviz._live.recording.explain import run_message
from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.passes import Passes
from hookviz._live.session.root_function import RootFunction, is_function
from hookviz._live.session.state import Sitting
from hookviz._live.session.targets import HookId, Owner, Target, find_owner
from hookviz._live.user.names import Namespace
from hookviz._parameters import Keep
from hookviz._records import HookKind, TraceRecord
from hookviz.errors import HookRunError, HookvizError

__all__ = ["HookId", "HookLike", "Session", "Target"]

Undo = Callable[[], object]


class Session(Sitting):
    """The one mutable object: whatever a click can do is a method here.

    Each change runs one real backward from the `.grad`s of before the first run, so the state
    afterwards is that of one plain `backward()` with the hooks as they stand. Where a function
    makes the root, a change of a module's hook runs that function again as well. A change with
    which a run fails is taken back, with all `.grad`s.

    Attributes:
        trace: The last pass that is shown.
        arguments: What backward was given; not `retain_graph`, which is always on here.
        dropped: What the hooks are called for which the last new forward had no place.
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
            root: The tensor on which to call backward, or a function without arguments that
                computes and returns it.
            options: The arguments of backward.
            names: Names given by hand.
            namespaces: Where to look for names, and where the text of a hook finds its variables.
            keep: See `Keep`.
            echo: Whether what hooks print also reaches standard output.
            first_run: Makes the first pass, where it is not hookviz that calls backward.

        Raises:
            HookvizError: If backward cannot be called on the root.
        """
        check_names(names)
        spaces = tuple(namespaces)
        function = cast("RootFunction", root) if is_function(root) else None
        if function is not None:
            spaces = (*spaces, *own_namespaces(function))
        super().__init__()
        self._maker = HookMaker(spaces)
        self.dropped: tuple[str, ...] = ()
        with self._at_work():
            self._passes = Passes(
                root if function is None else None,
                function,
                options,
                names=names,
                namespaces=spaces,
                maker=self._maker,
                keep=keep,
                echo=echo,
            )
        self.trace: TraceRecord = (
            self._run() if first_run is None else first_run(self._live, self._chains)
        )
        self.arguments = self._passes.arguments()

    @property
    def notice(self) -> tuple[str, dict[str, str]] | None:
        """What to tell the reader of the last change: a key of the language tables, and values."""
        if not self.dropped:
            return None
        return "notice.hooks_dropped", {"hooks": ", ".join(self.dropped)}

    def run(self) -> TraceRecord:
        """Run again with the hooks as they are now, and return the new trace.

        Raises:
            HookRunError: If it fails; the trace of before is kept.
        """
        with self._change(forward=True) as undo:
            undo(lambda: None)
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

        Args:
            target: A tensor or module of the graph, its name, or an id: `t2`, `m3`, or `n4` for a
                function.
            hook: A callable, or the text of a lambda or `def`.
            kind: What it is to be: on a tensor `tensor_hook` if not said, on a module
                `module_forward_hook`, on a function `node_hook`.
            with_kwargs: Whether a forward hook is given keyword arguments as well; by what it
                takes if not said.

        Raises:
            UnknownTargetError: If the graph has no such thing.
            HookvizError: If that takes no hook of this kind, or the forward cannot be run again.
            HookSourceError: If it is no usable hook; nothing was changed.
            HookRunError: If the run fails with it; it was taken off again.
        """
        self._check_open()
        owner, chosen = find_owner(self._live, target, kind)
        if isinstance(owner, LiveModule):
            self._passes.check_can_change_modules()
        function, source, has_kwargs = self._maker.make(hook, chosen, with_kwargs=with_kwargs)
        with self._change(forward=isinstance(owner, LiveModule)) as undo:
            added = self._add(owner, chosen, function, source, with_kwargs=has_kwargs)
            undo(lambda: added.table.take_off(added.key))
        self._passes.note_added(added)
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
        self._passes.check_can_change(found)
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
        self._passes.check_can_change(found, order=True)
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
        self._passes.check_can_change(found, order=True)
        table, key = found.table, found.key
        old = table.order()
        with self._change(forward=found) as undo:
            entry = table.take_off(key)
            undo(lambda: table.put_back(key, entry, old))

    def without(self, hooks: Iterable[HookId] | None = None) -> TraceRecord:
        """Return the trace of one more pass with some hooks off; everything is put back after it.

        Args:
            hooks: Which ones; all that can be left out if not given. Hooks that cannot be listed
                stay on.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If one of them belongs to a forward that cannot be run again.
        """
        self._check_open()
        self._check_idle()
        chosen = None if hooks is None else [self.find_hook(hook) for hook in hooks]
        for hook in chosen or ():
            if not self._passes.can_switch(hook):
                self._passes.check_can_change_modules()
        with self._passes.put_back(always=True), self._at_work():
            if self._passes.needs_forward_without(chosen):
                return self._passes.run_without(chosen, self._run)
            listed = self._passes.listed() if chosen is None else chosen
            with switched_off(listed):
                return self._run()

    def close(self) -> None:
        """Put the user's own hooks back as they were found, and take the added ones off.

        Raises:
            HookvizError: If a pass is running; call it when that has finished.
        """
        if self._closed:
            return
        self._check_idle()
        self._passes.release()
        self._closed = True
        # The trace stays, the graph can go.
        del self._passes, self._maker

    # -- changes --------------------------------------------------------------------------------

    @contextmanager
    def _change(self, *, forward: bool | AnyHook) -> Iterator[Callable[[Undo], None]]:
        """Run again after the block, and take the change back if that fails or is interrupted.

        Args:
            forward: Whether the forward has to be run again: or the hook that is changed.
        """
        self._check_open()
        self._check_idle()
        if not isinstance(forward, bool):
            forward = forward.is_on_module
        steps: list[Undo] = []
        with self._passes.put_back() as keep:
            try:
                yield steps.append
                with self._at_work():
                    trace, dropped = self._passes.run_again(self._run, forward=forward)
                if trace.error is not None:
                    raise HookRunError(run_message(trace), trace=trace)
                keep()
            except BaseException:
                for undo in reversed(steps):
                    undo()
                self._chains.refresh()
                raise
        self.trace, self.dropped = trace, dropped

    def _run(self) -> TraceRecord:
        with self._at_work():
            return self._passes.run()

    def _add(
        self,
        owner: Owner,
        kind: HookKind,
        function: Hook,
        source: HookSource,
        *,
        with_kwargs: bool,
    ) -> AnyHook:
        chains = self._chains
        if isinstance(owner, LiveTensor):
            return chains.add(owner, function, source, kind)
        if isinstance(owner, LiveModule):
            return chains.modules.add(owner, kind, function, source, with_kwargs=with_kwargs)
        return chains.nodes.add(owner.id, kind, function, source)

    def _switch(self, hook_id: HookId, *, enabled: bool) -> None:
        found = self.find_hook(hook_id)
        self._passes.check_can_change(found)
        old = found.entry.enabled

        def put(value: bool) -> None:  # noqa: FBT001 - a setter of one value
            found.entry.enabled = value
            found.table.put(found.key)

        with self._change(forward=found) as undo:
            put(enabled)
            undo(lambda: put(old))


def _put(hook: AnyHook, function: Hook, source: HookSource) -> None:
    hook.entry.function, hook.entry.source = function, source
    hook.table.put(hook.key)
