"""Say which exception ended the pass, and where it came from."""

from __future__ import annotations

from collections.abc import Iterable

from hookviz._records import ErrorEvent, HookRecord
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.words.change import Change, arguments, gradients
from hookviz._view.words.phrases import join, place_of_error
from hookviz._view.words.words import Side, Words


class ErrorWords(Words[ErrorEvent]):
    """The words for an exception."""

    def row(self) -> Message:
        """Return `ValueError raised by hook c_hook`."""
        error, hook = self.event.error.type, self._hook()
        if hook is None:
            return Message("what.error.node", {"error": error})
        return Message("what.error.hook", {"error": error, "hook": hook.label})

    def sentence(self) -> Text:
        """Return what raised which exception, what it means, and that backward stops."""
        error = self.event.error
        args: dict[str, Argument] = {"error": error.type, "message": error.message}
        why = Message(error.explanation) if error.explanation else None
        if self.event.module is not None:
            return join(self._at_module(self.event.module, args), why)
        return join(self._in_backward(args), why, Message("caption.error.stops"))

    def sides(self) -> Iterable[tuple[Side, Change]]:
        """Yield what the hook of a module was given."""
        hook, given = self._hook(), arguments(self.event.arguments_before)
        if given:
            is_after = hook is not None and hook.kind == "module_forward_hook"
            yield "output" if is_after else "input", Change(given, given)

    def change(self) -> Change:
        """Return the gradient that arrived; nothing came of it."""
        return Change(gradients(self.event.incoming), ())

    def _at_module(self, module: str, args: dict[str, Argument]) -> Text:
        hook = self._hook()
        args = {**args, "module": module}
        if hook is not None:
            return Message("caption.error.module_hook", {**args, "hook": hook.label})
        if module:
            return Message("caption.error.module", args)
        return join(Message("caption.error.around", args), place_of_error(self.event.error))

    def _in_backward(self, args: dict[str, Argument]) -> Message:
        hook = self._hook()
        tensor = self.event.tensor or self.event.error.tensor
        node = self.event.node or self.event.error.node
        if hook is not None and tensor:
            args = {**args, "hook": hook.label, "tensor": tensor}
            return Message("caption.error.hook", args)
        if hook is None and node:
            args = {**args, "node": self.index.name_of_node(node)}
            return Message("caption.error.node", args)
        return Message("caption.error", args)

    def _hook(self) -> HookRecord | None:
        return self.event.hook or self.event.error.hook
