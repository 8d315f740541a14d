"""Prepare a graph for backward and run it: the one order of steps for every pass of hookviz."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import torch
from msgspec import Struct
from msgspec.structs import replace

from hookviz._live.forward.watch import LiveForward
from hookviz._live.graph.capture import LiveGraph, capture_live
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.tensors import check_root
from hookviz._live.hooks.ids import HookIds
from hookviz._live.hooks.typed import own_namespaces
from hookviz._live.recording.forward_alone import forward_graph, trace_of
from hookviz._live.recording.options import BackwardOptions, with_gradient
from hookviz._live.recording.run import record_backward
from hookviz._live.session.root_function import FunctionRun, check_result
from hookviz._live.user.names import Namespace
from hookviz._parameters import Keep
from hookviz._records import ErrorRecord, TraceRecord


class PassSettings(Struct, frozen=True, kw_only=True):
    """The wishes of a caller that hold for each pass.

    Attributes:
        options: The arguments of backward; a missing gradient is filled in for each pass anew.
        names: Names given by hand.
        namespaces: Variables among which names are looked for, in order.
        keep: See `Keep`.
        echo: Whether the output of user code also reaches standard output.
    """

    options: BackwardOptions = msgspec.field(default_factory=BackwardOptions)
    names: Mapping[str, torch.Tensor] | None = None
    namespaces: tuple[Namespace, ...] = ()
    keep: Keep = "summary"
    echo: bool = True


class ReadyGraph(Struct, frozen=True):
    """A checked and captured graph with its hooks: `backward()` can run through it.

    Attributes:
        live: The graph.
        chains: Its hooks.
        settings: The wishes of the caller.
        forward: The forward, where it alone is the pass: a backward has not been asked for, or the
            function raised before there was a root.
    """

    live: LiveGraph
    chains: HookChains
    settings: PassSettings
    forward: LiveForward | None = None

    @classmethod
    def behind(cls, root: Any, settings: PassSettings, *, ids: HookIds | None = None) -> ReadyGraph:
        """Check a root, and capture the graph behind it.

        Args:
            root: The tensor on which backward is to be called, or the run of the function that
                made it.
            settings: The wishes of the caller.
            ids: See `HookChains`.

        Raises:
            HookvizError: If backward cannot be called on the root.
        """
        whole = None
        if isinstance(root, FunctionRun):
            seen = (*settings.namespaces, *own_namespaces(root.function))
            settings = replace(settings, namespaces=seen)
            if root.has_failed:
                return cls.of_forward(root.live, settings, ids=ids)
            whole = root.live.log
            root = check_result(root.result)
        root = check_root(root)
        with_gradient(root, settings.options)  # refuses before anything is captured
        live = capture_live(root, names=settings.names, namespaces=settings.namespaces, whole=whole)
        return cls(live, HookChains(live, ids=ids), settings)

    @classmethod
    def of_forward(
        cls, forward: LiveForward, settings: PassSettings, *, ids: HookIds | None = None
    ) -> ReadyGraph:
        """Capture the graph behind the last output of a watched block, for a pass without backward.

        Args:
            forward: The block.
            settings: The wishes of the caller.
            ids: See `HookChains`.
        """
        live = forward_graph(forward, namespaces=settings.namespaces)
        return cls(live, HookChains(live, ids=ids), settings, forward)

    def run(self, backward: Callable[[], object] | None = None) -> TraceRecord:
        """Run backward once and return the trace; see `record`."""
        finish, _ = self.record(backward)
        return finish()

    def record(
        self, backward: Callable[[], object] | None = None
    ) -> tuple[Callable[[], TraceRecord], ErrorRecord | None]:
        """Run backward once, and leave the making of the records for later.

        Args:
            backward: The user's own call of `backward()`, to be made in place of hookviz's; its
                output reaches standard output in any case.

        Returns:
            The function that makes the trace, and the error that ended the pass.
        """
        if self.forward is not None:
            trace = trace_of(self.forward, self.live, self.chains, keep=self.settings.keep)
            return lambda: trace, trace.error
        recording = record_backward(
            self.live,
            self.chains,
            with_gradient(self.live.root, self.settings.options),
            keep=self.settings.keep,
            echo=self.settings.echo or backward is not None,
            backward=backward,
        )
        return recording.trace, recording.error
