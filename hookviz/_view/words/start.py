"""Say with which gradient backward started."""

from __future__ import annotations

from hookviz._records import StartEvent
from hookviz._view.lookup.arrivals import single
from hookviz._view.text.message import Message, Text
from hookviz._view.words.change import Change, gradients
from hookviz._view.words.words import TensorWords


class StartWords(TensorWords[StartEvent]):
    """The words for the gradient that was handed to the root."""

    def row(self) -> Message:
        """Return `receives 1, backward starts here`."""
        return Message("what.start", {"gradient": self._gradient()})

    def happened(self) -> Message:
        """Return why the gradient is one, or that it was given."""
        root = self.index.tensor_of(self.event.tensor) or self.index.graph.root
        args = {"tensor": root.label, "gradient": self._gradient()}
        gradient = single(self.event.outgoing)
        is_number = gradient is not None and gradient.numel == 1 and gradient.values is not None
        if gradient is not None and is_number and gradient.item() == 1 and root.value.numel == 1:
            return Message("caption.start.one", args)
        return Message("caption.start.given", args)

    def change(self) -> Change:
        """Return the gradient; nothing comes before it."""
        return Change((), gradients(self.event.outgoing))

    def _gradient(self) -> Text:
        return self.speaker.value(single(self.event.outgoing))
