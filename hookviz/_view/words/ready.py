"""Say what there is to say at step 0, before anything has happened."""

from __future__ import annotations

from collections.abc import Sequence

from hookviz._records import Event, GraphRecord
from hookviz._view.lookup.titles import is_forward_alone
from hookviz._view.text.message import Message, Text
from hookviz._view.words.phrases import join


def line_ready(events: Sequence[Event]) -> Message:
    """Return the row of step 0."""
    is_forward = bool(events) and events[0].module is not None
    return Message("line.ready.forward" if is_forward else "line.ready")


def caption_ready(graph: GraphRecord, events: Sequence[Event] = ()) -> Text:
    """Return the caption of step 0, with what has to be said before anything is shown."""
    error = events[0].error if events and not events[0].module else None
    if is_forward_alone(graph, events) and error is not None:
        sentence = Message("caption.ready.raised", {"error": error.type})
    elif is_forward_alone(graph, events):
        sentence = Message("caption.ready.forward_only")
    elif events and events[0].module is not None:
        sentence = Message("caption.ready.forward", {"tensor": graph.root.label})
    else:
        sentence = Message("caption.ready", {"tensor": graph.root.label})
    return join(sentence, *notes_of_modules(graph), *map(Message, graph.notes))


def notes_of_modules(graph: GraphRecord) -> list[Message]:
    """Return what there is to say about whole modules."""
    return [
        Message("caption.module.note", {"module": module.name, "note": Message(note)})
        for module in graph.modules
        for note in module.notes
    ]
