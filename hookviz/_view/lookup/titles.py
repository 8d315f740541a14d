"""Say what a recording is of, in a few words."""

from __future__ import annotations

from collections.abc import Sequence

from hookviz._records import Event, GraphRecord
from hookviz._view.text.message import Message
from hookviz._view.text.width import clean, cut

_LONGEST_EM = 60.0


def is_forward_alone(graph: GraphRecord, events: Sequence[Event]) -> bool:
    """Return whether only the forward of modules was seen, and no backward."""
    if not graph.tensors:
        return True
    if is_without_graph(graph) and not events:
        return True
    return bool(events) and all(event.module is not None for event in events)


def is_without_graph(graph: GraphRecord) -> bool:
    """Return whether modules were called and left no graph, as under `no_grad`."""
    return not graph.nodes and bool(graph.calls or not graph.tensors)


def title_of(graph: GraphRecord, events: Sequence[Event]) -> str:
    """Return the call that was recorded, such as `loss.backward()` or `model(…)`."""
    if is_forward_alone(graph, events):
        return f"{_outermost(graph)}(…)"
    return f"{graph.root.label}.backward()"


def description_of(graph: GraphRecord) -> Message:
    """Return what a picture shows, for those who do not see it."""
    if is_without_graph(graph):
        module = cut(clean(_outermost(graph)), _LONGEST_EM)
        return Message("picture.description.forward", {"module": module})
    tensor = cut(clean(graph.root.label), _LONGEST_EM)
    return Message("picture.description", {"tensor": tensor})


def _outermost(graph: GraphRecord) -> str:
    names = {module.id: module.name for module in graph.modules}
    for call in graph.calls:
        if call.parent is None:
            return names.get(call.module, call.module)
    return "forward"
