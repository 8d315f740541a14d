"""Say what a hook made of the gradients before or after a backward function."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from hookviz._records import NodeHookEvent, NodePrehookEvent
from hookviz._view.text.message import Argument, Message
from hookviz._view.words.words import Words

N = TypeVar("N", NodePrehookEvent, NodeHookEvent)


class _NodeHookWords(Words[N]):
    """The words for a hook of a node.

    Attributes:
        rewrote, unchanged: The keys of the row and of the sentence.
    """

    rewrote: ClassVar[tuple[str, str]]
    unchanged: ClassVar[tuple[str, str]]

    def row(self) -> Message:
        """Return `8 → 10 by hook clip`."""
        return Message(self._keys()[0], self._args())

    def sentence(self) -> Message:
        """Return when the hook ran, and what it changed."""
        return Message(self._keys()[1], {"node": self.node, **self._args()})

    def _keys(self) -> tuple[str, str]:
        return self.rewrote if self._is_rewritten() else self.unchanged

    def _args(self) -> dict[str, Argument]:
        change, hook = self.change(), self.event.hook.label
        if self._is_rewritten():
            return {"hook": hook, **self.speaker.in_and_out(change)}
        return {"hook": hook, "incoming": self.speaker.values(change.before)}

    def _is_rewritten(self) -> bool:
        return self.event.rewritten and self.event.incoming != self.event.outgoing


class NodePrehookWords(_NodeHookWords[NodePrehookEvent]):
    """The words for a hook that ran before a backward function."""

    rewrote = "what.node_prehook.rewrote", "caption.node_prehook.rewrote"
    unchanged = "what.node_prehook.unchanged", "caption.node_prehook.unchanged"


class NodeHookWords(_NodeHookWords[NodeHookEvent]):
    """The words for a hook that ran after a backward function."""

    rewrote = "what.node_hook.rewrote", "caption.node_hook.rewrote"
    unchanged = "what.node_hook.unchanged", "caption.node_hook.unchanged"
