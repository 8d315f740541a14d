"""Find the words for an event by its kind."""

from __future__ import annotations

from typing import Any

from hookviz._records import (
    EVENT_CLASSES,
    AccumulateEvent,
    ErrorEvent,
    Event,
    HiddenRewriteEvent,
    ModuleBackwardHookEvent,
    ModuleBackwardPreHookEvent,
    ModuleForwardEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
    NodeEvent,
    NodeHookEvent,
    NodePrehookEvent,
    PostAccumulateHookEvent,
    RetainGradEvent,
    StartEvent,
    TensorHookEvent,
)
from hookviz._view.lookup.arrivals import News
from hookviz._view.words.error import ErrorWords
from hookviz._view.words.hidden_rewrite import HiddenRewriteWords
from hookviz._view.words.kept_grad import AccumulateWords, RetainGradWords
from hookviz._view.words.module import ModuleWords
from hookviz._view.words.module_backward_hooks import (
    ModuleBackwardHookWords,
    ModuleBackwardPreHookWords,
)
from hookviz._view.words.module_forward import (
    ModuleForwardHookWords,
    ModuleForwardPreHookWords,
    ModuleForwardWords,
)
from hookviz._view.words.node import NodeWords
from hookviz._view.words.node_hooks import NodeHookWords, NodePrehookWords
from hookviz._view.words.post_accumulate_hook import PostAccumulateHookWords
from hookviz._view.words.speaker import Speaker
from hookviz._view.words.start import StartWords
from hookviz._view.words.tensor_hook import TensorHookWords
from hookviz._view.words.words import TensorWords, Words

WORDS: dict[type[Event], type[Words[Any]]] = {
    AccumulateEvent: AccumulateWords,
    ErrorEvent: ErrorWords,
    HiddenRewriteEvent: HiddenRewriteWords,
    ModuleBackwardHookEvent: ModuleBackwardHookWords,
    ModuleBackwardPreHookEvent: ModuleBackwardPreHookWords,
    ModuleForwardEvent: ModuleForwardWords,
    ModuleForwardHookEvent: ModuleForwardHookWords,
    ModuleForwardPreHookEvent: ModuleForwardPreHookWords,
    NodeEvent: NodeWords,
    NodeHookEvent: NodeHookWords,
    NodePrehookEvent: NodePrehookWords,
    PostAccumulateHookEvent: PostAccumulateHookWords,
    RetainGradEvent: RetainGradWords,
    StartEvent: StartWords,
    TensorHookEvent: TensorHookWords,
}
"""The words for every kind of event."""

KINDS_AT_TENSORS = frozenset(
    kind for kind, cls in EVENT_CLASSES.items() if issubclass(WORDS[cls], TensorWords)
)
"""The kinds of events whose sentence speaks of the gradient of one tensor."""

_NOTHING_NEW = News()


def words_for(event: Event, speaker: Speaker, news: News = _NOTHING_NEW) -> Words[Any]:
    """Return the words for one event."""
    return WORDS[type(event)](event, speaker, news)


def is_of_module(event: Event) -> bool:
    """Return whether the event is the forward of a module, or one of its hooks."""
    return issubclass(WORDS[type(event)], ModuleWords)
