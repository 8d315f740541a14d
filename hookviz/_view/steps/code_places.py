"""Find the line of the user's code that belongs to a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hookviz._records import CallRecord, ErrorRecord, NodeRecord, SourceRecord
from hookviz._view.groups.tree import GroupTree
from hookviz._view.groups.where import Where
from hookviz._view.lookup.index import GraphIndex

CodePlace = tuple[int, int]
"""Which source of the graph, and the number of a line in the file of that source, from 1."""


class CodePlaces:
    """Look up lines of the sources that a graph carries."""

    def __init__(self, index: GraphIndex, tree: GroupTree) -> None:
        self._index = index
        self._tree = tree
        self._sources: Sequence[SourceRecord] = index.graph.sources
        self._known: dict[tuple[str, int], CodePlace | None] = {}

    def of(self, where: Where) -> CodePlace | None:
        """Return the line that made what an event happened to, or `None`."""
        if not self._sources:
            return None
        if where.is_of_box:
            return self._around(where.box)
        tensor = self._index.tensors.get(where.tensor)
        node = self._index.nodes.get(where.node or (tensor.node if tensor is not None else ""))
        if tensor is not None and tensor.is_leaf:
            # A leaf was made outside of the graph.
            return None
        return self._line(node) if node is not None else None

    def of_error(self, error: ErrorRecord | None) -> CodePlace | None:
        """Return the line that raised, or `None`."""
        return None if error is None or not self._sources else self._line(error)

    def _around(self, box: str) -> CodePlace | None:
        """Return the line that made a call, else the one that made the call around it."""
        for group in reversed(self._tree.chain(box)):
            call = self._tree.groups[group].call
            place = self._line(call) if call is not None else None
            if place is not None:
                return place
        return None

    def _line(self, record: NodeRecord | CallRecord | ErrorRecord) -> CodePlace | None:
        line = record.code_line
        if line is None:
            return None
        key = record.code_file, line
        if key not in self._known:
            self._known[key] = next(
                (
                    (place, line)
                    for place, source in enumerate(self._sources)
                    if source.file == record.code_file
                    and 0 <= line - source.first_line < len(source.text.splitlines())
                ),
                None,
            )
        return self._known[key]


def code_data(sources: Sequence[SourceRecord]) -> list[dict[str, Any]]:
    """Return the user's code as the browser gets it."""
    return [
        {
            "file": source.file,
            "first": source.first_line,
            "lines": source.text.splitlines(),
        }
        for source in sources
    ]
