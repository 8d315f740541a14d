"""Keep the stops of a pass for any boxes that are open: each says with which boxes it is there."""

from __future__ import annotations

from hookviz._view.steps.stops import Stop
from hookviz._view.svg.picture import Drawn

KeptStop = tuple[str, bool, Stop]
"""A box, whether that has to be open or closed, and the stop that is there then.

What happens in a closed box is told at that box, however the boxes beside it are, so a stop is
there whenever its box can be seen and is as it says.
"""


def kept_stops(drawn: Drawn) -> tuple[KeptStop, ...]:
    """Return every stop that there is with any boxes open."""
    tree = drawn.tree
    found: dict[tuple[str, bool, int], Stop] = {}
    depths = {group_id: len(tree.chain(group_id)) for group_id in tree.groups}
    for depth in range(max(depths.values(), default=0) + 1):
        # Everything above is open, everything at this depth closed.
        opened = [group_id for group_id in tree.groups if depths[group_id] <= depth]
        for stop in drawn.stops(opened):
            is_open = stop.box in tree.openable(opened)
            found.setdefault((stop.box, is_open, stop.step), stop)
    return tuple((box, is_open, stop) for (box, is_open, _), stop in found.items())
