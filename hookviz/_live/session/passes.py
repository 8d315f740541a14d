"""Make the passes of one session: each from the start, with or without a new forward."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from hookviz._live.forward.log import ForwardLog
from hookviz._live.forward.watch import LiveForward
from hookviz._live.graph.capture import LiveGraph, capture_live
from hookviz._live.graph.hooks import AnyHook, HookChains, dictionaries, switched_off
from hookviz._live.graph.tensors import check_root
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.maker import HookMaker
from hookviz._live.hooks.places import BACKWARD_KINDS
from hookviz._live.hooks.table import HookTable, table_of
from hookviz._live.recording.forward_alone import forward_graph, trace_of
from hookviz._live.recording.options import BackwardOptions, with_gradient
from hookviz._live.recording.run import run_backward
from hookviz._live.session.arguments import given_arguments
from hookviz._live.session.carry_over import Carrier
from hookviz._live.session.holding import Holding
from hookviz._live.session.put_back import KeptGrads, KeptNumbers
from hookviz._live.session.put_back_random import RandomState
from hookviz._live.session.rerun import Forgotten, Rerun, placeholders_away
from hookviz._live.session.root_function import FunctionRun, RootFunction, check_result
from hookviz._live.user.names import Namespace
from hookviz._parameters import Keep
from hookviz._records import BackwardArguments, TraceRecord
from hookviz.errors import HookvizError

Run = Callable[[], TraceRecord]

NEEDS_FUNCTION = (
    "this needs the forward to be run again, and hookviz was given the tensor that came out of it. "
    "Pass a function that computes it instead, as in hookviz.explore(lambda: model(x).sum())."
)


class Passes:
    """The graph that is shown, and how a pass through it, or through a new one, is made.

    Attributes:
        live: The graph.
        chains: Its hooks.
    """

    def __init__(
        self,
        root: Any,
        function: RootFunction | None,
        options: BackwardOptions,
        *,
        names: Mapping[str, torch.Tensor] | None,
        namespaces: tuple[Namespace, ...],
        maker: HookMaker,
        keep: Keep,
        echo: bool,
    ) -> None:
        """Capture the graph, running the function first if there is one.

        Args:
            root: The root, where there is no function that makes it.
            function: Makes the root.
            options: The arguments of backward.
            names: See `capture_live`.
            namespaces: See `capture_live`.
            maker: Makes typed hooks anew for a new forward.
            keep: See `Keep`.
            echo: Whether what user code prints also reaches standard output.
        """
        self._options, self._names, self._namespaces = options, names, namespaces
        self._maker, self._keep, self._echo = maker, keep, echo
        self._ids = HookIds()
        self._gradient = KeptNumbers(options.gradient)
        self._failed: LiveForward | None = None
        self._rerun: Rerun | None = None
        if function is None:
            self.live = self._capture(check_root(root))
        else:
            self._rerun = Rerun(function, keep=keep, echo=echo)
            self.live, self._failed = self._captured(self._rerun.run())
        self.chains = HookChains(self.live, ids=self._ids)
        self._holding = Holding(self.chains)
        self._before = KeptGrads(self.live.tensors)
        self._forgotten: Forgotten | None = None

    @property
    def has_function(self) -> bool:
        """Whether the forward can be run again."""
        return self._rerun is not None

    def arguments(self) -> BackwardArguments:
        """Return what backward was given, by name."""
        return given_arguments(
            self.live, self._options, names=self._names, namespaces=self._namespaces
        )

    # -- passes ---------------------------------------------------------------------------------

    def run(self) -> TraceRecord:
        """Run backward through the graph, from the `.grad`s of before the first pass."""
        if self._failed is not None:
            return trace_of(self._failed, self.live, self.chains, keep=self._keep)
        self._start_over()
        options = with_gradient(self.live.root, self._options)
        try:
            return run_backward(self.live, self.chains, options, keep=self._keep, echo=self._echo)
        finally:
            self._holding.renew()

    def run_again(self, run: Run, *, forward: bool) -> tuple[TraceRecord, tuple[str, ...]]:
        """Run again, with a new forward first if that is asked for and can be.

        Returns:
            The trace, and what the hooks are called that have no place in the new graph.
        """
        if not forward or self._rerun is None:
            return run(), ()
        random = RandomState()
        try:
            carrier = self._new_graph(carry=True)
            trace = run()
        finally:
            random.restore()
        if trace.error is None:
            self._holding.move_to(self.chains)
            for table, key in carrier.added:
                self._holding.note_added(table, key)
            hooks = [table.hooks for table in self.chains.tables.values()]
            self._ids.forget_all_but((*hooks, *(t.hooks for t in self.chains.nodes.tables())))
        return trace, tuple(carrier.dropped)

    def needs_forward_without(self, hooks: Iterable[AnyHook] | None) -> bool:
        """Return whether a pass without some hooks (`None`: any) needs a new forward."""
        chosen = self.listed() if hooks is None else tuple(hooks)
        return self.has_function and any(hook.is_on_module for hook in chosen)

    def run_without(self, hooks: Iterable[AnyHook] | None, run: Run) -> TraceRecord:
        """Run a new forward and backward with some hooks off; see `put_back`."""
        chosen = self.listed() if hooks is None else tuple(hooks)
        off = {hook.id for hook in chosen}
        random = RandomState()
        try:
            with switched_off(chosen):
                self._new_graph(carry=hooks is not None)
                others = [h for h in self.listed() if hooks is None or h.id in off]
                with switched_off(others):
                    return run()
        finally:
            random.restore()

    def listed(self) -> tuple[AnyHook, ...]:
        """Return every hook that can be turned off."""
        others = (hook for hook in self.chains.others() if self.can_switch(hook))
        return (*self.chains.all(), *others)

    @contextmanager
    def put_back(self, *, always: bool = False) -> Iterator[Callable[[], None]]:
        """Put graph, `.grad`s and buffers back after the block, unless it calls what it is given.

        Args:
            always: Whether to do so in any case, and with random generators too.
        """
        random = RandomState() if always else None
        graph = (self.live, self.chains, self._before, self._failed)
        results = KeptGrads(self.live.tensors)
        buffers = None if self._rerun is None else self._rerun.buffers.of_now()
        is_kept: list[bool] = []
        self._forgotten = None
        try:
            yield lambda: is_kept.append(True)
        finally:
            if always or not is_kept:
                if self._rerun is not None and self._forgotten is not None:
                    self._rerun.take_back(self._forgotten)
                if self.live is not graph[0]:
                    self._before.restore()
                    self.chains.nodes.remove_all()
                self.live, self.chains, self._before, self._failed = graph
                results.restore()
                if self._rerun is not None and buffers is not None:
                    self._rerun.buffers.restore()
                    buffers.restore()
                self.chains.refresh()
            if random is not None:
                random.restore()
            self._forgotten = None

    # -- what may be changed --------------------------------------------------------------------

    def check_can_change_modules(self) -> None:
        """Raise a `HookvizError` if hooks of modules cannot be added, moved or removed."""
        if not self.has_function:
            raise HookvizError(NEEDS_FUNCTION)

    def check_can_change(self, hook: AnyHook, *, order: bool = False) -> None:
        """Raise a `HookvizError` if a hook cannot be changed.

        Args:
            hook: The hook.
            order: Whether it is to be moved or removed, not only edited or turned on or off.
        """
        if not hook.is_on_module:
            return
        if order or not self.can_switch(hook):
            self.check_can_change_modules()
        if self._rerun is not None and self._rerun.registers(hook.key):
            raise HookvizError(
                f"the function itself registers the hook {hook.entry.source.label} on "
                f"{hook.owner.label}, and does so again each time it runs. Change it there."
            )

    def can_switch(self, hook: AnyHook) -> bool:
        """Return whether a hook can be turned off, which some need a new forward for."""
        if not hook.is_on_module or self.has_function:
            return True
        # Backward hooks are a part of the graph that the forward has made; there they can be.
        seat = (id(hook.table.hooks), hook.key)
        marks = (call.mark for call in self.live.forward.calls)
        return hook.kind in BACKWARD_KINDS and any(
            mark is not None and seat in mark.hooks for mark in marks
        )

    def note_added(self, hook: AnyHook) -> None:
        """Remember a hook that was registered, to take it off in the end."""
        if isinstance(hook.table, HookTable):
            self._holding.note_added(hook.table, hook.key)

    def release(self) -> None:
        """Put every hook back as it was found, and take the added ones off."""
        self._holding.release()

    # -- graphs ---------------------------------------------------------------------------------

    def _start_over(self) -> None:
        self._before.restore()
        # A hook on the root may have written to it, and a leaf may have its memory for `.grad`.
        self._gradient.restore()

    def _new_graph(self, *, carry: bool) -> Carrier:
        assert self._rerun is not None
        self._start_over()
        modules = tuple(self.chains.modules.tables.values())
        self._forgotten = self._rerun.forget(
            (*((None, table) for table in modules), *self._tensors())
        )
        with placeholders_away(modules):
            live, failed = self._captured(self._rerun.again())
        # Tensors that the function has made anew have their hooks; the others' are to be carried.
        self._forgotten.come_back(but=(None, *(owner.tensor for owner in live.tensors)))
        chains = HookChains(live, ids=self._ids)
        carrier = Carrier(self.live, self.chains, (live, chains), maker=self._maker)
        if carry and failed is None:
            carrier.carry()
            for table, entries in self._forgotten.on(owner.tensor for owner in live.tensors):
                again = [key for key in table.listed() if self._rerun.registers(key)]
                carrier.carry_registered(table, entries, again)
        self._before = self._before.renewed(live.tensors)
        self.live, self.chains, self._failed = live, chains, failed
        return carrier

    def _tensors(self) -> Iterator[tuple[torch.Tensor, HookTable]]:
        for owner in self.live.tensors:
            for _, hooks in dictionaries(owner):
                yield owner.tensor, table_of(hooks)

    def _captured(self, run: FunctionRun) -> tuple[LiveGraph, LiveForward | None]:
        if run.has_failed:
            return forward_graph(run.live, namespaces=self._namespaces), run.live
        return self._capture(check_result(run.result), run.live.log), None

    def _capture(self, root: torch.Tensor, log: ForwardLog | None = None) -> LiveGraph:
        with_gradient(root, self._options)  # refuses before anything is captured
        return capture_live(root, names=self._names, namespaces=self._namespaces, whole=log)
