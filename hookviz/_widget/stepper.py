"""Know the steps of one pass: where stepping stops, the boxes, and the questions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from hookviz._records import TraceRecord
from hookviz._view.compare.compare import Comparison
from hookviz._view.compare.ghosts import with_ghosts
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.tree import GroupTree
from hookviz._view.lesson.answers import Verdict, judge
from hookviz._view.lesson.questions import Question
from hookviz._view.lookup.marks import Mark
from hookviz._view.page.boxes import all_opened, box_named, closed, expansion_data, opened_to
from hookviz._view.scene.ranks import Direction
from hookviz._view.steps.steps import Step, build_steps
from hookviz._view.svg.picture import picture_svg
from hookviz._view.text.message import render
from hookviz.errors import HookvizError, UnknownTargetError

_MOST_KNOWN = 20


class Stepper:
    """The steps of one pass. It holds no widget and no current step: each call is given one.

    Attributes:
        trace: The pass.
        tree: Its boxes.
        steps: Step 0 before anything, then one for each event.
    """

    def __init__(self, trace: TraceRecord, comparison: Comparison | None = None) -> None:
        """Build the steps.

        Args:
            trace: The pass.
            comparison: The values of another pass, to show beside its own.
        """
        self.trace = trace
        self.tree: GroupTree = group_tree(trace.graph)
        steps = build_steps(trace.graph, trace.events, tree=self.tree)
        self.steps: tuple[Step, ...] = (
            steps if comparison is None else with_ghosts(steps, comparison)
        )

    @property
    def last(self) -> int:
        """The last step."""
        return len(self.steps) - 1

    # -- places ---------------------------------------------------------------------------------

    def marked(self, mark: Mark) -> Iterable[int]:
        """Yield the steps with a mark."""
        return (place for place, step in enumerate(self.steps) if mark in step.marks)

    def at(self, owner: str) -> Iterable[int]:
        """Yield the steps at a tensor, a function, or the calls of a module, by its id."""
        calls = {call.id for call in self.trace.graph.calls if call.module == owner}
        return (
            place
            for place, step in enumerate(self.steps)
            if owner in (step.tensor, step.node) or step.call in calls
        )

    def find(self, target: object) -> str:
        """Return the id of a tensor or module by its name or id.

        Raises:
            UnknownTargetError: If the graph has no such thing.
        """
        graph = self.trace.graph
        if isinstance(target, str):
            modules = (one.id for one in graph.modules if target in (one.name, one.id))
            tensor = graph.find(target)
            found = next(modules, None) or (tensor.id if tensor is not None else None)
            if found is not None:
                return found
        known = ", ".join(tensor.label for tensor in graph.tensors[:_MOST_KNOWN])
        raise UnknownTargetError(f"{target!r} is not a tensor of this graph. It has: {known}.")

    # -- boxes ----------------------------------------------------------------------------------

    def opened(self, expanded: Collection[str], box: str) -> tuple[str, ...]:
        """Return the boxes that are open when one more is, with those around it.

        Raises:
            UnknownTargetError: If the graph has no such box.
        """
        return opened_to(self.trace.graph, expanded, self._box(box), tree=self.tree)

    def closed(self, expanded: Collection[str], box: str) -> tuple[str, ...]:
        """Return the boxes that are open when this one is closed. Raises as `opened` does."""
        return closed(self.trace.graph, expanded, self._box(box), tree=self.tree)

    def all_opened(self) -> tuple[str, ...]:
        """Return every box, or of a very large graph as many as can be drawn."""
        return all_opened(self.trace.graph, tree=self.tree)

    def expansion(self, expanded: Collection[str], direction: Direction) -> dict[str, Any]:
        """Return the traits that change with the open boxes; see `expansion_data`."""
        return expansion_data(self.trace, self.steps, expanded, tree=self.tree, direction=direction)

    def picture(self, step: int, lang: str, **options: Any) -> str:
        """Return the picture of a step; see `picture_svg`."""
        return picture_svg(
            self.trace.graph, self.steps, step=step, lang=lang, tree=self.tree, **options
        )

    def _box(self, name: str) -> str:
        found = box_named(self.trace.graph, str(name), tree=self.tree)
        if found is None:
            names = [group.name for group in self.tree.groups.values()][:_MOST_KNOWN]
            raise UnknownTargetError(
                f"there is no box {name!r} in this picture. "
                + (f"There are: {', '.join(names)}." if names else "It has no boxes.")
            )
        return found

    # -- predictions ----------------------------------------------------------------------------

    def question(self, step: int) -> Question | None:
        """Return the question to ask before a step is shown, `None` if there is none."""
        return self.steps[step].question

    def judged(self, step: int, answer: object, lang: str) -> Verdict:
        """Compare an answer with the value that a step shows.

        Raises:
            AnswerError: If the answer is no number, no list and not `None`.
            HookvizError: If nothing can be asked about the step.
        """
        question = self.question(step)
        if question is None:
            raise HookvizError(
                "there is nothing to predict about the next step: there is none, it only starts "
                "the pass or ends with an error, or its value has too many numbers. Go on with "
                "next()."
            )
        return judge(answer, question.answer, render(question.shown, lang))
