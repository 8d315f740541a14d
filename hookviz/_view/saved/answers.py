"""Answer in advance what a reader of a saved page may ask, since no Python answers there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hookviz._records import TraceRecord
from hookviz._view.compare.compare import Comparison
from hookviz._view.groups.tree import GroupTree
from hookviz._view.page.boxes import all_opened
from hookviz._view.saved.box_map import box_map
from hookviz._view.saved.openings import map_openings, openings, seen_open
from hookviz._view.saved.passes import kept_passes, with_room
from hookviz._view.saved.pictures import Fragments
from hookviz._view.saved.stops import kept_stops
from hookviz._view.steps.steps import Step
from hookviz._view.steps.stops import to_json_data
from hookviz._view.svg.picture import picture_for_page

MOST_BYTES = 1_000_000
"""How much the pictures of one explorer may add to a page."""

MOST_PICTURES = 40
"""How many combinations of open boxes have a picture of their own; the others share a map."""

MOST_COMPARED = 12
"""The same for pictures with room for what another pass had."""

MOST_DRAWN = 60_000
"""Elements after which no more pictures are drawn: they are what takes the time."""

MOST_MAPPED = 400_000
"""How much the maps of one kind may add, beyond the first."""


def kept_answers(
    trace: TraceRecord,
    steps: Sequence[Step],
    expanded: Collection[str],
    *,
    tree: GroupTree,
    comparisons: Mapping[str, Comparison],
) -> dict[str, Any]:
    """Return a trait that holds answers to requests of the page.

    Any boxes open and close. The likely combinations have pictures that are laid out for them; for
    all others there is a map, see `view/box_map.py`. Passes are compared with those that were run.

    Args:
        trace: The pass.
        steps: Its steps, without a comparison.
        expanded: Ids of the boxes that are open at first.
        tree: The groups of its graph.
        comparisons: What is different in other passes, by their names.

    Returns:
        `kept`, or nothing where nothing can be asked.
    """
    if not tree.groups and not comparisons:
        return {}
    everything = all_opened(trace.graph, tree=tree)
    kept = _Kept(trace, tree, expanded, everything)
    kept.add("plain", steps, MOST_PICTURES)
    if comparisons:
        kept.add("compared", with_room(steps, comparisons.values()), MOST_COMPARED)
    opened = tree.openable(tree.groups)
    return {
        "kept": {
            "openable": [box for box in tree.groups if box in opened],
            "all": list(everything),
            "fragments": kept.fragments.data(),
            "pictures": kept.pictures,
            "maps": kept.maps,
            "stops": [
                [box, is_open, *to_json_data([stop])]
                for box, is_open, stop in kept_stops(trace, steps, tree)
            ],
            "passes": kept_passes(steps, comparisons),
        }
    }


class _Kept:
    def __init__(
        self,
        trace: TraceRecord,
        tree: GroupTree,
        expanded: Collection[str],
        everything: Collection[str],
    ) -> None:
        self.graph, self.tree = trace.graph, tree
        self.expanded, self.everything = expanded, everything
        self.fragments = Fragments()
        self.pictures: dict[str, dict[str, list[Any]]] = {}
        self.maps: dict[str, list[list[Any]]] = {}
        self.drawn = 0

    def add(self, kind: str, steps: Sequence[Step], most: int) -> None:
        """Draw pictures of one kind as long as there is room for more, and their map."""
        self._add_maps(kind, steps)
        tree = self.tree
        pictures = self.pictures.setdefault(kind, {})
        for key in openings(tree, self.expanded, self.everything):
            if len(pictures) >= most:
                break
            root = picture_for_page(self.graph, steps, expanded=key, tree=tree)
            pictures[" ".join(key)] = self.fragments.picture(root)
            self.drawn += len(root.findall(".//*"))
            if self.fragments.size > MOST_BYTES or self.drawn > MOST_DRAWN:
                break

    def _add_maps(self, kind: str, steps: Sequence[Step]) -> None:
        """Draw maps: one for everything, then smaller ones while there is room."""
        found: list[list[Any]] = []
        most = self.fragments.size + MOST_MAPPED
        for opened in map_openings(self.tree, self.everything):
            drawn = box_map(self.graph, steps, opened, self.tree)
            if drawn is None or (found and self.fragments.size > most):
                break
            found.append([list(seen_open(self.tree, opened)), *self.fragments.map(drawn)])
        # The page takes the first one that has all its boxes: the smallest.
        self.maps[kind] = sorted(found, key=lambda data: len(data[0]))
