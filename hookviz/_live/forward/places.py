"""Turn places in the user's code into plain data: file, line, text, and the code around."""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType
from typing import Any

from hookviz._live.forward.book import CodePlace
from hookviz._live.user.cell_line import as_written
from hookviz._live.user.code import cell_number, lines_of, name_of_file, span_of
from hookviz._live.user.storable import storable
from hookviz._records import SourceRecord

MOST_LINES = 300
"""A script of more lines is cut down to the surroundings of those that are spoken of."""

_AROUND = 10


class CodeRecords:
    """The code of the places that were asked for, each file read once."""

    def __init__(self) -> None:
        self._lines: dict[int, tuple[CodeType, dict[int, str]]] = {}
        self._used: dict[str, list[CodePlace]] = {}

    def fields(self, place: CodePlace | None) -> dict[str, Any]:
        """Return `code_file`, `code_line` and `code_text` of a record; empty where not known."""
        if place is None:
            return {}
        code, line = place
        text = self._lines_of(code).get(line, "")
        if text:
            self._used.setdefault(code.co_filename, []).append(place)
        return {
            "code_file": storable(name_of_file(code.co_filename)),
            "code_line": line,
            "code_text": storable(text.strip()),
        }

    def sources(self) -> tuple[SourceRecord, ...]:
        """Return the code around all places so far: whole cells, whole functions of files."""
        records = []
        for filename, places in self._used.items():
            lines = self._lines_of(places[0][0])
            for first, last in _joined(self._span(place, places) for place in places):
                text = "\n".join(lines.get(number, "") for number in range(first, last + 1))
                name = storable(name_of_file(filename))
                records.append(SourceRecord(file=name, first_line=first, text=storable(text)))
        return tuple(records)

    def _lines_of(self, code: CodeType) -> dict[int, str]:
        known = self._lines.get(id(code))
        if known is None:
            lines = dict(lines_of(code))
            if 1 in lines:
                lines[1] = as_written(lines[1])
            known = self._lines[id(code)] = (code, lines)
        return known[1]

    def _span(self, place: CodePlace, places: list[CodePlace]) -> tuple[int, int]:
        code, _ = place
        lines = self._lines_of(code)
        if cell_number(code.co_filename) is not None:
            return 1, max(lines)
        first, last = span_of(code)
        if code.co_name == "<module>":
            first, last = 1, max(lines)
        if last - first < MOST_LINES:
            return first, last
        used = [line for other, line in places if other is code]
        return max(first, min(used) - _AROUND), min(last, max(used) + _AROUND)


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last in sorted(set(spans)):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return joined
