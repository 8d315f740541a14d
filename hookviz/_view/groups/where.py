"""Find the place of an event: its tensor, node and hook, and the box around them."""

from __future__ import annotations

from msgspec import Struct

from hookviz._records import AccumulateEvent, Event, HiddenRewriteEvent
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.lookup.index import GraphIndex


class Where(Struct, frozen=True):
    """The place of an event; a part that does not apply is empty.

    Attributes:
        tensor, node, hook: Ids.
        box: Id of the innermost group; for an event of a call as such, the call itself.
        is_of_box: Whether it happened to the call as such: its forward ran, or a hook of its
            module.
    """

    tensor: str = ""
    node: str = ""
    hook: str = ""
    box: str = TOP
    is_of_box: bool = False


def where_of(index: GraphIndex, tree: GroupTree, event: Event) -> Where:
    """Return the place of one event."""
    error = event.error
    tensor = index.tensor_of(event.tensor or (error.tensor if error is not None else None))
    node = event.node or (error.node if error is not None else None) or ""
    hook = event.hook or (error.hook if error is not None else None)
    if isinstance(event, HiddenRewriteEvent) and tensor is None and node:
        tensor = next(iter(index.tensors_named_at((node, event.slot or 0))), None)
    if isinstance(event, AccumulateEvent) and tensor is not None and tensor.is_leaf:
        node = node or tensor.node
    is_of_box = False
    if event.module is not None:
        box = tree.call_of(event.module, event.call)
        is_of_box = is_about(tree, box, event)
    elif tensor is not None:
        is_leaf = tensor.is_leaf
        owner = tree.owner.get(tensor.node) if is_leaf else tree.tensor_owner.get(tensor.id)
        box = owner or TOP
    else:
        box = tree.owner.get(node, TOP)
    return Where(
        tensor=tensor.id if tensor is not None else "",
        node=node,
        hook=hook.id if hook is not None else "",
        box=box,
        is_of_box=is_of_box,
    )


def is_about(tree: GroupTree, box: str, event: Event) -> bool:
    """Return whether an event happened to a call as such: its forward, a hook of its module."""
    group = tree.groups.get(box)
    if group is None or group.module is None or group.call is None:
        return False
    return group.module.name == event.module and group.call.number == (event.call or 0)
