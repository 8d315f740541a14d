"""Remember with which other pass an explorer compares, and run that pass again when it must."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from hookviz._live.session.session import Session
from hookviz._records import GraphRecord, HookRecord, TraceRecord
from hookviz._view.compare.choices import choices
from hookviz._view.compare.compare import Comparison, DifferentGraphError, compare
from hookviz._view.text.message import Message, Text
from hookviz._widget.source import Source
from hookviz.errors import HookvizError, UnknownTargetError

WITHOUT_HOOKS = "hooks"
BEFORE_EDIT = "edit"

FORWARD_IS_OVER = (
    "this is a forward that is over, so its hooks can no longer be changed. Pass a function "
    "instead, which can be run again: hookviz.explore(lambda: model(x).sum())."
)

MOST_HOOKS = 8
"""For a saved page, a pass without it is run for so many hooks: each takes as long as a pass."""


class Compared:
    """The other pass of one explorer.

    Attributes:
        against: `"hooks"`, `"edit"`, the id of a hook, or empty where nothing is compared.
        comparison: The differences now, or `None`.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._before_edit: TraceRecord | None = None
        self.against = ""
        self.comparison: Comparison | None = None

    @property
    def has_edit(self) -> bool:
        """Whether there is a pass from before a change of hooks."""
        return self._before_edit is not None

    def choose(self, against: str | HookRecord | None) -> None:
        """Compare with another pass from now on.

        Args:
            against: See `against`; the record of a hook stands for its id, `None` for nothing.

        Raises:
            UnknownTargetError: If there is no such hook.
            HookvizError: If nothing was changed yet, or no hook is on, or the change made another
                graph.
        """
        chosen = against.id if isinstance(against, HookRecord) else against
        if chosen is None:
            chosen = ""
        # Nothing but "" stands for no comparison: an empty list is a mistake.
        self.comparison = None if chosen == "" else self._compare(chosen)
        self.against = chosen

    def see(self, before: TraceRecord, now: TraceRecord, *, is_change: bool) -> None:
        """Take in that an action has ended: hooks may have changed, and so the other pass.

        Args:
            before: The pass before it.
            now: The pass after it.
            is_change: Whether the action changes a hook; otherwise the user may have changed one.
        """
        if before is now:
            return
        if is_change or _hooks_of(before.graph) != _hooks_of(now.graph):
            self._before_edit = before
        if not self.against:
            return
        try:
            self.comparison = self._compare(self.against)
        except HookvizError:
            # The hook is gone, or the graph is another one: there is nothing left to compare with.
            self.comparison, self.against = None, ""

    def with_each(
        self, offered: Collection[str], *, most_hooks: int = MOST_HOOKS
    ) -> tuple[dict[str, Comparison], tuple[Message, ...]]:
        """Compare with every pass that is offered: each is run once, and put back after it.

        Args:
            offered: Their names.
            most_hooks: With how many single hooks off it is run at most.

        Returns:
            The differences by the names of the passes, and a note on each missing pass.
        """
        found: dict[str, Comparison] = {}
        failed: dict[str, list[Text]] = {}
        skipped: list[Text] = []
        hooks = 0
        for choice in choices(self._source.record.graph, has_edit=self.has_edit):
            if choice.id not in offered:
                continue
            if choice.id not in (WITHOUT_HOOKS, BEFORE_EDIT):
                hooks += 1
                if hooks > most_hooks:
                    skipped.append(choice.text)
                    continue
            try:
                found[choice.id] = self._compare(choice.id)
            except HookvizError as error:
                failed.setdefault(str(error).partition("\n")[0], []).append(choice.text)
        notes = [
            Message("page.compare.failed", {"passes": tuple(texts), "error": error})
            for error, texts in failed.items()
        ]
        if skipped:
            notes.append(
                Message(
                    "page.compare.skipped", {"passes": tuple(skipped), "count": str(most_hooks)}
                )
            )
        return found, tuple(notes)

    def _compare(self, chosen: str) -> Comparison:
        session, trace = self._source.session, self._source.record
        texts = {choice.id: choice.text for choice in choices(trace.graph, has_edit=True)}
        if chosen == WITHOUT_HOOKS and chosen not in texts:
            raise HookvizError("no hook is on, so there is nothing to compare with.")
        other = self._other_pass(session, chosen)
        if other.error is not None and trace.error is None:
            raise HookvizError(
                f"the other pass could not be run to its end ({other.error.type}: "
                f"{other.error.message}), so there is nothing to compare with."
            )
        try:
            return compare(trace, other, texts[chosen])
        except DifferentGraphError as error:
            raise HookvizError(
                "the change made another graph, so the two passes have no places in common."
            ) from error
        except LookupError as error:
            raise HookvizError(f"hook {chosen} is turned off: it is off in both passes.") from error

    def _other_pass(self, session: Session, chosen: str) -> TraceRecord:
        if chosen == WITHOUT_HOOKS:
            return session.without()
        if chosen != BEFORE_EDIT:
            try:
                return session.without([chosen])
            except UnknownTargetError as error:
                raise UnknownTargetError(
                    f'{error} To compare, give the id of a hook, "hooks" for a pass without any, '
                    'or "edit" for the pass before the last change.'
                ) from None
        if self._before_edit is None:
            raise HookvizError("no hook was changed yet, so there is no pass from before.")
        return self._before_edit


def _hooks_of(graph: GraphRecord) -> list[tuple[str, HookRecord]]:
    """Return the hooks with their places; a function that runs again may give them new ids."""
    return [
        (owner.id, replace(hook, id="")) for owner, hooks in graph.hook_chains() for hook in hooks
    ]
