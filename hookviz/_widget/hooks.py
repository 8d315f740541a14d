"""List the hooks of one owner, with its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hookviz._records import HookRecord, TensorRecord
from hookviz._records.graph import HookOwner
from hookviz._records.listing import Listing
from hookviz._records.table import table_html


class Hooks(Listing[HookRecord]):
    """The hooks of a tensor, module or function; in a notebook a table."""

    owner = ""

    @classmethod
    def of(cls, owner: HookOwner, hooks: Sequence[HookRecord]) -> Hooks:
        """Return the hooks of an owner."""
        listed = cls(hooks)
        listed.owner = owner.label if isinstance(owner, TensorRecord) else owner.name
        return listed

    def _lines(self) -> Iterator[str]:
        return (hook.line(self.owner) for hook in self)

    def _repr_html_(self) -> str:
        head = ("id", "on", "kind", "hook", "state")
        rows = (
            (hook.id, self.owner, hook.kind, hook.label, "on" if hook.enabled else "off")
            for hook in self
        )
        return table_html(head, rows)
