"""Say what happened around a module: its forward, and the hooks before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeVar

from hookviz._records import Event
from hookviz._records.error import ErrorRecord
from hookviz._records.graph import GraphRecord
from hookviz._records.value import Argument as Argument_
from hookviz._view.text.message import Argument, Message, Text
from hookviz._view.text.numbers import pair_text, short_text
from hookviz._view.words.phrases import join

Item = TypeVar("Item")

MOST_CHANGES = 4
"""Of more changed arguments or outputs than this a row or a caption tells the first."""

_WHAT = {
    "module_forward_pre_hook": "what.module.forward_pre",
    "module_forward": "what.module.forward",
    "module_forward_hook": "what.module.forward_hook",
    "module_backward_pre_hook": "what.module.backward_pre",
    "module_backward_hook": "what.module.backward_hook",
}
_CAPTION = {
    "module_forward_pre_hook": "caption.module.forward_pre",
    "module_forward": "caption.module.forward",
    "module_forward_hook": "caption.module.forward_hook",
    "module_backward_pre_hook": "caption.module.backward_pre",
    "module_backward_hook": "caption.module.backward_hook",
}


def what(event: Event, width: int, most: int = MOST_CHANGES) -> Message:
    """Return the second half of a timeline row, with so many changes at most."""
    return Message(_WHAT[event.kind], _args(event, width, most))


def caption(event: Event, width: int) -> Message:
    """Return the sentence under the picture."""
    return Message(
        _CAPTION[event.kind], {"module": event.module or "", **_args(event, width, MOST_CHANGES)}
    )


def caption_of_error(event: Event) -> Text:
    """Return the sentence about an exception in the forward of a module, or in one of its hooks."""
    error = event.error
    if error is None:
        return ""
    args = {"error": error.type, "message": error.message, "module": event.module or ""}
    hook = event.hook or error.hook
    sentence: Text
    if hook is not None:
        sentence = Message("caption.error.module_hook", {**args, "hook": hook.label})
    elif not event.module:
        sentence = join(Message("caption.error.around", args), place_of_error(error))
    else:
        sentence = Message("caption.error.module", args)
    return join(sentence, Message(error.explanation) if error.explanation else None)


def place_of_error(error: ErrorRecord) -> Message | None:
    """Return the line that raised, or `None` where it is not known."""
    if error.code_line is None:
        return None
    args = {"line": str(error.code_line), "file": error.code_file, "code": error.code_text}
    return Message("error.place" if error.code_text else "error.place.unread", args)


def notes_of_modules(graph: GraphRecord) -> list[Message]:
    """Return what there is to say about whole modules."""
    return [
        Message("caption.module.note", {"module": module.name, "note": Message(note)})
        for module in graph.modules
        for note in module.notes
    ]


def _args(event: Event, width: int, most: int) -> dict[str, Argument]:
    changes: Argument = _changes(event, width, most)
    if event.call:
        changes = Message("change.call", {"changes": changes, "number": str(event.call + 1)})
    args: dict[str, Argument] = {"changes": changes}
    if event.hook is not None:
        args["hook"] = event.hook.label
    return args


def _changes(event: Event, width: int, most: int) -> Argument:
    if event.kind == "module_forward":
        return _outputs(event, width, most)
    if "backward" not in event.kind:
        return _argument_changes(event, width, most)
    return _gradient_changes(event, width, most)


def _gradient_changes(event: Event, width: int, most: int) -> Argument:
    """Return what became of the gradients, by the names that the hook's arguments have."""
    name = "grad_output" if event.kind == "module_backward_pre_hook" else "grad_input"
    given, left = (
        value if isinstance(value, tuple) else (value,)
        for value in (event.incoming, event.outgoing)
    )
    pairs = {f"{name}[{place}]": pair for place, pair in enumerate(zip_longest(given, left))}
    if len(pairs) == 1:
        (before, after), *_ = pairs.values()
        if before == after:
            return Message("change.same", {"gradient": short_text(before, width=width)})
        first, second = pair_text(before, after, width=width)
        return Message("value.arrow", {"before": first, "after": second})
    changed = {path: (one, other) for path, (one, other) in pairs.items() if one != other}
    shown, rest = _first(list((changed or pairs).items()), most)
    texts: list[Text] = []
    for path, (before, after) in shown:
        first, second = pair_text(before, after, width=width)
        change = {"path": path, "before": first, "after": second}
        texts.append(Message("change.argument" if changed else "change.output", change))
    if changed:
        return (*texts, *rest)
    return Message("change.same", {"gradient": (*texts, *rest)})


def _outputs(event: Event, width: int, most: int) -> Argument:
    """Return what the forward gave; what it was given stands in the rows before."""
    shown, left = _first(event.arguments_after, most)
    texts: list[Text] = [
        Message("change.output", {"path": item.path, "after": _value(item, width)})
        for item in shown
    ]
    return (*texts, *left) if texts else Message("change.unchanged")


def _first(items: Sequence[Item], most: int) -> tuple[Sequence[Item], list[Text]]:
    """Return the first items, and how many more there are if there are."""
    if len(items) <= most:
        return items, []
    return items[:most], [Message("change.more", {"count": str(len(items) - most)})]


def _argument_changes(event: Event, width: int, most: int) -> Argument:
    before = {item.path: item for item in event.arguments_before}
    after = {item.path: item for item in event.arguments_after}
    changed = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    shown, left = _first(changed, most)
    texts = [_change(path, before.get(path), after.get(path), width) for path in shown]
    return (*texts, *left) if texts else Message("change.unchanged")


def _change(path: str, old: Argument_ | None, new: Argument_ | None, width: int) -> Message:
    if old is not None and new is not None and old.snapshot and new.snapshot:
        first, second = pair_text(old.snapshot, new.snapshot, width=width)
    else:
        first, second = _value(old, width), _value(new, width)
    return Message("change.argument", {"path": path, "before": first, "after": second})


def _value(item: Argument_ | None, width: int) -> Text:
    if item is None:
        return "–"
    return short_text(item.snapshot, width=width) if item.snapshot else item.text
