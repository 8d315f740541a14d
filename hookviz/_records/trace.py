"""Hold one recorded backward pass."""

from __future__ import annotations

from msgspec import Struct

from hookviz._records.error import ErrorRecord
from hookviz._records.events import AnyEvent
from hookviz._records.graph import GraphRecord
from hookviz._records.snapshot import TensorSnapshot


class TraceRecord(Struct, frozen=True, kw_only=True):
    """Everything that one real `backward()` showed.

    Attributes:
        graph: The graph as it was before the pass.
        events: In the order in which the engine produced them.
        grads: The final `.grad` of each known tensor by label, `None` where there is none.
        error: The exception that ended the pass, or `None`.
        torch_version: The PyTorch that ran it.
        earlier: The last recorded pass with `create_graph=True` that made nodes of this graph, as
            it was; its own `earlier` may lead further back. `None` where there is none.
    """

    graph: GraphRecord
    events: tuple[AnyEvent, ...]
    grads: dict[str, TensorSnapshot | None]
    error: ErrorRecord | None = None
    torch_version: str = ""
    earlier: TraceRecord | None = None

    def passes(self) -> tuple[TraceRecord, ...]:
        """Return this pass and the earlier ones, the first pass first."""
        chain = [self]
        while chain[-1].earlier is not None:
            chain.append(chain[-1].earlier)
        return tuple(reversed(chain))
