"""Hold the interface of the words for an event, and what is common to all kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, Literal, TypeAlias, TypeVar

from hookviz._records import Event, HookEvent, TensorSnapshot
from hookviz._view.lookup.arrivals import News
from hookviz._view.text.message import Message, Text
from hookviz._view.words.change import Change, gradients, parts_text
from hookviz._view.words.phrases import join, sum_sentences
from hookviz._view.words.speaker import Speaker

E = TypeVar("E", bound=Event)

Labelled: TypeAlias = Sequence[tuple[str, TensorSnapshot | None]]
"""Values of one moment, each with a label; a label is empty where there is one value."""

Asked: TypeAlias = tuple[Message, Sequence[TensorSnapshot | None]]
"""A question and the values that answer it."""

Side: TypeAlias = Literal["input", "output", "grad_output", "grad_input"]
"""Where values go into a call of a module or come out of it, in the forward and in backward."""


class Words(ABC, Generic[E]):
    """The words for one event; there is a subclass for each kind.

    Attributes:
        event: The event.
        speaker: Writes values.
        index: The graph.
        news: What becomes known with the event.
    """

    def __init__(self, event: E, speaker: Speaker, news: News) -> None:
        self.event = event
        self.speaker = speaker
        self.index = speaker.index
        self.news = news

    @abstractmethod
    def row(self) -> Message:
        """Return what happened: the row of the timeline without the name."""

    @abstractmethod
    def sentence(self) -> Text:
        """Return what happened and why, in a sentence or two."""

    def question(self) -> Asked | None:
        """Return what a learner can foresee, or `None` where nothing can be asked."""
        return None

    def change(self) -> Change:
        """Return the values that the event started from, and those that came of it."""
        return Change(gradients(self.event.incoming), gradients(self.event.outgoing))

    def did(self) -> Text | None:
        """Return what a hook did, for its own row on a card or a box; `None` if no hook did."""
        if not isinstance(self.event, HookEvent):
            return None
        change = self.change()
        unchanged = parts_text(change.after)
        if not change.changed() and unchanged:
            return Message("hook.unchanged", {"gradient": unchanged})
        return change.news_text() or Message("hook.ran")

    def sides(self) -> Iterable[tuple[Side, Change]]:
        """Yield what the event shows of a call of a module."""
        return ()

    def values(self) -> tuple[Labelled, Labelled]:
        """Return the tensors' values before and after the event."""
        before, after = (
            [(name, item) for name, item in parts if not isinstance(item, str)]
            for parts in (self.change().before, self.change().after)
        )
        return before, after

    def who(self) -> tuple[Literal["tensor", "node", "module"], str]:
        """Return what the event happened to, and its name."""
        if self.event.module is not None:
            return "module", self.event.module
        return ("tensor", self.tensor) if self.tensor else ("node", self.node)

    def line(self) -> Message:
        """Return the row of the timeline: `c: 8 → 10 by hook c_hook`."""
        style, name = self.who()
        key = {"tensor": "line.tensor", "node": "line.node", "module": "line.module"}[style]
        line = Message(key, {style: name, "what": self.row()}) if name else self.row()
        return Message("line.pass", {"line": line}) if self.event.timeline else line

    def caption(self) -> Text:
        """Return the text under the picture: the sentence, and what surprises people here."""
        caption = join(self.sentence(), *map(Message, self.event.notes))
        return Message("caption.pass", {"caption": caption}) if self.event.timeline else caption

    @property
    def tensor(self) -> str:
        """The name of the event's tensor, or empty."""
        tensor = self.index.tensor_of(self.event.tensor)
        return tensor.label if tensor is not None else (self.event.tensor or "")

    @property
    def node(self) -> str:
        """The name of the event's node, or empty."""
        return self.index.name_of_node(self.event.node)


class TensorWords(Words[E]):
    """The words for what happens to the gradient of one tensor."""

    @abstractmethod
    def happened(self) -> Text:
        """Return the sentence about the event itself."""

    def sentence(self) -> Text:
        """Return sums that are complete now, the event, and what else it changed in memory."""
        sums = sum_sentences(self.index, self.news.arrivals)
        return join(*sums, self.happened(), self._reached())

    def _reached(self) -> Message | None:
        """Return the sentence about what else lies in memory that was changed in place."""
        places = tuple(map(self._place, self.event.reached))
        return Message("caption.hook.reached", {"reached": places}) if places else None

    def _place(self, name: str) -> Text:
        edge = self.index.edges.get(name)
        if edge is None:
            return name
        tensor = self.index.name_of_slot((edge.target, edge.input_nr))
        return Message("place.edge", {"tensor": tensor})
