"""Write the values of snapshots: short on cards, whole in the inspector.

Nothing is computed here. Numbers are only shortened, to as many digits as it takes.
"""

from __future__ import annotations

import math

from msgspec.structs import replace

from hookviz._records.number import DIGITS, number_text
from hookviz._records.snapshot import TensorSnapshot, TensorSummary
from hookviz._view.text.message import Message, Text

CARD_WIDTH = 24
"""How many characters of a value fit on a card."""

CAPTION_WIDTH = 60
"""How many characters of a value a sentence can carry."""

_DIGITS_ON_CARDS = 4
"""Of the norm of a large tensor, which has a shape beside it."""
_MOST_DIGITS = 17
_USUAL_DTYPES = ("float32", "float64")
"""Not said on a card, which has no room for it: the inspector does."""


def short_text(snapshot: TensorSnapshot | None, *, width: int = CARD_WIDTH) -> Text:
    """Return a value in about `width` characters.

    Example:
        >>> short_text(TensorSnapshot(shape=(2,), dtype="float32", values=("1.0", "5.0")))
        '[1, 5]'
    """
    if snapshot is None:
        return Message("value.none")
    shape = shape_text(snapshot.shape)
    if snapshot.summary is not None:
        return _summary(snapshot.dtype, shape, snapshot.summary, width)
    if snapshot.values is None and not snapshot.note:
        # A value that was never read is no failure: its kind is known.
        return shape if _is_short(snapshot.dtype, width) else f"{snapshot.dtype} {shape}"
    if snapshot.values is None:
        return Message("value.unreadable", {"dtype": snapshot.dtype, "shape": shape})
    if not snapshot.values:
        return Message("value.empty", {"shape": shape})
    # Every number takes a digit and a separator; most of a longer tensor is never looked at.
    if len(snapshot.values) <= width // 3 or not snapshot.shape:
        whole = _nested(snapshot)
        if len(whole) <= width or not snapshot.shape:
            return whole
    return _beginning(snapshot, shape, width)


def snapshot_text(snapshot: TensorSnapshot | None) -> Text:
    """Return a value for the inspector: whole if it was kept whole, with its unusual facts.

    Example:
        >>> snapshot_text(TensorSnapshot(shape=(), dtype="bfloat16", values=("8.0",)))
        '8 (bfloat16)'
    """
    if snapshot is None:
        return Message("value.none")
    text = short_text(snapshot, width=10**9)
    if not isinstance(text, str):
        return text
    unusual = [
        snapshot.dtype if snapshot.dtype != "float32" else "",
        snapshot.device if snapshot.device != "cpu" else "",
        snapshot.layout if snapshot.layout != "strided" else "",
        f"nnz {snapshot.nnz}" if snapshot.nnz is not None else "",
    ]
    facts = ", ".join(fact for fact in unusual if fact)
    return f"{text} ({facts})" if facts else text


def pair_text(
    before: TensorSnapshot | None, after: TensorSnapshot | None, *, width: int = CARD_WIDTH
) -> tuple[Text, Text]:
    """Return the texts of two values, which look different if the values are.

    Without this, a hook that changes the eighth digit would read `0.333333 → 0.333333`.
    """
    texts = short_text(before, width=width), short_text(after, width=width)
    if before is None or after is None or is_same_value(before, after) or texts[0] != texts[1]:
        return texts
    if before.values is not None and after.values is not None:
        return _where_they_differ(before, after) or texts
    if before.summary is not None and after.summary is not None:
        return _fact_that_differs(before.summary, after.summary) or texts
    return texts


def change_text(
    before: TensorSnapshot | None, after: TensorSnapshot | None, *, with_shape: bool = True
) -> Text:
    """Return `8 → 10`; of large tensors without repetitions: `[3, 32] norm 2 → 4`.

    Args:
        before: The value before.
        after: The value after.
        with_shape: Whether to say the shape of a large tensor if both are of one shape.
    """
    first, second = pair_text(before, after)
    one, other = _plain_norm(before), _plain_norm(after)
    if one and other and one[0] == other[0] and one[1] != other[1]:
        first = short_text(before) if with_shape else Message("value.norm", {"norm": one[1]})
        second = other[1]
    if isinstance(first, str) and isinstance(second, str):
        return f"{first} → {second}"
    return Message("value.arrow", {"before": first, "after": second})


