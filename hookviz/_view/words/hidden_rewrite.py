"""Say that another gradient arrived than was sent, and that no listed hook explains it."""

from __future__ import annotations

from hookviz._records import HiddenRewriteEvent
from hookviz._view.text.message import Argument, Message
from hookviz._view.words.phrases import listing
from hookviz._view.words.words import TensorWords


class HiddenRewriteWords(TensorWords[HiddenRewriteEvent]):
    """The words for a rewrite that only the values show."""

    def row(self) -> Message:
        """Return the gradient that was sent and the one that arrived."""
        return Message("what.hidden", self._in_and_out())

    def happened(self) -> Message:
        """Return both gradients, the node that received the second, and what may have done it."""
        slot = self.index.slot_of(self.event)
        node = self.event.node if slot is None else slot[0]
        args = {
            "tensor": (self.event.tensor or "") if slot is None else self.index.name_of_slot(slot),
            "node": self.index.name_of_node(node),
            **self._in_and_out(),
        }
        return Message("caption.hidden", args)

    def _in_and_out(self) -> dict[str, Argument]:
        """Return all parts of a sum that was not recorded, else the two gradients."""
        change = self.change()
        if len(change.before) == 1:
            return self.speaker.in_and_out(change)
        parts = [self.speaker.value(part) for _, part in change.before]
        return {"incoming": listing(parts), "outgoing": self.speaker.value(change.after[0][1])}
