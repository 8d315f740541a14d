"""Give every hook of a graph an id by where it stands."""

from __future__ import annotations


class HookIds:
    """`h0`, `h1`, ... in the order in which hooks are first seen.

    An id stays with its hook, also while the hook is taken off for a moment.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[int, int], tuple[str, object]] = {}

    def id_at(self, where: object, key: int) -> str:
        """Return the id of the hook under a key of a dictionary, the same one each time."""
        # The dictionary is kept, so that no other one can come to its place in memory.
        return self._ids.setdefault((id(where), key), (f"h{len(self._ids)}", where))[0]
