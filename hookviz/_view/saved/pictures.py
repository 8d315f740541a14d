"""Keep many pictures of one pass in little room: most of their parts are the same."""

from __future__ import annotations

import json
import re
from typing import Any

from hookviz._view.saved.box_map import BoxMap
from hookviz._view.svg.element import Element, to_markup

_PLACE = re.compile(r'^<g transform="translate\(([-\d. ]+)\)"')

_DRAWING = "hv-drawing"
_HERE = "here"
"""Stands in for the parts of a drawing while the rest is written; it cannot be taken for other
text, since the characters before and after it are escaped in any."""


class Fragments:
    """The parts of several pictures as markup, each one once; its place is kept apart.

    Attributes:
        size: How many characters everything takes so far.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self.size = 0

    def data(self) -> list[str]:
        """Return every part in the order of its place."""
        return list(self._places)

    def picture(self, root: Element) -> list[Any]:
        """Return a picture: the markup before and after its parts, and the parts."""
        return self._written(root, [self._part(part) for part in _drawing(root)])

    def map(self, drawn: BoxMap) -> list[Any]:
        """Return a map like a picture; with each part stand the boxes with which it is seen."""
        parts = [
            [[*part.opened, *(f"-{box}" for box in part.closed)], self._part(part.drawn)]
            for part in drawn.parts
        ]
        return self._written(drawn.sheet, parts)

    def _written(self, root: Element, parts: list[Any]) -> list[Any]:
        drawing = _drawing(root)
        del drawing[:]
        drawing.text = _HERE
        before, _, after = to_markup(root).rpartition(f">{_HERE}<")
        data = [f"{before}>", f"<{after}", parts]
        self.size += len(json.dumps(data, separators=(",", ":")))
        return data

    def _part(self, part: Element) -> int | list[Any]:
        # A place stands first: then the page puts it back without looking into the markup.
        attributes = dict(part.attrib)
        place = attributes.pop("transform", None)
        part.attrib.clear()
        part.attrib.update({"transform": place} if place else {}, **attributes)
        markup = to_markup(part)
        found = _PLACE.match(markup)
        if found is None:
            return self._number(markup)
        return [self._number(f"<g{markup[found.end() :]}"), found[1]]

    def _number(self, markup: str) -> int:
        if markup not in self._places:
            self.size += len(markup)
        return self._places.setdefault(markup, len(self._places))


def _drawing(root: Element) -> Element:
    return next(group for group in root if group.get("class") == _DRAWING)
