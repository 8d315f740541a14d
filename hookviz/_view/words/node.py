"""Say what a backward function received, and what it sent where."""

from __future__ import annotations

from hookviz._records import EdgeRecord, NodeEvent, TensorSnapshot
from hookviz._view.lookup.arrivals import value_at
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.words.change import Change, gradients
from hookviz._view.words.phrases import join, listing, sum_sentences, sum_text
from hookviz._view.words.words import Asked, Words


class NodeWords(Words[NodeEvent]):
    """The words for a backward function that ran."""

    def row(self) -> Message:
        """Return `sends 8 to c and 12 to d`, with the sums that are complete with it."""
        sent = self._sent_texts(with_sums=True)
        if not sent:
            return Message("what.node.nothing")
        return Message("what.node", {"sent": listing(sent)})

    def sentence(self) -> Text:
        """Return what arrived and what was sent, and what became of it there."""
        args = {"node": self.node, "incoming": self._incoming()}
        sent = self._sent_texts(with_sums=False)
        if not sent:
            return Message("caption.node.nothing", args)
        args["sent"] = listing(sent)
        owners = self.index.tensors_named_at((self.event.node or "", 0))
        if owners:
            args["tensor"] = owners[0].label
        sentence = Message("caption.node.of" if owners else "caption.node", args)
        node = self.index.nodes.get(self.event.node or "")
        meaning = Message(node.annotation) if node is not None and node.annotation else None
        sends_none = self.event.outgoing and any(value is None for _, value in self._sent())
        none = Message("caption.node.none") if sends_none else None
        sums = sum_sentences(self.index, self.news.arrivals)
        waits = [
            Message("caption.sum.wait", {"tensor": self.index.name_of_slot(slot)})
            for slot in self.news.waiting[:1]
        ]
        return join(sentence, meaning, none, *sums, *waits)

    def question(self) -> Asked | None:
        """Ask what the node sends along each of its edges."""
        sent = self._sent()
        if not sent:
            return None
        tensors = listing([self._name_of_target(edge) for edge, _ in sent])
        args = {"node": self.node, "incoming": self._incoming(), "tensor": tensors}
        return Message("question.node", args), [value for _, value in sent]

    def change(self) -> Change:
        """Return the gradients that arrived, and what was sent to each place."""
        sent = tuple((self._name_of_target(edge), value) for edge, value in self._sent())
        return Change(gradients(self.event.incoming), sent)

    def _incoming(self) -> Argument:
        return self.speaker.values(gradients(self.event.incoming))

    def _sent(self) -> list[tuple[EdgeRecord, TensorSnapshot | None]]:
        """Return the gradient on each edge of the node."""
        return [
            (edge, value_at(self.event.outgoing, place))
            for place, edge in self.index.sent_along(self.event.node)
        ]

    def _name_of_target(self, edge: EdgeRecord) -> str:
        return self.index.name_of_slot((edge.target, edge.input_nr))

    def _sent_texts(self, *, with_sums: bool) -> list[Text]:
        """Return `8 to c` for each edge, and the sum where it is complete with this."""
        sums = {arrival.slot: arrival for arrival in self.news.arrivals} if with_sums else {}
        texts: list[Text] = []
        # `x * x` sends twice to one slot: the sum belongs to the last of them.
        for edge, value in reversed(self._sent()):
            args: dict[str, Argument] = {
                "outgoing": self.speaker.value(value),
                "tensor": self._name_of_target(edge),
            }
            arrival = sums.pop((edge.target, edge.input_nr), None)
            total = sum_text(arrival) if arrival is not None else None
            texts.append(Message("sent.sum", {**args, **total}) if total else Message("sent", args))
        return texts[::-1]
