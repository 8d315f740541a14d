"""Find the titles of boxes that stand for several things."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hookviz._records import ModuleRecord, NodeRecord
from hookviz._view.groups.function_symbol import plain_function_name
from hookviz._view.text.message import Message, Text

_MOST_NAMES = 3


def calls_title(first: ModuleRecord, last: ModuleRecord) -> str:
    """Return one title for several calls, with the common part of their names once.

    Example:
        >>> one, other = (ModuleRecord(id="m", name=n, type="") for n in ("layers.0", "layers.11"))
        >>> calls_title(one, other)
        'layers.0 … 11'
    """
    begin, end = first.name.split("."), last.name.split(".")
    same = 0
    while same < min(len(begin), len(end)) and begin[same] == end[same]:
        same += 1
    if same == len(end):
        return last.name
    return f"{first.name} … {'.'.join(end[min(same, len(begin) - 1) :])}"


def functions_title(nodes: Sequence[NodeRecord]) -> str:
    """Return the names of the first few different functions, such as `T, Mm, Add, …`."""
    return _some(plain_function_name(node.name) for node in nodes)


def functions_type(count: int) -> Text:
    """Return the words for so many functions."""
    if count == 1:
        return Message("box.function")
    return Message("box.functions", {"count": str(count)})


def types_title(modules: Sequence[ModuleRecord]) -> str:
    """Return the different classes of several modules, such as `Linear, ReLU`."""
    return _some(module.type for module in modules)


def repeat_title(number: int, count: int) -> Message:
    """Return the title of one of several repetitions."""
    return Message("box.repeat", {"number": str(number), "count": str(count)})


def range_title(first: int, last: int) -> str:
    """Return the title of some repetitions."""
    return f"{first} … {last}"


def _some(names: Iterable[str]) -> str:
    different = list(dict.fromkeys(names))
    shown = different[:_MOST_NAMES]
    return ", ".join([*shown, "…"] if len(different) > len(shown) else shown)
