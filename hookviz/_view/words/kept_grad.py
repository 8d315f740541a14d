"""Say what became of the `.grad` of a tensor: of a leaf, and of a non-leaf that retains it."""

from __future__ import annotations

from typing import TypeVar

from hookviz._records import AccumulateEvent, GradEvent, RetainGradEvent
from hookviz._view.lookup.arrivals import single
from hookviz._view.text.message import Argument, Message
from hookviz._view.words.change import Change
from hookviz._view.words.words import Asked, Labelled, TensorWords

G = TypeVar("G", bound=GradEvent)


class _KeptGradWords(TensorWords[G]):
    """The words for a gradient that was put into `.grad`."""

    def question(self) -> Asked:
        """Ask what `.grad` is now."""
        return Message("question.grad", {"tensor": self.tensor}), [self.event.grad_after]

    def change(self) -> Change:
        """Return `.grad` before and after."""
        return Change(((".grad", self.event.grad_before),), ((".grad", self.event.grad_after),))

    def values(self) -> tuple[Labelled, Labelled]:
        """Return `.grad` before, what was added to it, and `.grad` after."""
        before, after = super().values()
        added = [("+", single(self.event.incoming))]
        return [*before, *added], after

    def _before_and_after(self) -> dict[str, Argument]:
        return self.speaker.before_and_after(self.event.grad_before, self.event.grad_after)

    def _incoming(self) -> dict[str, Argument]:
        return {"incoming": self.speaker.value(single(self.event.incoming))}


class RetainGradWords(_KeptGradWords[RetainGradEvent]):
    """The words for a non-leaf that keeps its gradient."""

    def row(self) -> Message:
        """Return `.grad keeps 2 (retain_grad)`."""
        args = self._before_and_after()
        if self.event.grad_before is None:
            return Message("what.keep", {"after": args["after"]})
        return Message("what.keep.add", {**args, **self._incoming()})

    def happened(self) -> Message:
        """Return why `.grad` is kept, and what it was and is."""
        args = {"tensor": self.tensor, **self._before_and_after()}
        if self.event.grad_before is None:
            return Message("caption.keep", args)
        return Message("caption.keep.add", {**args, **self._incoming()})


class AccumulateWords(_KeptGradWords[AccumulateEvent]):
    """The words for a leaf to whose `.grad` a gradient was added."""

    def row(self) -> Message:
        """Return `.grad None → 112`, or the addition."""
        args = self._before_and_after()
        if single(self.event.incoming) is None:
            return Message("what.accumulate.none", {"after": args["after"]})
        if self.event.grad_before is None:
            return Message("what.accumulate.first", {"after": args["after"]})
        return Message("what.accumulate.add", {**args, **self._incoming()})

    def happened(self) -> Message:
        """Return why `.grad` is kept, and what it was and is."""
        args = {"tensor": self.tensor, **self._before_and_after()}
        if single(self.event.incoming) is None:
            return Message("caption.accumulate.none", args)
        tensor = self.index.tensor_of(self.event.tensor)
        if tensor is not None and not tensor.is_leaf:
            return Message("caption.accumulate.input", args)
        if self.event.grad_before is None:
            return Message("caption.accumulate.first", args)
        return Message("caption.accumulate.add", {**args, **self._incoming()})
