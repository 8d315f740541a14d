"""Answer the requests of a saved page in advance, since no Python answers there."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from hookviz._view.compare.compare import Comparison
from hookviz._view.groups.start import all_expanded
from hookviz._view.saved.box_map import box_map
from hookviz._view.saved.openings import map_openings, openings, seen_open
from hookviz._view.saved.passes import kept_passes, with_room
from hookviz._view.saved.pictures import Fragments
from hookviz._view.saved.stops import kept_stops
from hookviz._view.steps.stops import to_json_data
from hookviz._view.svg.picture import Drawn

MOST_BYTES = 1_000_000
"""How much the pictures of one explorer may add to a page."""

MOST_PICTURES = 40
"""How many combinations of open boxes have a picture of their own; the others share a map."""

MOST_COMPARED = 12
"""The same for pictures with room for the values of another pass."""

MOST_DRAWN = 60_000
"""Elements after which no more pictures are drawn: elements take the time."""

MOST_MAPPED = 400_000
"""How much the maps of one kind may add, beyond the first."""


def kept_answers(
    drawn: Drawn, expanded: Collection[str], comparisons: Mapping[str, Comparison]
) -> dict[str, Any]:
    """Return a trait that holds answers to requests of the page.

    Any boxes open and close. The likely combinations have pictures that are laid out for them; for
    all others there is a map, see `box_map`. Passes are compared with those that were run.

    Args:
        drawn: The pass, without a comparison.
        expanded: Ids of the boxes that are open at first.
        comparisons: The differences from other passes, by their names.

    Returns:
        `kept`, or nothing where nothing can be asked.
    """
    tree = drawn.tree
    if not tree.groups and not comparisons:
        return {}
    everything = all_expanded(drawn.graph, tree)
    kept = _Kept(expanded, everything)
    kept.add("plain", drawn, MOST_PICTURES)
    if comparisons:
        steps = with_room(drawn.steps, comparisons.values())
        kept.add("compared", Drawn(drawn.graph, steps, tree), MOST_COMPARED)
    opened = tree.openable(tree.groups)
    return {
        "kept": {
            "openable": [box for box in tree.groups if box in opened],
            "all": list(everything),
            "fragments": kept.fragments.data(),
            "pictures": kept.pictures,
            "maps": kept.maps,
            "stops": [
                [box, is_open, *to_json_data([stop])] for box, is_open, stop in kept_stops(drawn)
            ],
            "passes": kept_passes(drawn.steps, comparisons),
        }
    }


class _Kept:
    """Pictures and maps, as many as there is room for."""

    def __init__(self, expanded: Collection[str], everything: Collection[str]) -> None:
        self.expanded, self.everything = expanded, everything
        self.fragments = Fragments()
        self.pictures: dict[str, dict[str, list[Any]]] = {}
        self.maps: dict[str, list[list[Any]]] = {}
        self._elements = 0

    def add(self, kind: str, drawn: Drawn, most: int) -> None:
        """Add the maps of one kind, then pictures: the likely combinations of open boxes first."""
        self.maps[kind] = self._maps(drawn)
        pictures = self.pictures.setdefault(kind, {})
        for key in openings(drawn.tree, self.expanded, self.everything):
            if len(pictures) >= most:
                break
            root = drawn.picture_for_page(key)
            self._elements += len(root.findall(".//*"))
            pictures[" ".join(key)] = self.fragments.picture(root)
            if self.fragments.size > MOST_BYTES or self._elements > MOST_DRAWN:
                break

    def _maps(self, drawn: Drawn) -> list[list[Any]]:
        """Return maps: one for everything, and smaller maps while there is room."""
        found: list[list[Any]] = []
        most = self.fragments.size + MOST_MAPPED
        for opened in map_openings(drawn.tree, self.everything):
            one = box_map(drawn, opened)
            if one is None or (found and self.fragments.size > most):
                break
            found.append([list(seen_open(drawn.tree, opened)), *self.fragments.map(one)])
        # The page takes the first map that has all its boxes: the smallest.
        return sorted(found, key=lambda data: len(data[0]))
