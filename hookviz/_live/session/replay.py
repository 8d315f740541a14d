"""Run the graph of a session again and again, each time from the state before the first run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch

from hookviz._live.graph.hooks import AnyHook, dictionaries, switched_off
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.maker import HookMaker
from hookviz._live.hooks.places import BACKWARD_KINDS
from hookviz._live.hooks.table import HookTable, table_of
from hookviz._live.session.carry_over import CarryOver
from hookviz._live.session.lease import HookLease
from hookviz._live.session.put_back import KeptGrads, KeptNumbers, RandomState
from hookviz._live.session.ready_graph import PassSettings, ReadyGraph
from hookviz._live.session.repeatable import Forgotten, RepeatableFunction, placeholders_away
from hookviz._live.session.root_function import is_function
from hookviz._records import TraceRecord
from hookviz.errors import HookvizError

NEEDS_FUNCTION = (
    "this needs the forward to be run again, and hookviz was given the tensor that came out of it. "
    "Pass a function that computes it instead, as in hookviz.explore(lambda: model(x).sum())."
)


class Backward(Protocol):
    """A way to make one pass through a graph that is ready."""

    def run(self, graph: ReadyGraph) -> TraceRecord:
        """Run backward and return the trace."""

    def close(self) -> None:
        """Let go of everything that only a further pass would need."""


class PlainBackward:
    """A pass in which hookviz calls `root.backward(...)`."""

    def run(self, graph: ReadyGraph) -> TraceRecord:
        """Run backward and return the trace."""
        return graph.run()

    def close(self) -> None:
        """Do nothing: the graph frees itself."""


class Replay:
    """The graph of a session, and each further run of it.

    Attributes:
        graph: The graph as the last forward has made it.
    """

    def __init__(
        self, root: Any, settings: PassSettings, *, backward: Backward, maker: HookMaker
    ) -> None:
        """Capture the graph; a function that makes the root is run for it.

        Args:
            root: The tensor on which to call backward, or the function that makes it.
            settings: The wishes of the caller.
            backward: Makes each pass.
            maker: Makes hooks from text anew for a new forward.
        """
        self._settings, self._backward, self._maker = settings, backward, maker
        self._ids = HookIds()
        self._gradient = KeptNumbers(settings.options.gradient)
        self._function: RepeatableFunction | None = None
        if is_function(root):
            self._function = RepeatableFunction(root, keep=settings.keep, echo=settings.echo)
            root = self._function.run()
        self.graph = ReadyGraph.behind(root, settings, ids=self._ids)
        self._lease = HookLease(self.graph.chains)
        self._before = KeptGrads(self.graph.live.tensors)
        self._forgotten: Forgotten | None = None

    @property
    def has_function(self) -> bool:
        """Whether the forward can be run again."""
        return self._function is not None

    # -- passes ---------------------------------------------------------------------------------

    def run(self) -> TraceRecord:
        """Run backward through the graph from the state in which it is now."""
        try:
            return self._backward.run(self.graph)
        finally:
            self._lease.renew()

    def run_again(self, *, forward: bool) -> tuple[TraceRecord, tuple[str, ...]]:
        """Run backward from the `.grad`s of before the first pass.

        Args:
            forward: Whether to run a new forward first, if there is a function for it.

        Returns:
            The trace, and the labels of the hooks for which the new graph has no place.
        """
        if not forward or self._function is None:
            return self._run_from_start(), ()
        random = RandomState()
        try:
            carried = self._run_forward(self._function, carry=True)
            trace = self._run_from_start()
        finally:
            random.restore()
        if trace.error is None:
            chains = self.graph.chains
            self._lease.move_to(chains)
            for table, key in carried.added:
                self._lease.note_added(table, key)
            hooks = [table.hooks for table in chains.tables.values()]
            self._ids.forget_all_but((*hooks, *(t.hooks for t in chains.nodes.tables())))
        return trace, tuple(carried.dropped)

    def run_without(self, hooks: Iterable[AnyHook] | None) -> TraceRecord:
        """Run once more with some hooks off, and put everything back.

        Args:
            hooks: These hooks; every one that can be turned off if `None`. A new forward is run
                if one of them stands on a module.
        """
        with self.put_back(always=True):
            chosen = self._switchable() if hooks is None else tuple(hooks)
            with switched_off(chosen):
                on_module = any(hook.is_on_module for hook in chosen)
                if self._function is None or not on_module:
                    return self._run_from_start()
                self._run_forward(self._function, carry=hooks is not None)
                off = {hook.id for hook in chosen}
                again = [h for h in self._switchable() if hooks is None or h.id in off]
                with switched_off(again):
                    return self._run_from_start()

    @contextmanager
    def put_back(self, *, always: bool = False) -> Iterator[Callable[[], None]]:
        """Put graph, `.grad`s and buffers back after the block, unless it calls the given function.

        Args:
            always: Whether to do so in any case, and with random generators too.
        """
        random = RandomState() if always else None
        graph, before = self.graph, self._before
        results = KeptGrads(graph.live.tensors)
        buffers = None if self._function is None else self._function.buffers.of_now()
        is_kept: list[bool] = []
        self._forgotten = None
        try:
            yield lambda: is_kept.append(True)
        finally:
            if always or not is_kept:
                if self._function is not None and self._forgotten is not None:
                    self._function.take_back(self._forgotten)
                if self.graph is not graph:
                    self._before.restore()
                    self.graph.chains.nodes.remove_all()
                self.graph, self._before = graph, before
                results.restore()
                if self._function is not None and buffers is not None:
                    self._function.buffers.restore()
                    buffers.restore()
                self.graph.chains.refresh()
            if random is not None:
                random.restore()
            self._forgotten = None

    def note_added(self, hook: AnyHook) -> None:
        """Remember a hook that was registered, to take it off in the end."""
        if isinstance(hook.table, HookTable):
            self._lease.note_added(hook.table, hook.key)

    def close(self) -> None:
        """Put every hook back as it was found, and take the added ones off."""
        self._lease.release()
        self._backward.close()

    # -- permissions ----------------------------------------------------------------------------

    def check_can_change_modules(self) -> None:
        """Refuse to add, move or remove hooks of modules where no function was given.

        Raises:
            HookvizError: If the forward cannot be run again.
        """
        if not self.has_function:
            raise HookvizError(NEEDS_FUNCTION)

    def check_can_change(self, hook: AnyHook, *, order: bool = False) -> None:
        """Refuse to change a hook whose forward cannot be run again, or registers it again.

        Args:
            hook: The hook.
            order: Whether it is to be moved or removed, not only edited or turned on or off.

        Raises:
            HookvizError: If the hook cannot be changed.
        """
        if not hook.is_on_module:
            return
        self.check_can_switch(hook)
        if order:
            self.check_can_change_modules()
        if self._function is not None and self._function.registers(hook.key):
            raise HookvizError(
                f"the function itself registers the hook {hook.entry.source.label} on "
                f"{hook.owner.label}, and does so again each time it runs. Change it there."
            )

    def check_can_switch(self, hook: AnyHook) -> None:
        """Refuse to turn off a hook that has done its work in a forward that is over.

        Raises:
            HookvizError: If the hook cannot be turned off.
        """
        if not self.can_switch(hook):
            self.check_can_change_modules()

    def can_switch(self, hook: AnyHook) -> bool:
        """Return whether a hook can be turned off, which some need a new forward for."""
        if not hook.is_on_module or self.has_function:
            return True
        # Backward hooks are a part of the graph that the forward has made; there they can be.
        seat = (id(hook.table.hooks), hook.key)
        marks = (call.mark for call in self.graph.live.forward.calls)
        return hook.kind in BACKWARD_KINDS and any(
            mark is not None and seat in mark.hooks for mark in marks
        )

    def _switchable(self) -> tuple[AnyHook, ...]:
        chains = self.graph.chains
        return (*chains.all(), *(hook for hook in chains.others() if self.can_switch(hook)))

    # -- one run --------------------------------------------------------------------------------

    def _start_over(self) -> None:
        self._before.restore()
        # A hook on the root may have written to it, and a leaf may have its memory for `.grad`.
        self._gradient.restore()

    def _run_from_start(self) -> TraceRecord:
        self._start_over()
        return self.run()

    def _run_forward(self, function: RepeatableFunction, *, carry: bool) -> CarryOver:
        """Put the graph of a new forward in the place of the present one.

        Args:
            function: Runs it.
            carry: Whether the explorer's changes of hooks are to be made in the new graph too.
        """
        self._start_over()
        old = self.graph
        modules = tuple(old.chains.modules.tables.values())
        self._forgotten = function.forget(
            (*((None, table) for table in modules), *_tensor_tables(old))
        )
        with placeholders_away(modules):
            run = function.again()
            new = ReadyGraph.behind(run, self._settings, ids=self._ids)
        tensors = [owner.tensor for owner in new.live.tensors]
        # Tensors that the function has made anew have their hooks; the others' are to be carried.
        self._forgotten.come_back(but=(None, *tensors))
        new.chains.refresh()
        carried = CarryOver(old, new, maker=self._maker)
        if carry and not run.has_failed:
            carried.carry()
            for table, entries, where in self._forgotten.on(new.live.tensors):
                again = [key for key in table.listed() if function.registers(key)]
                carried.change_again(entries, table, again, where)
            new.chains.refresh()
        self.graph, self._before = new, self._before.renewed(new.live.tensors)
        return carried


def _tensor_tables(graph: ReadyGraph) -> Iterator[tuple[torch.Tensor, HookTable]]:
    for owner in graph.live.tensors:
        for _, hooks in dictionaries(owner):
            yield owner.tensor, table_of(hooks)
