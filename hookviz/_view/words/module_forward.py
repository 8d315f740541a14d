"""Say what the forward of a module was given and gave, and what the hooks around it changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hookviz._records import (
    ModuleForwardEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
)
from hookviz._view.text.message import Argument, Message
from hookviz._view.words.change import Change, arguments
from hookviz._view.words.module import ModuleWords
from hookviz._view.words.words import Asked, Side

F = TypeVar("F", ModuleForwardEvent, ModuleForwardPreHookEvent, ModuleForwardHookEvent)


class _ForwardWords(ModuleWords[F]):
    question_key: str

    def changes(self) -> Argument:
        """Return the arguments or outputs that the hook changed."""
        return self.arguments(self.change().changed()) or Message("change.unchanged")

    def change(self) -> Change:
        """Return the arguments or outputs before and after."""
        return Change(arguments(self.event.arguments_before), arguments(self.event.arguments_after))

    def question(self) -> Asked:
        """Ask what comes out."""
        hook = {} if self.event.hook is None else {"hook": self.event.hook.label}
        message = Message(self.question_key, {"module": self.event.module or "", **hook})
        return message, [value for _, value in self.values()[1]]


class ModuleForwardWords(_ForwardWords[ModuleForwardEvent]):
    """The words for a forward that ran."""

    row_key = "what.module.forward"
    sentence_key = "caption.module.forward"
    question_key = "question.forward"

    def changes(self) -> Argument:
        """Return the outputs; the arguments stand in the rows before."""
        return self.outputs(self.change().after) or Message("change.unchanged")

    def sides(self) -> Iterable[tuple[Side, Change]]:
        """Yield the arguments, and the outputs."""
        change = self.change()
        yield "input", Change(change.before, change.before)
        yield "output", Change(change.after, change.after)


class ModuleForwardPreHookWords(_ForwardWords[ModuleForwardPreHookEvent]):
    """The words for a hook that ran before a forward."""

    row_key = "what.module.forward_pre"
    sentence_key = "caption.module.forward_pre"
    question_key = "question.forward_pre"
    side = "input"


class ModuleForwardHookWords(_ForwardWords[ModuleForwardHookEvent]):
    """The words for a hook that ran after a forward."""

    row_key = "what.module.forward_hook"
    sentence_key = "caption.module.forward_hook"
    question_key = "question.forward_hook"
    side = "output"
