"""Find the words for an event by its kind."""

from __future__ import annotations

from typing import Any

from hookviz import _records as records
from hookviz._records import EVENT_CLASSES, Event
from hookviz._view.lookup.arrivals import News
from hookviz._view.words import (
    error,
    hidden_rewrite,
    kept_grad,
    module_backward_hooks,
    module_forward,
    node,
    node_hooks,
    post_accumulate_hook,
    start,
    tensor_hook,
)
from hookviz._view.words.module import ModuleWords
from hookviz._view.words.speaker import Speaker
from hookviz._view.words.words import TensorWords, Words

WORDS: dict[type[Event], type[Words[Any]]] = {
    records.AccumulateEvent: kept_grad.AccumulateWords,
    records.ErrorEvent: error.ErrorWords,
    records.HiddenRewriteEvent: hidden_rewrite.HiddenRewriteWords,
    records.ModuleBackwardHookEvent: module_backward_hooks.ModuleBackwardHookWords,
    records.ModuleBackwardPreHookEvent: module_backward_hooks.ModuleBackwardPreHookWords,
    records.ModuleForwardEvent: module_forward.ModuleForwardWords,
    records.ModuleForwardHookEvent: module_forward.ModuleForwardHookWords,
    records.ModuleForwardPreHookEvent: module_forward.ModuleForwardPreHookWords,
    records.NodeEvent: node.NodeWords,
    records.NodeHookEvent: node_hooks.NodeHookWords,
    records.NodePrehookEvent: node_hooks.NodePrehookWords,
    records.PostAccumulateHookEvent: post_accumulate_hook.PostAccumulateHookWords,
    records.RetainGradEvent: kept_grad.RetainGradWords,
    records.StartEvent: start.StartWords,
    records.TensorHookEvent: tensor_hook.TensorHookWords,
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