def _plain_norm(snapshot: TensorSnapshot | None) -> tuple[tuple[int, ...], str] | None:
    """Return shape and norm of a large tensor if that is all there is to say on a card."""
    if snapshot is None or snapshot.summary is None or snapshot.dtype not in _USUAL_DTYPES:
        return None
    summary = snapshot.summary
    if not summary.norm or summary.nan_count or summary.inf_count:
        return None
    return snapshot.shape, number_text(float(summary.norm), _DIGITS_ON_CARDS)


def is_same_value(one: TensorSnapshot | None, other: TensorSnapshot | None) -> bool:
    """Whether two snapshots say the same; how they say it (dtype, layout) counts as well."""
    # Values are exact text, so NaN equals NaN here.
    return one == other


def shape_text(shape: tuple[int, ...]) -> str:
    """Return a shape as PyTorch prints it.

    Example:
        >>> shape_text((3, 32))
        '[3, 32]'
    """
    return str(list(shape))


def _is_short(dtype: str, width: int) -> bool:
    """Return whether the text leaves out usual facts, as on a card."""
    return width <= CARD_WIDTH and dtype in _USUAL_DTYPES


def _summary(dtype: str, shape: str, summary: TensorSummary, width: int) -> Text:
    is_short = _is_short(dtype, width)
    facts: list[Text] = []
    if summary.norm:
        digits = _DIGITS_ON_CARDS if is_short else DIGITS
        facts.append(Message("value.norm", {"norm": number_text(float(summary.norm), digits)}))
    if summary.nan_count:
        facts.append(Message("value.nan_count", {"count": str(summary.nan_count)}))
    if summary.inf_count:
        facts.append(Message("value.inf_count", {"count": str(summary.inf_count)}))
    if not facts:
        return shape if is_short else f"{dtype} {shape}"
    if is_short:
        return Message("value.shaped", {"shape": shape, "facts": tuple(facts)})
    return Message("value.summary", {"dtype": dtype, "shape": shape, "facts": tuple(facts)})


def _nested(snapshot: TensorSnapshot) -> str:
    parts = [number_text(number) for number in snapshot.numbers()]
    for size in reversed(snapshot.shape):
        groups = range(0, len(parts), size)
        parts = ["[" + ", ".join(parts[start : start + size]) + "]" for start in groups]
    return parts[0]


def _beginning(snapshot: TensorSnapshot, shape: str, width: int) -> str:
    """Return `[3, 3]: 0.1, 0.2, …`: at least one number, then as many as fit."""
    text = f"{shape}: "
    values = (snapshot.values or ())[: width // 3 + 1]
    for index, number in enumerate(
        replace(snapshot, shape=(len(values),), values=values).numbers()
    ):
        item = f"{number_text(number)}, "
        if index and len(text) + len(item) > width - 1:
            break
        text += item
    return text + "…"


def _where_they_differ(before: TensorSnapshot, after: TensorSnapshot) -> tuple[Text, Text] | None:
    """Return the first elements that differ, with the digits it takes, and where they stand."""
    if before.shape != after.shape:
        return None
    pairs = zip(before.numbers(), after.numbers(), strict=True)
    for place, (one, other) in enumerate(pairs):
        for digits in range(DIGITS, _MOST_DIGITS + 1):
            texts = number_text(one, digits), number_text(other, digits)
            if texts[0] != texts[1]:
                return _at(before.shape, place, texts[0]), _at(before.shape, place, texts[1])
    return None


def _at(shape: tuple[int, ...], place: int, number: str) -> Text:
    if math.prod(shape) == 1:
        return "[" * len(shape) + number + "]" * len(shape)
    position: list[str] = []
    for size in reversed(shape):
        place, rest = divmod(place, size)
        position.insert(0, str(rest))
    args = {"shape": shape_text(shape), "position": ", ".join(position), "number": number}
    return Message("value.at", args)


def _fact_that_differs(before: TensorSummary, after: TensorSummary) -> tuple[Text, Text] | None:
    facts = (
        ("value.norm", "norm", before.norm, after.norm),
        ("value.mean", "mean", before.mean, after.mean),
        ("value.minimum", "minimum", before.minimum, after.minimum),
        ("value.maximum", "maximum", before.maximum, after.maximum),
    )
    for key, name, one, other in facts:
        if one != other:
            return Message(key, {name: one}), Message(key, {name: other})
    return None
