"""List the passes to compare with, and the differences, as JSON-safe data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from hookviz._records import GraphRecord, HookRecord, TensorRecord
from hookviz._view.compare.compare import Comparison
from hookviz._view.text.message import Message, to_json_data
from hookviz._view.text.width import cut

_LONGEST_LABEL = 40.0


CanLeaveOut = Callable[[HookRecord], bool]


def _always(_: HookRecord) -> bool:
    return True


class Choice(Struct, frozen=True):
    """Another pass that can be compared with.

    Attributes:
        id: `hooks`, `edit`, or the id of a hook.
        text: Its name in the middle of a sentence; the reason where the pass cannot be run.
        is_possible: Whether that pass can be run.
    """

    id: str
    text: Message
    is_possible: bool = True


def choices(
    graph: GraphRecord, *, has_edit: bool, can_leave_out: CanLeaveOut = _always
) -> tuple[Choice, ...]:
    """Return the passes to compare with; none where no hook is on.

    Args:
        graph: The graph.
        has_edit: Whether there is a pass from before a change of hooks.
        can_leave_out: Tells whether a pass without a hook can be run. Where one cannot, the last
            choice says so.
    """
    enabled = [placed for placed in _hooks(graph) if placed.hook.enabled]
    possible = [placed for placed in enabled if can_leave_out(placed.hook)]
    alike = Counter(placed.hook.label for placed in enabled)
    found = [
        Choice(placed.hook.id, placed.without(is_alone=alike[placed.hook.label] == 1))
        for placed in possible
    ]
    if found:
        found.insert(0, Choice("hooks", Message("compare.baseline")))
    if has_edit:
        found.append(Choice("edit", Message("compare.before")))
    if len(possible) < len(enabled):
        key = "compare.absent.others" if possible else "compare.absent"
        text = Message(key, {"code": "hookviz.explore(lambda: ...)"})
        found.append(Choice("absent", text, is_possible=False))
    return tuple(found)


def choice_data(
    graph: GraphRecord, *, has_edit: bool, can_leave_out: CanLeaveOut = _always
) -> list[dict[str, Any]]:
    """Return the choices as the page gets them; see `choices`."""
    found = choices(graph, has_edit=has_edit, can_leave_out=can_leave_out)
    return [
        {
            "id": choice.id,
            "text": to_json_data(choice.text),
            **({} if choice.is_possible else {"absent": True}),
        }
        for choice in found
    ]


def comparison_data(against: str, comparison: Comparison | None) -> dict[str, Any] | None:
    """Return the differences as the page gets them, `None` where nothing is compared."""
    if comparison is None:
        return None
    return {
        "against": against,
        "changed": sorted(comparison.changed),
        "same": sorted(comparison.same),
    }


class _Placed(Struct, frozen=True):
    """A hook, its owner, and its number among the hooks of the owner, from 1."""

    hook: HookRecord
    owner: str
    number: int

    def without(self, *, is_alone: bool) -> Message:
        """Name the pass without it, with its owner where another hook has the same label."""
        label = cut(self.hook.label, _LONGEST_LABEL)
        if is_alone:
            return Message("compare.without", {"hook": label})
        values = {"hook": label, "owner": self.owner, "number": str(self.number)}
        return Message("compare.without_one", values)


def _hooks(graph: GraphRecord) -> Iterator[_Placed]:
    for owner, hooks in graph.hook_chains():
        name = owner.label if isinstance(owner, TensorRecord) else owner.name
        for number, hook in enumerate(hooks, start=1):
            yield _Placed(hook, name, number)
