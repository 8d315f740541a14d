"""Say what the backward hooks of a module made of the gradients at its border."""

from __future__ import annotations

from typing import TypeVar

from hookviz._records import ModuleBackwardHookEvent, ModuleBackwardPreHookEvent
from hookviz._view.text.message import Argument, Message
from hookviz._view.words.module import ModuleWords

B = TypeVar("B", ModuleBackwardPreHookEvent, ModuleBackwardHookEvent)


class _BackwardHookWords(ModuleWords[B]):
    def changes(self) -> Argument:
        """Return what became of the gradients, by the names that the hook's arguments have."""
        change = self.change()
        changed = change.changed()
        if len(change.after) == 1 and changed:
            _, before, after = changed[0]
            return Message("value.arrow", self.speaker.before_and_after(before, after))
        if len(change.after) == 1:
            return Message("change.same", {"gradient": self.speaker.value(change.after[0][1])})
        if changed:
            return self.arguments([(self._path(name), old, new) for name, old, new in changed])
        same = self.outputs(tuple((self._path(name), item) for name, item in change.after))
        return Message("change.same", {"gradient": same})

    def _path(self, place: str) -> str:
        return f"{self.side}[{place}]"


class ModuleBackwardPreHookWords(_BackwardHookWords[ModuleBackwardPreHookEvent]):
    """The words for a hook that ran before the backward of a module."""

    row_key = "what.module.backward_pre"
    sentence_key = "caption.module.backward_pre"
    side = "grad_output"


class ModuleBackwardHookWords(_BackwardHookWords[ModuleBackwardHookEvent]):
    """The words for a hook that ran after the backward of a module."""

    row_key = "what.module.backward_hook"
    sentence_key = "caption.module.backward_hook"
    side = "grad_input"
