"""Decide how often a leaf is drawn, and which of its uses lead to which copy."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

MOST_SHARED_USES = 3
"""A leaf that is used more often than this is drawn once per use.

Long edges from everywhere to one card are what makes a layout slow and unreadable.
"""

MOST_USES_BY_BOXES = 6
"""Used by more closed boxes than this, a leaf is not drawn for them: it is inside them all."""

MOST_LEAVES_OF_A_BOX = 6
"""Of a closed box that uses more leaves than this all by itself, none is drawn."""


class Uses(Struct, frozen=True):
    """The visible functions and boxes that send gradients to a leaf.

    Attributes:
        by_function: For each such arrow whether it comes from a function, and not from a box.
        is_parameter: Whether a module that was watched has it as a parameter.
    """

    by_function: tuple[bool, ...]
    is_parameter: bool

    def copies(self) -> tuple[int, list[int | None]]:
        """Return how many cards there are, and for each arrow which it leads to, if any."""
        count = len(self.by_function)
        functions = sum(self.by_function)
        boxes = count - functions
        if self.is_parameter and not functions and boxes:
            return 0, [None] * count
        if count <= MOST_SHARED_USES:
            return 1, [0] * count
        draws_boxes = boxes <= MOST_USES_BY_BOXES and not self.is_parameter
        places: list[int | None] = []
        used = 0
        for is_function in self.by_function:
            is_drawn = is_function or draws_boxes
            places.append(used if is_drawn else None)
            used += is_drawn
        return used, places


def is_crowded(leaves_of_box: Sequence[str]) -> bool:
    """Return whether a closed box uses so many leaves that drawing them would hide the rest."""
    return len(leaves_of_box) > MOST_LEAVES_OF_A_BOX
