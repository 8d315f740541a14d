"""Keep the values that steps show as tables and pictures, each one once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hookviz._records import TensorSnapshot
from hookviz._records.number import number_text
from hookviz._view.text.message import to_json_data
from hookviz._view.text.numbers import shape_text, snapshot_text
from hookviz._view.words.words import Labelled

MOST_COLUMNS = 16
"""A row with more numbers is a picture, not a table: nobody reads it."""

Shown = list[list[object]]
"""Pairs of a label and the place of a value in the book, `None` where there is no gradient."""


class ValueBook:
    """The values of one trace as JSON-safe data; equal values stand in it once."""

    def __init__(self) -> None:
        self._places: dict[TensorSnapshot, int] = {}

    def place(self, snapshot: TensorSnapshot | None) -> int | None:
        """Return where a value stands, after putting it in if it is new."""
        if snapshot is None:
            return None
        return self._places.setdefault(snapshot, len(self._places))

    def data(self) -> list[dict[str, object]]:
        """Return every value in the order of its place."""
        return [_value_data(snapshot) for snapshot in self._places]

    def step_data(self, before: Labelled, after: Labelled) -> dict[str, Shown]:
        """Return what a step shows before and after, as places in the book."""
        return {
            "before": [[label, self.place(value)] for label, value in before],
            "after": [[label, self.place(value)] for label, value in after],
        }


def _value_data(snapshot: TensorSnapshot) -> dict[str, object]:
    data: dict[str, object] = {
        "shape": shape_text(snapshot.shape),
        "dtype": snapshot.dtype,
        "text": to_json_data(snapshot_text(snapshot)),
    }
    if snapshot.summary is not None:
        summary = snapshot.summary
        data |= {
            "minimum": _short(summary.minimum),
            "maximum": _short(summary.maximum),
            "mean": _short(summary.mean),
            "std": _short(summary.std),
            "norm": _short(summary.norm),
            "zeros": summary.zero_count,
            "nans": summary.nan_count,
            "infs": summary.inf_count,
            "low": _finite(summary.minimum),
            "high": _finite(summary.maximum),
            "grid": summary.grid,
            "columns": summary.grid_shape[-1] if summary.grid_shape else 0,
            "histogram": list(summary.histogram),
            "counted": summary.histogram_count,
        }
    elif snapshot.values and snapshot.shape and not snapshot.dtype.startswith("complex"):
        columns = snapshot.shape[-1]
        if columns <= MOST_COLUMNS:
            numbers = snapshot.numbers()
            data["rows"] = _rows([number_text(number) for number in numbers], columns)
            data["levels"] = _rows([_finite(repr(number)) for number in numbers], columns)
    return data


def _rows(items: Sequence[object], columns: int) -> list[Sequence[object]]:
    return [items[start : start + columns] for start in range(0, len(items), columns)]


def _short(text: str) -> str:
    return number_text(float(text)) if text else ""


def _finite(text: str) -> float | None:
    """Return a number that JSON can carry, `None` for NaN and the infinite ones."""
    if text in ("True", "False"):
        return float(text == "True")
    number = float(text) if text else math.nan
    return number if math.isfinite(number) else None
