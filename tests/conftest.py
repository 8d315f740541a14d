"""Rules that hold in every test."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from hookviz import TensorSnapshot


@pytest.fixture(autouse=True, scope="session")
def _no_snapshot_is_asked_for_its_truth() -> Iterator[None]:
    """A gradient of zero is false, as a tensor is: inside hookviz only `is None` may be asked."""
    plain = TensorSnapshot.__bool__

    def guarded(snapshot: TensorSnapshot) -> bool:
        asked_by = sys._getframe(1).f_globals.get("__name__", "")
        assert not asked_by.startswith("hookviz."), f"{asked_by} asks a snapshot for its truth"
        return plain(snapshot)

    TensorSnapshot.__bool__ = guarded  # type: ignore[method-assign]
    yield
    TensorSnapshot.__bool__ = plain  # type: ignore[method-assign]
