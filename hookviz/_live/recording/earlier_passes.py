"""Remember passes with `create_graph=True`, whose gradients may be run backward in turn."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from hookviz._live import internals
from hookviz._live.graph.capture import LiveGraph
from hookviz._records import NodeRecord, TraceRecord

MOST_PASSES = 4
"""How many passes are remembered in each thread."""

ANNOTATION = "node.made_by_pass"


class EarlierPass(Struct, frozen=True):
    """A finished pass that gave its gradients a graph of their own; plain data, nothing live.

    Attributes:
        trace: What was recorded of it.
        numbers: The sequence numbers of all nodes that its thread made while it ran.
    """

    trace: TraceRecord
    numbers: range


class _OfThread(threading.local):
    """PyTorch numbers nodes in each thread apart, so each has passes of its own to remember."""

    def __init__(self) -> None:
        self.passes: deque[EarlierPass] = deque(maxlen=MOST_PASSES)


_of_thread = _OfThread()


def remember(trace: TraceRecord, numbers: range) -> None:
    """Remember a pass that has made nodes with these numbers."""
    if numbers:
        _of_thread.passes.append(EarlierPass(trace, numbers))


def find_earlier(live: LiveGraph) -> tuple[TraceRecord | None, dict[str, int]]:
    """Find the passes that made nodes of a graph.

    Returns:
        The trace of the last such pass, and for each node that it or a pass before it in its chain
        made, the place of that pass in the chain, from 1.
    """
    if not _of_thread.passes:
        return None, {}
    numbers: dict[str, Any] = {}
    for node_id, node in live.nodes.items():
        numbers[node_id] = internals.number_of(node)
    for last in reversed(_of_thread.passes):
        if any(number in last.numbers for number in numbers.values()):
            return last.trace, _made_by(last.trace, numbers)
    return None, {}


def _made_by(trace: TraceRecord, numbers: Mapping[str, Any]) -> dict[str, int]:
    ranges = {id(one.trace): one.numbers for one in _of_thread.passes}
    made: dict[str, int] = {}
    for place, one in enumerate(trace.passes(), start=1):
        # A pass that is remembered no more has no range; its nodes stay unmarked.
        of_pass = ranges.get(id(one), range(0))
        made.update({node_id: place for node_id, n in numbers.items() if n in of_pass})
    return made


def marked(nodes: tuple[NodeRecord, ...], made: Mapping[str, int]) -> tuple[NodeRecord, ...]:
    """Mark the nodes that an earlier pass made, and return all of them."""
    if not made:
        return nodes
    return tuple(
        replace(node, made_by_pass=made[node.id], annotation=node.annotation or ANNOTATION)
        if node.id in made
        else node
        for node in nodes
    )
