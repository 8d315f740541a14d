"""Ask for the value that the next event will show, where it can be said in a few numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hookviz._records import Event
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Value
from hookviz._view.lookup.arrivals import value_at
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.text.numbers import CAPTION_WIDTH, short_text
from hookviz._view.words.phrases import listing, value_text

MOST_NUMBERS = 16
"""Nobody types more than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a learner can be asked before an event is shown.

    Attributes:
        text: The question.
        answer: Exact texts of the recorded numbers in row-major order, several gradients one
            after the other; `None` where no gradient is.
        shown: The answer as it is shown when it is revealed.
    """

    text: Message
    answer: tuple[str | None, ...]
    shown: Text


def question_of(index: GraphIndex, event: Event) -> Question | None:
    """Return the question whose answer an event gives, or `None` where none can be asked.

    Nothing can be foreseen of a hidden rewrite or an error, and nobody types a thousand numbers.
    """
    text = _text(index, event)
    if text is None:
        return None
    values = _answer_values(index, event)
    numbers: list[str | None] = []
    for value in values:
        if value is None:
            numbers.append(None)
            continue
        if value.values is None or not value.values:
            return None
        numbers.extend(value.values)
    if not 1 <= len(numbers) <= MOST_NUMBERS:
        return None
    shown = [short_text(value, width=CAPTION_WIDTH) for value in values]
    return Question(text=text, answer=tuple(numbers), shown=_listed(shown))


def _text(index: GraphIndex, event: Event) -> Message | None:
    incoming = value_text(event.incoming, CAPTION_WIDTH)
    hook = event.hook.label if event.hook is not None else ""
    tensor = index.tensor_of(event.tensor)
    label = tensor.label if tensor is not None else (event.tensor or "")
    args: dict[str, Argument] = {"incoming": incoming, "hook": hook, "tensor": label}
    match event.kind:
        case "tensor_hook":
            return _message("question.hook", args, "hook", "incoming", "tensor")
        case "node" if index.sent_along(event.node):
            targets = [
                index.name_of_slot((edge.target, edge.input_nr))
                for _, edge in index.sent_along(event.node)
            ]
            args["node"] = index.name_of_node(event.node)
            args["tensor"] = listing(targets)
            return _message("question.node", args, "node", "incoming", "tensor")
        case "accumulate" | "retain_grad":
            return _message("question.grad", args, "tensor")
        case "post_accumulate_hook":
            return _message("question.post", args, "hook", "tensor")
        case "module_forward":
            return Message("question.forward", {"module": event.module or ""})
        case "module_forward_pre_hook" if hook:
            return Message("question.forward_pre", {"module": event.module or "", "hook": hook})
        case "module_forward_hook" if hook:
            return Message("question.forward_hook", {"module": event.module or "", "hook": hook})
    return None


def _message(key: str, args: dict[str, Argument], *wanted: str) -> Message:
    return Message(key, {name: args[name] for name in wanted})


def _answer_values(index: GraphIndex, event: Event) -> Sequence[TensorSnapshot | None]:
    match event.kind:
        case "node":
            return [value_at(event.outgoing, i) for i, _ in index.sent_along(event.node)]
        case "accumulate" | "retain_grad":
            return [event.after]
        case "module_forward" | "module_forward_pre_hook" | "module_forward_hook":
            return [item.snapshot for item in event.arguments_after if item.snapshot is not None]
    return _parts(event.outgoing)


def _parts(value: Value) -> Sequence[TensorSnapshot | None]:
    return value if isinstance(value, tuple) else [value]


def _listed(shown: Sequence[Text]) -> Text:
    if len(shown) == 1:
        return shown[0]
    if all(isinstance(text, str) for text in shown):
        return "[" + ", ".join(text for text in shown if isinstance(text, str)) + "]"
    return Message("question.answers", {"answers": tuple(shown)})
