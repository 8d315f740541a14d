"""Write a recorded pass as plain text: the same in every run, aligned also with wide characters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wcwidth import wcswidth, wcwidth

from hookviz._records import (
    ErrorEvent,
    ErrorRecord,
    Event,
    GradEvent,
    GraphRecord,
    NodeEvent,
    PostAccumulateHookEvent,
    TensorRecord,
    TensorSnapshot,
    TraceRecord,
)
from hookviz._view.lookup.arrivals import find_news
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.lookup.titles import is_forward_alone
from hookviz._view.steps.steps import Frame, Step, build_steps, frame_at
from hookviz._view.text.message import Message, Text, render
from hookviz._view.text.numbers import CAPTION_WIDTH, short_text
from hookviz._view.words.kinds import words_for
from hookviz._view.words.phrases import place_of_error
from hookviz._view.words.ready import notes_of_modules
from hookviz._view.words.speaker import Speaker

_PRINTED = "| "
_RAISED = "! "
_WIDEST_NAME = 32
_MOST_CHANGES = 16
"""A line of a transcript may be long; one for a list of a thousand tensors may not."""


def transcript(
    graph: GraphRecord,
    events: Sequence[Event],
    *,
    lang: str = "en",
    grads: Mapping[str, TensorSnapshot | None] | None = None,
    error: ErrorRecord | None = None,
    steps: Sequence[Step] = (),
) -> str:
    """Return the text of a pass, without a newline at the end.

    Args:
        graph: The graph before the pass.
        events: What happened.
        lang: `"en"` or `"zh"`.
        grads: The final `.grad` by label; read from the events where it is missing.
        error: What ended the pass, if anything did and no event tells it.
        steps: The steps of the pass where they are at hand already.
    """
    index = GraphIndex(graph)
    is_backward = not is_forward_alone(graph, events)
    lines = _all_event_lines(index, events, lang, is_backward=is_backward)
    if error is not None and not any(isinstance(event, ErrorEvent) for event in events):
        lines.append(render(Message("transcript.error", {"error": error.type}), lang))
        lines.extend(_error_lines(error, "", lang))
    if is_backward and events:
        frame = frame_at(steps or build_steps(graph, events), len(events))
        kept = {**_kept(index, events), **(grads or {})}
        lines += ["", render(Message("transcript.grads"), lang)]
        lines.extend(_grad_lines(index, frame, kept, lang))
    return "\n".join(line.rstrip() for line in lines)


def display_width(text: str) -> int:
    """Return how many columns a text takes in a monospaced font.

    Example:
        >>> display_width("c"), display_width("梯度")
        (1, 4)
    """
    width = wcswidth(text)
    # It refuses a text with a control character; those take no column.
    return width if width >= 0 else sum(max(wcwidth(character), 0) for character in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))


def _one_line(text: str) -> str:
    """Keep a name or label with line breaks from breaking the table."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


def _all_event_lines(
    index: GraphIndex, events: Sequence[Event], lang: str, *, is_backward: bool
) -> list[str]:
    """Return a heading and the events below it, for the forward and for the backward."""
    begins = 0
    if is_backward:
        begins = next((i for i, event in enumerate(events) if event.module is None), len(events))
    titles: list[tuple[int, Message]] = []
    if begins or not is_backward:
        titles.append((0, Message("transcript.module_only")))
    if is_backward:
        titles.append((begins, Message("transcript.title", {"tensor": index.graph.root.label})))
    said = (*map(Message, index.graph.notes), *notes_of_modules(index.graph))
    notes = [_one_line(render(note, lang)) for note in said]
    if not events:
        empty = render(Message("transcript.empty"), lang)
        return [render(titles[0][1], lang), "", empty, *notes]
    told = _event_lines(index, events, lang)
    lines: list[str] = []
    for place, (start, title) in enumerate(titles):
        end = titles[place + 1][0] if place + 1 < len(titles) else len(events)
        lines += ["", render(title, lang), ""] if lines else [render(title, lang), ""]
        lines += [line for event_lines in told[start:end] for line in event_lines]
        if place == 0:
            lines += notes
    return lines


