"""Write one row of the timeline per event: who, and what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hookviz._records import Event
from hookviz._view.lookup.arrivals import Arrival, single
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.text.numbers import CARD_WIDTH, pair_text, short_text
from hookviz._view.words import modules as module_words
from hookviz._view.words.phrases import (
    change_texts,
    listing,
    sent_texts,
    tensor_texts,
    value_text,
)


@dataclass(frozen=True, slots=True)
class Line:
    """One row: `c`, `8 → 10 by hook c_hook`.

    Attributes:
        who: Name of the tensor, node, or module.
        style: Which of the three `who` is.
        what: What happened there.
    """

    who: str
    style: str
    what: Message

    def message(self, timeline: int = 0) -> Message:
        """Return the row as one message."""
        key = {"tensor": "line.tensor", "node": "line.node", "module": "line.module"}[self.style]
        line = Message(key, {self.style: self.who, "what": self.what}) if self.who else self.what
        if not timeline:
            return line
        return Message("line.pass", {"line": line})


def line_ready(events: Sequence[Event]) -> Message:
    """Return the row of step 0."""
    is_forward = bool(events) and events[0].module is not None
    return Message("line.ready.forward" if is_forward else "line.ready")


def line_of(
    index: GraphIndex,
    event: Event,
    arrivals: Sequence[Arrival] = (),
    *,
    width: int = CARD_WIDTH,
    most_changes: int = module_words.MOST_CHANGES,
) -> Line:
    """Return the row of one event.

    Args:
        index: The graph.
        event: What happened.
        arrivals: The gradients that become known with it.
        width: How long the text of a value may be.
        most_changes: How many arguments or outputs of a module are told.
    """
    if event.kind.startswith("module_"):
        return Line(event.module or "", "module", module_words.what(event, width, most_changes))
    if event.module is not None:
        return Line(event.module, "module", _what_error(event))
    tensor = index.tensor_of(event.tensor)
    if tensor is not None or event.tensor:
        who = tensor.label if tensor is not None else (event.tensor or "")
        return Line(who, "tensor", _what(index, event, arrivals, width))
    return Line(index.name_of_node(event.node), "node", _what(index, event, arrivals, width))


def _what(index: GraphIndex, event: Event, arrivals: Sequence[Arrival], width: int) -> Message:
    match event.kind:
        case "start":
            gradient = short_text(single(event.outgoing), width=width)
            return Message("what.start", {"gradient": gradient})
        case "tensor_hook":
            return _what_hook(event, width)
        case "hidden_rewrite":
            incoming, outgoing = change_texts(event.incoming, event.outgoing, width)
            return Message("what.hidden", {"incoming": incoming, "outgoing": outgoing})
        case "retain_grad":
            args = tensor_texts(event.before, event.after, width)
            if event.before is None:
                return Message("what.keep", {"after": args["after"]})
            return Message("what.keep.add", args | _incoming(event, width))
        case "node":
            sent = sent_texts(index, event, arrivals, width=width, with_sums=True)
            if not sent:
                return Message("what.node.nothing")
            return Message("what.node", {"sent": listing(sent)})
        case "accumulate":
            return _what_accumulate(event, width)
        case "post_accumulate_hook":
            return _what_post(event, width)
        case "node_prehook" | "node_hook":
            return _what_node_hook(event, width)
        case _:
            return _what_error(event)


def _incoming(event: Event, width: int) -> dict[str, Text]:
    return {"incoming": short_text(single(event.incoming), width=width)}


def _hook(event: Event) -> str:
    return event.hook.label if event.hook is not None else ""


def _what_hook(event: Event, width: int) -> Message:
    incoming, outgoing = pair_text(single(event.incoming), single(event.outgoing), width=width)
    args: dict[str, Argument] = {"hook": _hook(event), "incoming": incoming}
    if not event.rewritten and not event.mutated:
        return Message("what.hook.unchanged", args)
    args["outgoing"] = outgoing
    key = "what.hook.in_place" if event.mutated else "what.hook.rewrote"
    return Message(key, args)


def _what_accumulate(event: Event, width: int) -> Message:
    args = tensor_texts(event.before, event.after, width)
    if single(event.incoming) is None:
        return Message("what.accumulate.none", {"after": args["after"]})
    if event.before is None:
        return Message("what.accumulate.first", {"after": args["after"]})
    return Message("what.accumulate.add", args | _incoming(event, width))


def _what_post(event: Event, width: int) -> Message:
    args: dict[str, Argument] = {"hook": _hook(event)}
    grad_changed = event.incoming != event.outgoing
    value_changed = event.before != event.after
    if grad_changed:
        first, second = pair_text(single(event.incoming), single(event.outgoing), width=width)
        args |= {"incoming": first, "outgoing": second}
    if value_changed:
        args |= tensor_texts(event.before, event.after, width)
    if grad_changed and value_changed:
        return Message("what.post.both", args)
    if grad_changed:
        return Message("what.post.grad", args)
    return Message("what.post.value" if value_changed else "what.post.unchanged", args)


def _what_node_hook(event: Event, width: int) -> Message:
    is_prehook = event.kind == "node_prehook"
    if event.incoming == event.outgoing or not event.rewritten:
        key = "what.node_prehook.unchanged" if is_prehook else "what.node_hook.unchanged"
        return Message(key, {"hook": _hook(event), "incoming": value_text(event.incoming, width)})
    incoming, outgoing = change_texts(event.incoming, event.outgoing, width)
    key = "what.node_prehook.rewrote" if is_prehook else "what.node_hook.rewrote"
    return Message(key, {"hook": _hook(event), "incoming": incoming, "outgoing": outgoing})


def _what_error(event: Event) -> Message:
    error = event.error
    name = error.type if error is not None else ""
    hook = event.hook or (error.hook if error is not None else None)
    if hook is not None:
        return Message("what.error.hook", {"error": name, "hook": hook.label})
    return Message("what.error.node", {"error": name})
