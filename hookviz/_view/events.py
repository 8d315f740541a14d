"""Show the events of a pass as a tuple: a line each in a terminal, a table in a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from hookviz._records import AnyEvent, Event, GraphRecord
from hookviz._records.listing import Listing
from hookviz._records.table import table_html

_SHOWN = ("index", "kind", "where", "what", "printed")


class Events(Listing[AnyEvent]):
    """Events of one pass; in a notebook a table with the words of the transcript."""

    graph = GraphRecord()
    every: Sequence[Event] = ()

    @classmethod
    def of(cls, graph: GraphRecord, every: Sequence[Event], chosen: Sequence[AnyEvent]) -> Events:
        """Return some events of a pass.

        Args:
            graph: The graph of the pass.
            every: All events of the pass: a row may speak of earlier events.
            chosen: The events to show.
        """
        events = cls(chosen)
        events.graph, events.every = graph, every
        return events

    def _repr_html_(self) -> str:
        # Here and not above: a script that reads events pays for no words.
        from hookviz._view.rows import rows_of

        chosen = {event.index for event in self}
        rows = (row for row in rows_of(self.graph, self.every) if row["index"] in chosen)
        return table_html(_SHOWN, ([str(row[name]) for name in _SHOWN] for row in rows))
