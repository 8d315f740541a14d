"""Say what a post-accumulate hook did to a leaf and to its `.grad`."""

from __future__ import annotations

from hookviz._records import PostAccumulateHookEvent
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.text.numbers import change_text
from hookviz._view.words.phrases import join
from hookviz._view.words.words import Asked, TensorWords


class PostAccumulateHookWords(TensorWords[PostAccumulateHookEvent]):
    """The words for a hook that ran after the gradient was added to a leaf's `.grad`."""

    def row(self) -> Message:
        """Return which of the two the hook changed, and how."""
        args: dict[str, Argument] = {"hook": self.event.hook.label}
        if self._changed_grad:
            args |= self.speaker.in_and_out(self.change())
        if self._changed_value:
            args |= self._value_texts()
        if self._changed_grad and self._changed_value:
            return Message("what.post.both", args)
        if self._changed_grad:
            return Message("what.post.grad", args)
        return Message("what.post.value" if self._changed_value else "what.post.unchanged", args)

    def happened(self) -> Text:
        """Return when the hook runs, and each thing that it changed."""
        effects: list[Text] = []
        if self._changed_grad:
            grads = {"tensor": self.tensor, **self.speaker.in_and_out(self.change())}
            is_cleared = self.event.grad_after is None
            key = "caption.post.cleared" if is_cleared else "caption.post.grad"
            effects.append(Message(key, grads))
        if self._changed_value:
            values = {"tensor": self.tensor, **self._value_texts()}
            effects.append(Message("caption.post.value", values))
        if not effects:
            effects.append(Message("caption.post.unchanged", {"tensor": self.tensor}))
        args = {"hook": self.event.hook.label, "tensor": self.tensor}
        return join(Message("caption.post", args), *effects)

    def did(self) -> Text:
        """Return what the hook changed; `.grad` goes before the value."""
        if self._changed_grad:
            return change_text(self.event.grad_before, self.event.grad_after, with_shape=False)
        if self._changed_value:
            return Message("hook.value", self._value_texts())
        return Message("hook.ran")

    def question(self) -> Asked:
        """Ask what `.grad` is after the hook."""
        args = {"hook": self.event.hook.label, "tensor": self.tensor}
        return Message("question.post", args), [self.event.grad_after]

    @property
    def _changed_grad(self) -> bool:
        return self.event.grad_before != self.event.grad_after

    @property
    def _changed_value(self) -> bool:
        return self.event.value_before != self.event.value_after

    def _value_texts(self) -> dict[str, Argument]:
        return self.speaker.before_and_after(self.event.value_before, self.event.value_after)
