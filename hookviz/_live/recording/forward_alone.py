"""Make the plain record of a watched block: its events, and the graph behind its output."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from hookviz._live.forward.find import forward_of
from hookviz._live.forward.watch import LiveForward
from hookviz._live.graph.capture import LiveGraph, capture_live
from hookviz._live.graph.describe import describe
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.module_hooks import forward_events
from hookviz._live.user.names import Namespace
from hookviz._parameters import Keep
from hookviz._records import ErrorEvent, TraceRecord


def forward_graph(live: LiveForward, *, namespaces: Iterable[Namespace] = ()) -> LiveGraph:
    """Return the graph behind the result of the last outermost call; it may have no nodes."""
    outputs = [tensor for _, tensor in live.output]
    graph = _captured(outputs, tuple(namespaces))
    graph.forward = forward_of(live.log, graph.nodes)
    return graph


def trace_of(live: LiveForward, graph: LiveGraph, chains: HookChains, *, keep: Keep) -> TraceRecord:
    """Return the record of a watched block whose graph was captured already."""
    described = describe(graph, chains, keep=keep)
    events = list(forward_events(graph.forward, chains.modules))
    error = live.log.error
    if graph.forward.error is not None:
        error, said = graph.forward.error
        events.append(ErrorEvent(index=len(events), module="", error=error, printed=said))
    return TraceRecord(
        graph=described,
        events=tuple(events),
        grads={},
        error=error,
        torch_version=str(torch.__version__),
    )


def _captured(outputs: list[torch.Tensor], namespaces: tuple[Namespace, ...]) -> LiveGraph:
    with_graph = [tensor for tensor in outputs if tensor.requires_grad]
    roots = with_graph or outputs[:1]
    if not roots:
        return LiveGraph(root=torch.empty(0), nodes={}, edges=(), out_edges={}, leaves={})
    return capture_live(roots[0], also=roots[1:], namespaces=namespaces, may_be_freed=True)
