"""Give every hook of a graph an id by where it stands."""

from __future__ import annotations

import itertools
from collections.abc import Iterable


class HookIds:
    """`h0`, `h1`, ... in the order in which hooks are first seen.

    An id stays with its hook, also while the hook is taken off for a moment.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[int, int], tuple[str, object]] = {}
        self._numbers = itertools.count()

    def id_at(self, where: object, key: int) -> str:
        """Return the id of the hook under a key of a dictionary, the same one each time."""
        known = self._ids.get((id(where), key))
        if known is None:
            # The dictionary is kept, so that no other one can come to its place in memory.
            known = self._ids[id(where), key] = (f"h{next(self._numbers)}", where)
        return known[0]

    def adopt(self, where: object, key: int, hook_id: str) -> None:
        """Give a hook of another graph the id of the one that it stands for."""
        self._ids[id(where), key] = (hook_id, where)

    def forget_all_but(self, places: Iterable[object]) -> None:
        """Let go of all dictionaries but these."""
        kept = {id(place) for place in places}
        self._ids = {seat: known for seat, known in self._ids.items() if seat[0] in kept}
