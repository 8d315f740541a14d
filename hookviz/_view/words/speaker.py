"""Write values for rows and sentences, which differ in how much room they have."""

from __future__ import annotations

from msgspec import Struct

from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.text.numbers import CARD_WIDTH
from hookviz._view.words.change import Change, Item, Parts, item_text, item_texts

MOST_CHANGES = 4
"""A row or a sentence tells the first of more arguments or outputs than this."""


class Speaker(Struct, frozen=True):
    """Write the values of one graph in a given room.

    Attributes:
        index: The graph.
        width: How long the text of a value may be.
        most_changes: How many arguments or outputs of a module are told.
    """

    index: GraphIndex
    width: int = CARD_WIDTH
    most_changes: int = MOST_CHANGES

    def value(self, item: Item) -> Text:
        """Return one value."""
        return item_text(item, self.width)

    def values(self, parts: Parts) -> Argument:
        """Return one gradient, or the gradients per output slot, each with its slot."""
        texts = tuple(_with_slot(name, self.value(item)) for name, item in parts)
        return texts[0] if len(texts) == 1 else texts

    def in_and_out(self, change: Change) -> dict[str, Argument]:
        """Return what arrived and what went on: of several gradients the first that differs."""
        name, incoming, outgoing = (change.changed() or change.pairs())[0]
        first, second = item_texts(incoming, outgoing, self.width)
        return {"incoming": _with_slot(name, first), "outgoing": _with_slot(name, second)}

    def before_and_after(self, before: Item, after: Item) -> dict[str, Argument]:
        """Return a `.grad`, a value or an argument at two moments as arguments of a message."""
        first, second = item_texts(before, after, self.width)
        return {"before": first, "after": second}


def _with_slot(slot: str, gradient: Text) -> Text:
    return Message("slot.value", {"slot": slot, "gradient": gradient}) if slot else gradient
