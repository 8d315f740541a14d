"""Find the arrows of a picture: edges into or inside closed boxes are merged or left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct

from hookviz._records import EdgeRecord, GraphRecord
from hookviz._view.groups.tree import TOP
from hookviz._view.scene.visible import Visible

Slot = tuple[str, int]


class Arrow(Struct):
    """Gradient edges from one thing that is drawn to another.

    Attributes:
        keys: Ids of the edges; several only at a closed box.
        tail: The node or closed group that sends.
        head: The receiver: a node, a closed group, a slot on which a card stands, or the node
            of a leaf.
        slot: The output slot of the node at which it arrives.
    """

    keys: list[str]
    tail: str
    head: str | Slot
    slot: int = 0


def find_arrows(
    graph: GraphRecord,
    visible: Visible,
    *,
    carded: Collection[Slot],
    leaves: Collection[str],
) -> list[Arrow]:
    """Return the arrows in the order of the edges.

    Args:
        graph: The graph.
        visible: The visible part of it.
        carded: The slots on which a tensor's card stands.
        leaves: The nodes of leaves that may be drawn.
    """
    arrows: list[Arrow] = []
    merged: dict[tuple[str, str | Slot], Arrow] = {}
    for edge in graph.edges:
        arrow = _arrow(edge, visible, carded, leaves)
        if arrow is None:
            continue
        is_at_box = arrow.tail in visible.closed_set or arrow.head in visible.closed_set
        known = merged.get((arrow.tail, arrow.head)) if is_at_box else None
        if known is not None:
            known.keys += arrow.keys
            continue
        if is_at_box:
            merged[arrow.tail, arrow.head] = arrow
        arrows.append(arrow)
    return arrows


def resolve(
    slot: Slot,
    visible: Visible,
    carded: Collection[Slot],
    *,
    key: str = "",
    is_behind_card: bool = False,
) -> tuple[str, str | Slot, int] | None:
    """Follow a gradient through nodes that are not drawn.

    Args:
        slot: Where it goes.
        visible: The visible part of the graph.
        carded: The slots on which a card stands.
        key: The edge that it comes along.
        is_behind_card: Whether it has passed the cards on that slot already.

    Returns:
        The edge that it comes along in the end, what receives it, and at which output slot;
        `None` if it goes nowhere.
    """
    while is_behind_card or slot not in carded:
        is_behind_card = False
        node_id, output_nr = slot
        box = visible.box_of(node_id)
        if box != TOP:
            return key, box, 0
        if not visible.is_passed_through(node_id):
            return key, node_id, output_nr
        behind = visible.behind(node_id, output_nr)
        if behind is None:
            return None
        key, slot = behind
    return key, slot, 0


def _arrow(
    edge: EdgeRecord, visible: Visible, carded: Collection[Slot], leaves: Collection[str]
) -> Arrow | None:
    source = edge.source
    tail = visible.box_of(source)
    if tail == TOP:
        if visible.is_passed_through(source):
            return None
        tail = source
    elif tail == visible.box_of(edge.target):
        return None
    found = resolve((edge.target, edge.input_nr), visible, carded, key=edge.id)
    if found is None:
        return None
    key, head, slot = found
    if tail == head or not visible.is_drawn(tail):
        return None
    if isinstance(head, str) and head not in leaves and not visible.is_drawn(head):
        return None
    return Arrow([key], tail, head, slot)


def leaf_arrows(arrows: list[Arrow], leaves: Mapping[str, object]) -> dict[str, list[Arrow]]:
    """Return the arrows to each leaf, by its node."""
    found: dict[str, list[Arrow]] = {}
    for arrow in arrows:
        if isinstance(arrow.head, str) and arrow.head in leaves:
            found.setdefault(arrow.head, []).append(arrow)
    return found
