"""Write the value of a tensor as text: as Python shows it, and in a few words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hookviz._records.number import dotted_text, number_text, parse_number

if TYPE_CHECKING:
    from hookviz._records.snapshot import TensorSnapshot, TensorSummary

MOST_SHOWN = 64
"""So many elements are shown; of a larger tensor that was kept whole only the first few."""

_FIRST = 3
_WIDTH = 80
_BRIEF = 32
_BARE = ("float32", "int64", "bool", "complex64")
"""A single number of one of these types needs no name of the type."""


def snapshot_text(snapshot: TensorSnapshot) -> str:
    """Return `10.`, `float32[3]([1., 2., 3.])` or `float32[64, 128](norm 2.41, 3 NaN)`."""
    kind = snapshot.dtype + (str(list(snapshot.shape)) if snapshot.shape else "")
    facts = place_facts(snapshot)
    if snapshot.values is not None:
        body = _elements(snapshot, indent=len(kind) + 1)
        if not snapshot.shape and snapshot.dtype in _BARE and not facts:
            return body
        facts = [body, *facts]
    elif snapshot.summary is not None:
        facts = [summary_text(snapshot.summary), *facts]
    elif snapshot.note:
        facts = [f"not readable: {snapshot.note}", *facts]
    told = ", ".join(filter(None, facts))
    return f"{kind}({told})" if told else kind


def summary_text(summary: TensorSummary) -> str:
    """Return `norm 2.41, 3 NaN` for a large tensor."""
    facts = [f"norm {number_text(float(summary.norm), 3)}"] if summary.norm else []
    counts = (("NaN", summary.nan_count), ("Inf", summary.inf_count))
    return ", ".join([*facts, *(f"{count:,} {name}" for name, count in counts if count)])


def place_facts(snapshot: TensorSnapshot) -> list[str]:
    """Return where and how a tensor is kept, as far as that is unusual."""
    facts = [snapshot.device] if snapshot.device != "cpu" else []
    facts += [snapshot.layout] if snapshot.layout != "strided" else []
    return facts if snapshot.nnz is None else [*facts, f"nnz {snapshot.nnz}"]


def brief_text(snapshot: TensorSnapshot | None) -> str:
    """Return one value in a few words: `8`, `[1, 2]`, `[64, 128] norm 2.41`, `None`."""
    if snapshot is None:
        return "None"
    shape = str(list(snapshot.shape))
    if snapshot.values is None:
        facts = summary_text(snapshot.summary) if snapshot.summary is not None else ""
        return f"{shape} {facts}".rstrip()
    if snapshot.numel <= _BRIEF:
        text = _nested([number_text(n) for n in snapshot.numbers()], snapshot.shape)
        if len(text) <= _BRIEF or not snapshot.shape:
            return text
    return f"{shape}: {_first(snapshot)}"


def _elements(snapshot: TensorSnapshot, *, indent: int) -> str:
    if snapshot.numel > MOST_SHOWN:
        return _first(snapshot)
    texts = [dotted_text(number) for number in snapshot.numbers()]
    one_line = _nested(texts, snapshot.shape)
    if len(one_line) + indent <= _WIDTH or len(snapshot.shape) < 2:
        return one_line
    return _nested(texts, snapshot.shape, indent=indent)


def _nested(texts: Sequence[str], shape: Sequence[int], *, indent: int | None = None) -> str:
    """Return the texts in brackets; below each other where there is an indent."""
    if not shape:
        return texts[0]
    if len(shape) == 1:
        return f"[{', '.join(texts)}]"
    size = math.prod(shape[1:])
    inner = None if indent is None else indent + 1
    rows = [
        _nested(texts[place * size : (place + 1) * size], shape[1:], indent=inner)
        for place in range(shape[0])
    ]
    return "[" + (", " if inner is None else f",\n{' ' * inner}").join(rows) + "]"


def _first(snapshot: TensorSnapshot) -> str:
    shown = (snapshot.values or ())[:_FIRST]
    texts = [dotted_text(parse_number(text, snapshot.dtype)) for text in shown]
    return ", ".join([*texts, "..."])
