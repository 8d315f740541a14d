"""Turn a recorded pass into steps: for each event its words, and what it changes on screen."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from hookviz._records import Event
from hookviz._records.graph import GraphRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.tree import GroupTree
from hookviz._view.groups.where import where_of
from hookviz._view.lesson.questions import Question, question_of
from hookviz._view.lookup.arrivals import find_news
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.lookup.marks import Mark, marks_of
from hookviz._view.steps.code_places import CodePlaces
from hookviz._view.steps.frame import initial_hook_patches, initial_tensor_patches
from hookviz._view.steps.patches import Patch, PatchWriter
from hookviz._view.steps.value_book import ValueBook
from hookviz._view.text.message import Message, Text
from hookviz._view.text.numbers import CAPTION_WIDTH, CARD_WIDTH
from hookviz._view.words.kinds import words_for
from hookviz._view.words.ready import caption_ready, line_ready
from hookviz._view.words.speaker import Speaker
from hookviz._view.words.words import Labelled

Frame = dict[tuple[str, str], Text]
"""What is on screen at one step, by element and field."""


class Step(Struct, frozen=True, kw_only=True):
    """One position in a trace.

    Attributes:
        kind: The event's kind; `"ready"` for step 0.
        line: The row of the timeline.
        caption: A sentence or two on what happened and why.
        printed: What user code printed during it.
        tensor, node, hook: Ids of where it happened, or empty.
        call: Id of the box in which it happened, or empty; of a call, when it happened to that.
        code: The user's line: which of the graph's sources, and the number of the line there.
        patches: What changes on screen, compared with the step before.
        marks: What makes it worth running to, see `hookviz._view.lookup.marks`.
        question: What a learner can be asked before it is shown, or `None`.
        before, after: The values that it started from and that came of it, with labels.
    """

    kind: str
    line: Message
    caption: Text
    printed: str = ""
    tensor: str = ""
    node: str = ""
    hook: str = ""
    call: str = ""
    code: tuple[int, int] | None = None
    patches: tuple[Patch, ...] = ()
    marks: tuple[Mark, ...] = ()
    question: Question | None = None
    before: Labelled = ()
    after: Labelled = ()


def still_steps(graph: GraphRecord) -> tuple[Step, ...]:
    """Return step 0 alone, for a picture of a graph in which nothing runs.

    It leaves out what has no value yet, such as what was sent along each of a thousand edges.
    """
    hooks = {module.id: module.hooks for module in graph.modules if module.hooks}
    patches = list(initial_tensor_patches(graph.tensors))
    for call in graph.calls:
        patches += initial_hook_patches(call.id, hooks.get(call.module, ()))
    caption = caption_ready(graph, ())
    return (Step(kind="ready", line=line_ready(()), caption=caption, patches=tuple(patches)),)


def build_steps(
    graph: GraphRecord, events: Sequence[Event], *, tree: GroupTree | None = None
) -> tuple[Step, ...]:
    """Return one step per event, and step 0 before them.

    The patches of step 0 give every field of every element its first value. What is on screen at
    step `k` is the fold of the patches of steps 0 to `k`, see `frame_at`.

    Args:
        graph: The graph before the pass.
        events: What happened.
        tree: The groups of the graph, where they are at hand.
    """
    index = GraphIndex(graph)
    tree = tree or group_tree(graph)
    on_rows, in_sentences = Speaker(index, CARD_WIDTH), Speaker(index, CAPTION_WIDTH)
    writer = PatchWriter(index, tree, events)
    codes = CodePlaces(index, tree)
    steps = [
        Step(
            kind="ready",
            line=line_ready(events),
            caption=caption_ready(graph, events),
            patches=writer.initial(),
        )
    ]
    for position, (event, news) in enumerate(zip(events, find_news(index, events), strict=True)):
        where = where_of(index, tree, event)
        short, words = words_for(event, on_rows, news), words_for(event, in_sentences, news)
        before, after = words.values()
        steps.append(
            Step(
                kind=event.kind,
                line=short.line(),
                caption=words.caption(),
                printed=event.printed,
                tensor=where.tensor,
                node=where.node,
                hook=where.hook,
                call=where.box,
                code=codes.of(where) or codes.of_error(event.error),
                patches=writer.write(short, where, is_last=position == len(events) - 1),
                marks=marks_of(event),
                question=question_of(words),
                before=before,
                after=after,
            )
        )
    return tuple(steps)


def frame_at(steps: Sequence[Step], position: int) -> Frame:
    """Return what is on screen at one step."""
    return {
        (key, field): value for step in steps[: position + 1] for key, field, value in step.patches
    }


def to_json_data(steps: Sequence[Step], book: ValueBook) -> list[dict[str, Any]]:
    """Return the steps as the browser gets them; what they show as tables goes into the book."""
    shown = [replace(step, before=(), after=()) for step in steps]
    data: list[dict[str, Any]]
    try:
        data = msgspec.json.decode(msgspec.json.encode(shown))
    except UnicodeEncodeError:  # a name or an output that is no Unicode
        data = json.loads(json.dumps(msgspec.to_builtins(shown)))
    for step, fields in zip(steps, data, strict=True):
        del fields["before"], fields["after"]
        fields["values"] = book.step_data(step.before, step.after)
    return data
