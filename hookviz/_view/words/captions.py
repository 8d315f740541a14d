"""Say in a sentence or two what happened at a step, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hookviz._records import Event
from hookviz._records.graph import GraphRecord, TensorRecord
from hookviz._records.value import Value
from hookviz._view.lookup.arrivals import Arrival, single
from hookviz._view.lookup.index import GraphIndex, Slot
from hookviz._view.lookup.titles import is_forward_alone
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.text.numbers import CAPTION_WIDTH, pair_text, short_text
from hookviz._view.words import modules as module_words
from hookviz._view.words.modules import notes_of_modules
from hookviz._view.words.phrases import (
    change_texts,
    join,
    listing,
    sent_texts,
    sum_sentence,
    tensor_named,
    tensor_texts,
    value_text,
)

_WIDTH = CAPTION_WIDTH


def caption_ready(graph: GraphRecord, events: Sequence[Event] = ()) -> Text:
    """Return the caption of step 0, with what has to be said before anything is shown."""
    first = events[0].error if events and not events[0].module else None
    if is_forward_alone(graph, events) and first is not None:
        sentence = Message("caption.ready.raised", {"error": first.type})
    elif is_forward_alone(graph, events):
        sentence = Message("caption.ready.forward_only")
    elif events and events[0].module is not None:
        sentence = Message("caption.ready.forward", {"tensor": graph.root.label})
    else:
        sentence = Message("caption.ready", {"tensor": graph.root.label})
    return join(sentence, *notes_of_modules(graph), *map(Message, graph.notes))


def caption_of(
    index: GraphIndex,
    event: Event,
    arrivals: Sequence[Arrival] = (),
    waiting: Sequence[Slot] = (),
) -> Text:
    """Return the caption of one event.

    Args:
        index: The graph.
        event: What happened.
        arrivals: The gradients that are known in full from this event on.
        waiting: The slots to which this event sent a part while more was still to come.
    """
    caption = join(_caption(index, event, arrivals, waiting), *map(Message, event.notes))
    if not event.timeline:
        return caption
    return Message("caption.pass", {"caption": caption})


def _caption(
    index: GraphIndex, event: Event, arrivals: Sequence[Arrival], waiting: Sequence[Slot]
) -> Text:
    if event.kind.startswith("module_"):
        return module_words.caption(event, _WIDTH)
    if event.kind == "error" and event.module is not None:
        return module_words.caption_of_error(event)
    match event.kind:
        case "start":
            return _start(index, event)
        case "node":
            return _node(index, event, arrivals, waiting)
        case "node_prehook" | "node_hook":
            return _node_hook(index, event)
        case "error":
            return _error(index, event)
    # A sum that was not known before is first seen by whatever ran next on that tensor.
    sums = [sum_sentence(index, arrival) for arrival in arrivals]
    match event.kind:
        case "tensor_hook":
            sentence = _hook(index, event)
        case "hidden_rewrite":
            sentence = _hidden(index, event)
        case "retain_grad":
            sentence = _keep(index, event)
        case "accumulate":
            sentence = _accumulate(index, event)
        case _:
            sentence = _post(index, event)
    return join(*sums, sentence, _reached(index, event))


def _reached(index: GraphIndex, event: Event) -> Message | None:
    """Return the sentence about what else lies in memory that was changed in place."""
    if not event.reached:
        return None
    places = tuple(_place(index, name) for name in event.reached)
    return Message("caption.hook.reached", {"reached": places})


def _texts(before: Value, after: Value) -> dict[str, Argument]:
    first, second = pair_text(single(before), single(after), width=_WIDTH)
    return {"incoming": first, "outgoing": second}


def _start(index: GraphIndex, event: Event) -> Message:
    gradient = single(event.outgoing)
    tensor = index.tensor_of(event.tensor) or index.graph.root
    args = {"tensor": tensor.label, "gradient": short_text(gradient, width=_WIDTH)}
    is_one = gradient is not None and gradient.numel == 1 and gradient.values is not None
    if is_one and gradient is not None and gradient.item() == 1 and tensor.value.numel == 1:
        return Message("caption.start.one", args)
    return Message("caption.start.given", args)


def _hook(index: GraphIndex, event: Event) -> Text:
    tensor, name = tensor_named(index, event)
    hook = event.hook.label if event.hook is not None else ""
    running = [] if tensor is None else _hooks_that_run(tensor)
    place = event.hook_index
    if place is None or len(running) < 2:
        which = Message("which.only", {"hook": hook, "tensor": name})
    else:
        which = Message(
            "which.nth",
            {"hook": hook, "tensor": name, "place": str(place + 1), "count": str(len(running))},
        )
    args = {"which": which, **_texts(event.incoming, event.outgoing)}
    if event.mutated:
        sentence = Message("caption.hook.in_place", args)
    elif event.rewritten:
        sentence = Message("caption.hook.rewrote", args)
    else:
        key = "caption.hook.none" if event.returned_none else "caption.hook.same"
        return Message(key, args)
    if event.reached:
        return sentence
    then = None
    if tensor is not None:
        is_last = place is None or place + 1 >= len(running)
        then = _then(index, tensor, args["outgoing"], is_last=is_last)
    return join(sentence, then)


def _hooks_that_run(tensor: TensorRecord) -> list[str]:
    return [hook.id for hook in tensor.hooks if hook.kind == "tensor_hook" and hook.enabled]


def _then(index: GraphIndex, tensor: TensorRecord, outgoing: Argument, *, is_last: bool) -> Message:
    if not is_last:
        return Message("then.next_hook", {"outgoing": outgoing})
    if tensor.is_leaf:
        return Message("then.leaf", {"outgoing": outgoing, "tensor": tensor.label})
    node = index.name_of_node(tensor.node)
    return Message("then.node", {"outgoing": outgoing, "node": node})


def _place(index: GraphIndex, name: str) -> Text:
    edge = index.edges.get(name)
    if edge is None:
        return name
    tensor = index.name_of_slot((edge.target, edge.input_nr))
    return Message("place.edge", {"tensor": tensor})


def _hidden(index: GraphIndex, event: Event) -> Message:
    slot = index.slot_of(event)
    incoming, outgoing = change_texts(event.incoming, event.outgoing, _WIDTH)
    node = slot[0] if slot is not None else event.node
    return Message(
        "caption.hidden",
        {
            "tensor": index.name_of_slot(slot) if slot is not None else (event.tensor or ""),
            "node": index.name_of_node(node),
            "incoming": incoming,
            "outgoing": outgoing,
        },
    )


def _keep(index: GraphIndex, event: Event) -> Message:
    _, name = tensor_named(index, event)
    args = {"tensor": name, **tensor_texts(event.before, event.after, _WIDTH)}
    if event.before is None:
        return Message("caption.keep", args)
    incoming = short_text(single(event.incoming), width=_WIDTH)
    return Message("caption.keep.add", {**args, "incoming": incoming})


def _node(
    index: GraphIndex, event: Event, arrivals: Sequence[Arrival], waiting: Sequence[Slot]
) -> Text:
    args: dict[str, Argument] = {
        "node": index.name_of_node(event.node),
        "incoming": value_text(event.incoming, _WIDTH),
    }
    sent = sent_texts(index, event, (), width=_WIDTH, with_sums=False)
    if not sent:
        return Message("caption.node.nothing", args)
    args["sent"] = listing(sent)
    owners = index.tensors_named_at((event.node or "", 0))
    if owners:
        args["tensor"] = owners[0].label
    sentence = Message("caption.node.of" if owners else "caption.node", args)
    edges = index.sent_along(event.node)
    outgoing = event.outgoing if isinstance(event.outgoing, tuple) else (event.outgoing,)
    sends_none = any(place < len(outgoing) and outgoing[place] is None for place, _ in edges)
    none = Message("caption.node.none") if sends_none else None
    sums = [sum_sentence(index, arrival) for arrival in arrivals]
    waits = [
        Message("caption.sum.wait", {"tensor": index.name_of_slot(slot)}) for slot in waiting[:1]
    ]
    node = index.nodes.get(event.node or "")
    meaning = Message(node.annotation) if node is not None and node.annotation else None
    return join(sentence, meaning, none, *sums, *waits)


def _accumulate(index: GraphIndex, event: Event) -> Message:
    tensor, name = tensor_named(index, event)
    args = {"tensor": name, **tensor_texts(event.before, event.after, _WIDTH)}
    if single(event.incoming) is None:
        return Message("caption.accumulate.none", args)
    if tensor is not None and not tensor.is_leaf:
        return Message("caption.accumulate.input", args)
    if event.before is None:
        return Message("caption.accumulate.first", args)
    incoming = short_text(single(event.incoming), width=_WIDTH)
    return Message("caption.accumulate.add", {**args, "incoming": incoming})


def _post(index: GraphIndex, event: Event) -> Text:
    _, name = tensor_named(index, event)
    hook = event.hook.label if event.hook is not None else ""
    effects: list[Text] = []
    if event.incoming != event.outgoing:
        texts = {"tensor": name, **_texts(event.incoming, event.outgoing)}
        key = "caption.post.grad" if single(event.outgoing) else "caption.post.cleared"
        effects.append(Message(key, texts))
    if event.before != event.after:
        values = {"tensor": name, **tensor_texts(event.before, event.after, _WIDTH)}
        effects.append(Message("caption.post.value", values))
    if not effects:
        effects.append(Message("caption.post.unchanged", {"tensor": name}))
    return join(Message("caption.post", {"hook": hook, "tensor": name}), *effects)


def _node_hook(index: GraphIndex, event: Event) -> Message:
    args: dict[str, Argument] = {
        "node": index.name_of_node(event.node),
        "hook": event.hook.label if event.hook is not None else "",
    }
    is_prehook = event.kind == "node_prehook"
    if event.incoming == event.outgoing or not event.rewritten:
        args["incoming"] = value_text(event.incoming, _WIDTH)
        unchanged = "caption.node_prehook.unchanged", "caption.node_hook.unchanged"
        return Message(unchanged[0 if is_prehook else 1], args)
    args["incoming"], args["outgoing"] = change_texts(event.incoming, event.outgoing, _WIDTH)
    rewrote = "caption.node_prehook.rewrote", "caption.node_hook.rewrote"
    return Message(rewrote[0 if is_prehook else 1], args)


def _error(index: GraphIndex, event: Event) -> Text:
    error = event.error
    stops = Message("caption.error.stops")
    if error is None:
        return stops
    args: Mapping[str, Argument] = {"error": error.type, "message": error.message}
    hook = event.hook or error.hook
    name = event.tensor or error.tensor
    node = event.node or error.node
    if hook is not None and name:
        sentence = Message("caption.error.hook", {**args, "hook": hook.label, "tensor": name})
    elif hook is None and node:
        sentence = Message("caption.error.node", {**args, "node": index.name_of_node(node)})
    else:
        sentence = Message("caption.error", args)
    why = Message(error.explanation) if error.explanation else None
    return join(sentence, why, stops)