def _event_lines(index: GraphIndex, events: Sequence[Event], lang: str) -> list[list[str]]:
    """Return the lines of each event, all of them aligned with each other."""
    speaker = Speaker(index, CAPTION_WIDTH, most_changes=_MOST_CHANGES)
    with_news = zip(events, find_news(index, events), strict=True)
    words = [words_for(event, speaker, news) for event, news in with_news]
    whos = [_one_line(one.who()[1]) for one in words]
    number_width = len(str(len(words)))
    who_width = min(max(map(display_width, whos)), _WIDEST_NAME)
    margin = " " * (number_width + 2 + who_width + 2)
    told = []
    explained: set[str] = set()
    for number, (event, one, who) in enumerate(zip(events, words, whos, strict=True), start=1):
        what = one.row()
        node = index.nodes.get(event.node or "")
        if isinstance(event, NodeEvent) and node is not None and node.made_by_pass:
            number_of_pass = str(node.made_by_pass)
            what = Message("line.made_by_pass", {"line": what, "number": number_of_pass})
        if event.timeline:
            what = Message("line.pass", {"line": what})
        said = _one_line(render(what, lang))
        lines = [f"{number:>{number_width}}  {_pad(who, who_width)}  {said}"]
        if event.printed:
            printed = event.printed.removesuffix("\n")
            lines += [f"{margin}{_PRINTED}{text}" for text in printed.split("\n")]
        if event.error is not None:
            lines += _error_lines(event.error, margin, lang)
        notes = event.notes
        if isinstance(event, NodeEvent) and node is not None and not node.made_by_pass:
            # Once: a network has many casts, say, and each of them means the same.
            is_new = bool(node.annotation) and node.annotation not in explained
            notes = (node.annotation, *notes) if is_new else notes
            explained.add(node.annotation)
        lines += [margin + render(Message(note), lang) for note in notes]
        told.append(lines)
    return told


def _error_lines(error: ErrorRecord, margin: str, lang: str) -> Iterator[str]:
    for text in error.message.split("\n"):
        yield f"{margin}{_RAISED}{text}"
    place = place_of_error(error)
    if place is not None:
        yield margin + _one_line(render(place, lang))
    if error.explanation:
        yield margin + render(Message(error.explanation), lang)


def _kept(index: GraphIndex, events: Sequence[Event]) -> dict[str, TensorSnapshot | None]:
    """Return the last known `.grad` of each tensor whose `.grad` something happened to."""
    kept: dict[str, TensorSnapshot | None] = {}
    for event in events:
        tensor = index.tensor_of(event.tensor)
        if tensor is None:
            continue
        if isinstance(event, GradEvent | PostAccumulateHookEvent):
            kept[tensor.label] = event.grad_after
    return kept


def _grad_lines(
    index: GraphIndex, frame: Frame, kept: Mapping[str, TensorSnapshot | None], lang: str
) -> Iterator[str]:
    shown = [tensor for tensor in index.graph.tensors if index.is_on_screen(tensor)]
    names = [_one_line(tensor.label) for tensor in shown]
    befores = [render(short_text(tensor.grad, width=CAPTION_WIDTH), lang) for tensor in shown]
    name_width = min(max(map(display_width, names), default=0), _WIDEST_NAME)
    before_width = max(map(display_width, befores), default=0)
    for tensor, name, before in zip(shown, names, befores, strict=True):
        after = render(_final_grad(tensor, frame, kept), lang)
        yield f"  {_pad(name, name_width)}  {_pad(before, before_width)} → {after}"


def _final_grad(
    tensor: TensorRecord, frame: Frame, kept: Mapping[str, TensorSnapshot | None]
) -> Text:
    said = frame[tensor.id, "grad"]
    final = kept.get(tensor.label, tensor.grad)
    if final is None:
        # Why it is None is what the frame knows; a value there would be an older one.
        is_reason = isinstance(said, Message) and said.key.startswith("grad.")
        return said if is_reason else Message("value.none")
    text = short_text(final, width=CAPTION_WIDTH)
    if frame[tensor.id, "state"] == "unreached":
        return Message("transcript.unreached", {"gradient": text})
    return text


_PASSES = ("pass.first", "pass.second")


def passes_text(passes: Sequence[TraceRecord], *, lang: str = "en") -> str:
    """Return the transcripts of passes in their order, each under a line that says which it is.

    Args:
        passes: The first pass first; a single one has no such line.
        lang: `"en"` or `"zh"`.
    """
    texts = []
    for number, trace in enumerate(passes, start=1):
        text = transcript(
            trace.graph, trace.events, lang=lang, grads=trace.grads, error=trace.error
        )
        heading = render(_heading(number, len(passes)), lang)
        texts.append(f"{heading}\n\n{text}" if len(passes) > 1 else text)
    return "\n\n\n".join(texts)


def _heading(number: int, count: int) -> Message:
    names = dict(enumerate(_PASSES, start=1))
    name = Message(names.get(number, "pass.later"), {"number": str(number)})
    if number == 1:
        return Message("pass.made", {"pass": name})
    return Message("pass.through_made" if number < count else "pass.through", {"pass": name})
