"""Say what a hook of a tensor made of the gradient."""

from __future__ import annotations

from hookviz._records import TensorHookEvent
from hookviz._view.lookup.arrivals import single
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.words.phrases import join
from hookviz._view.words.words import Asked, TensorWords


class TensorHookWords(TensorWords[TensorHookEvent]):
    """The words for a hook that ran on the gradient of a tensor."""

    def row(self) -> Message:
        """Return `8 → 10 by hook c_hook`."""
        args = {"hook": self.event.hook.label, **self.speaker.in_and_out(self.change())}
        if self.event.mutated:
            return Message("what.hook.in_place", args)
        if self.event.rewritten:
            return Message("what.hook.rewrote", args)
        del args["outgoing"]
        return Message("what.hook.unchanged", args)

    def happened(self) -> Text:
        """Return which hook received and returned which gradient, and where that goes on."""
        event = self.event
        args = {"which": self._which(), **self.speaker.in_and_out(self.change())}
        if event.mutated:
            sentence = Message("caption.hook.in_place", args)
        elif event.rewritten:
            sentence = Message("caption.hook.rewrote", args)
        else:
            key = "caption.hook.none" if event.returned_none else "caption.hook.same"
            return Message(key, args)
        return sentence if event.reached else join(sentence, self._then(args["outgoing"]))

    def did(self) -> Text | None:
        """Return `8 → 10`, and whether it was done in place."""
        if not self.event.mutated:
            return super().did()
        ends = single(self.event.incoming), single(self.event.outgoing)
        return Message("hook.in_place", self.speaker.before_and_after(*ends))

    def question(self) -> Asked:
        """Ask which gradient goes on after the hook."""
        incoming = self.speaker.values(self.change().before)
        args = {"hook": self.event.hook.label, "incoming": incoming, "tensor": self.tensor}
        return Message("question.hook", args), [single(self.event.outgoing)]

    def _which(self) -> Message:
        """Return the hook, with its place where several hooks run on the tensor."""
        hook, place, count = self.event.hook.label, self.event.hook_index, self._count()
        args: dict[str, Argument] = {"hook": hook, "tensor": self.tensor}
        if place is None or count < 2:
            return Message("which.only", args)
        return Message("which.nth", {**args, "place": str(place + 1), "count": str(count)})

    def _then(self, outgoing: Argument) -> Message | None:
        """Return where the gradient goes next."""
        tensor, place = self.index.tensor_of(self.event.tensor), self.event.hook_index
        if tensor is None:
            return None
        if place is not None and place + 1 < self._count():
            return Message("then.next_hook", {"outgoing": outgoing})
        if tensor.is_leaf:
            return Message("then.leaf", {"outgoing": outgoing, "tensor": tensor.label})
        node = self.index.name_of_node(tensor.node)
        return Message("then.node", {"outgoing": outgoing, "node": node})

    def _count(self) -> int:
        """Return how many hooks run on the tensor."""
        tensor = self.index.tensor_of(self.event.tensor)
        hooks = () if tensor is None else tensor.hooks
        return sum(hook.kind == "tensor_hook" and hook.enabled for hook in hooks)
