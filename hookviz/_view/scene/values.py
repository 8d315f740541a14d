"""Connect the calls of a forward that left no graph: inputs, the order of calls, outputs.

Which output became which input is not known then. So arrows between calls say only which came
after which, and values stand where they were handed in and given back.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from msgspec import Struct

from hookviz._view.groups.tree import GroupTree
from hookviz._view.groups.value_keys import MOST_VALUES, value_key
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.scene import Box, Connector, Frame
from hookviz._view.scene.value_card import measure_value
from hookviz._view.scene.visible import Visible


class Values(Struct, frozen=True):
    """The cards and arrows that are drawn besides the calls."""

    boxes: list[Box]
    connectors: list[Connector]


def values_of(
    tree: GroupTree,
    visible: Visible,
    drawn: Mapping[str, Box],
    frames: Mapping[str, Frame],
    fields: Fields,
) -> Values:
    """Return cards for the values of outermost calls, and arrows between everything.

    Args:
        tree: The calls.
        visible: The visible calls.
        drawn: Closed calls by id.
        frames: Open calls by id.
        fields: The texts.
    """
    values = Values([], [])
    ids = {key: box.id for key, box in drawn.items()}
    ids.update((key, frame.id) for key, frame in frames.items())

    def connect(kind: str, key: str, tail: str, head: str) -> None:
        values.connectors.append(
            Connector(
                id=f"v{len(values.connectors)}",
                kind="flow" if kind == "flow" else "order",
                keys=(key,),
                tail=tail,
                head=head,
            )
        )

    for call in tree.top:
        if call not in ids:
            continue
        for side in "io":
            for place in range(MOST_VALUES):
                key = value_key(call, side, place)
                path = fields.now(key, "path")
                if not isinstance(path, str) or not path:
                    break
                box = Box(id=f"v{call}{side}{place}", content=measure_value(key, path, fields))
                values.boxes.append(box)
                ends = (box.id, ids[call]) if side == "i" else (ids[call], box.id)
                connect("flow", key, *ends)
    for around in visible.frames:
        inside = [item for item in tree.items(around) if item in ids]
        for earlier, later in itertools.pairwise(inside):
            connect("order", earlier, ids[earlier], ids[later])
    return values
