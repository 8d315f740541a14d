"""Let a reader step through a pass: the part of the explorer that needs no session."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import anywidget
import traitlets

from hookviz._files import STATIC
from hookviz._languages import LANGUAGES
from hookviz._parameters import check_step
from hookviz._trace import Trace
from hookviz._view.groups.tree import GroupTree
from hookviz._view.lesson.answers import Verdict, judge
from hookviz._view.lesson.questions import Question
from hookviz._view.lookup.marks import Mark
from hookviz._view.page.boxes import all_opened, box_named, closed, expansion_data, opened_to
from hookviz._view.page.strings import with_strings_for
from hookviz._view.scene.ranks import DIRECTIONS
from hookviz._view.steps.steps import Step
from hookviz._view.text.message import render
from hookviz.errors import HookvizError, UnknownTargetError

_SLOWEST, _FASTEST = 0.05, 50.0


class SteppingWidget(anywidget.AnyWidget):
    """Show the steps of one trace; `hookviz.Explorer` adds what changes hooks."""

    # As text: anywidget holds on to every widget whose script is a path, to reload it on change.
    _esm = (STATIC / "explorer.js").read_text(encoding="utf-8")
    _css = (STATIC / "explorer.css").read_text(encoding="utf-8")

    step = traitlets.Int(0, help="0 before anything, n after the n-th event").tag(sync=True)
    selected = traitlets.Unicode("", help="id of the selected tensor, or empty").tag(sync=True)
    lang = traitlets.Enum(LANGUAGES, default_value="en").tag(sync=True)
    theme = traitlets.Enum(("auto", "light", "dark"), default_value="auto").tag(sync=True)

    playing = traitlets.Bool(default_value=False, help="whether it plays").tag(sync=True)
    speed = traitlets.Float(1.0, help="steps per 1.2 seconds").tag(sync=True)

    comparisons = traitlets.List(traitlets.Dict(), help="what can be compared with").tag(sync=True)
    comparison = traitlets.Any(None, help="what differs from another pass, or None").tag(sync=True)
    predicting = traitlets.Bool(
        default_value=False, help="whether the reader is asked before each step"
    ).tag(sync=True)
    score = traitlets.Dict(help="right, asked, and the steps that were asked about").tag(sync=True)

    picture = traitlets.Unicode("").tag(sync=True)
    steps = traitlets.List(traitlets.Dict()).tag(sync=True)
    stops = traitlets.List(traitlets.Dict()).tag(sync=True)
    expanded = traitlets.List(traitlets.Unicode(), help="ids of the boxes that are open").tag(
        sync=True
    )
    direction = traitlets.Enum(
        DIRECTIONS, default_value="auto", help="which way the gradient flows in the picture"
    ).tag(sync=True)
    boxes = traitlets.Dict().tag(sync=True)
    modules = traitlets.List(traitlets.Dict()).tag(sync=True)
    code = traitlets.List(traitlets.Dict()).tag(sync=True)
    values = traitlets.List(traitlets.Dict()).tag(sync=True)
    tensors = traitlets.List(traitlets.Dict()).tag(sync=True)
    strings = traitlets.Dict().tag(sync=True)
    transcript = traitlets.Dict().tag(sync=True)
    hooks_code = traitlets.Unicode("", help="the hooks as plain PyTorch lines").tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)
    notice = traitlets.Any(None, help="a message for the reader, or None").tag(sync=True)
    busy = traitlets.Bool(default_value=False).tag(sync=True)

    _trace: Trace
    _steps: tuple[Step, ...] = ()
    _tree: GroupTree

    @traitlets.default("score")
    def _no_score(self) -> dict[str, Any]:
        return {"right": 0, "asked": 0, "steps": []}

    @property
    def trace(self) -> Trace:
        """The pass on screen."""
        return self._trace

    @property
    def caption(self) -> str:
        """The sentence about the current step, in the current language."""
        return render(self._steps[self.step].caption, self.lang)

    # -- stepping -------------------------------------------------------------------------------

    def next(self) -> None:
        """Go one step on, over what is inside a closed box; at the last step, stay."""
        self.step = self._next_stop()

    def back(self) -> None:
        """Go one step back, over what is inside a closed box; at the first step, stay."""
        self.step = max((stop for stop in self._stops() if stop < self.step), default=0)

    def _next_stop(self) -> int:
        return min((stop for stop in self._stops() if stop > self.step), default=self.step)

    def _stops(self) -> list[int]:
        return [stop["step"] for stop in self.stops]

    def first(self) -> None:
        """Go before anything has happened."""
        self.step = 0

    def last(self) -> None:
        """Go to the end of the pass."""
        self.step = len(self._steps) - 1

    def goto(self, n: int) -> None:
        """Go to the step after the n-th event.

        Raises:
            HookvizError: If there is no such step.
        """
        self.step = check_step(n, len(self._steps) - 1)

    def next_hook(self) -> bool:
        """Go on to the next step at which a hook ran; return whether there was one."""
        return self._run_to_mark("hook")

    def next_rewrite(self) -> bool:
        """Go on to the next step at which a value was rewritten; return whether there was one."""
        return self._run_to_mark("rewrite")

    def first_nonfinite(self) -> bool:
        """Go to the first step that brought a NaN or an infinite number; return whether one did."""
        self.first()
        return self._run_to_mark("nonfinite")

    def _run_to_mark(self, mark: Mark) -> bool:
        return self._run_to(n for n, step in enumerate(self._steps) if mark in step.marks)

    def _run_to(self, places: Any) -> bool:
        place = next((place for place in places if place > self.step), None)
        if place is None:
            return False
        self.step = place
        return True

    def play(self, *, speed: float | None = None) -> None:
        """Play the steps one after the other, where the widget is on screen.

        Args:
            speed: 1 is a step every 1.2 seconds, 2 is twice as fast; left as it is if not given.

        Raises:
            HookvizError: If the speed is no number, or much too slow or fast.
        """
        if speed is not None:
            if not isinstance(speed, int | float):
                raise HookvizError(f"speed={speed!r} is not a number.")
            self.speed = speed
        if self.step == len(self._steps) - 1:
            self.first()
        self.playing = True

    def pause(self) -> None:
        """Stop playing at the current step."""
        self.playing = False

    # -- boxes ----------------------------------------------------------------------------------

    def expand(self, box: str) -> None:
        """Open a box, and those around it: show what is inside, and step into it.

        Args:
            box: Qualified name of a module, or the id of a box in the picture.

        Raises:
            UnknownTargetError: If the graph has no such box.
        """
        name = self._box(box)
        self._open(opened_to(self._trace.graph, self.expanded, name, tree=self._tree))

    def collapse(self, box: str) -> None:
        """Close a box and step over what is inside. Raises as `expand` does."""
        name = self._box(box)
        self._open(closed(self._trace.graph, self.expanded, name, tree=self._tree))

    def expand_all(self) -> None:
        """Open every box; of a very large graph, as many as can still be drawn."""
        self._open(all_opened(self._trace.graph, tree=self._tree))

    def collapse_all(self) -> None:
        """Close every box."""
        self._open(())

    def _box(self, name: str) -> str:
        found = box_named(self._trace.graph, str(name), tree=self._tree)
        if found is None:
            known = ", ".join(group.name for group in list(self._tree.groups.values())[:20])
            raise UnknownTargetError(
                f"there is no box {name!r} in this picture. "
                + (f"There are: {known}." if known else "It has no boxes.")
            )
        return found

    def _open(self, expanded: Collection[str]) -> None:
        self._give(
            expansion_data(
                self._trace, self._steps, expanded, tree=self._tree, direction=self.direction
            )
        )

    def _give(self, data: Mapping[str, Any]) -> None:
        """Set traits in their order, and let the page have the words that they ask for."""
        with self.hold_sync():
            self.strings = with_strings_for(data, self.strings)
            for name, value in data.items():
                setattr(self, name, value)

    # -- predicting -----------------------------------------------------------------------------

    @property
    def question(self) -> str | None:
        """What can be asked about the next step, in the current language; `None` if nothing."""
        question = self._next_question()
        return None if question is None else render(question.text, self.lang)

    def _next_question(self) -> Question | None:
        target = self._next_stop()
        return None if target == self.step else self._steps[target].question

    def predict(self, answer: object) -> Verdict:
        """Say what the next step will show; it is compared with the recording, then shown.

        Args:
            answer: A number, `None`, a list of those, a tensor, or text such as `"2*4"`. Numbers
                may be off by a few thousandths.

        Returns:
            Whether it was right, and the recorded value. Only the first answer to a step counts
            for `score`.

        Raises:
            AnswerError: If the answer is nothing of that; the step stays.
            HookvizError: If nothing can be asked about the next step.
        """
        question, target = self._next_question(), self._next_stop()
        if question is None:
            raise HookvizError(
                "there is nothing to predict about the next step: there is none, it only starts "
                "the pass or ends with an error, or its value has too many numbers. Go on with "
                "next()."
            )
        verdict = judge(answer, question.answer, render(question.shown, self.lang))
        asked: list[int] = self.score["steps"]
        if target not in asked:
            self.score = {
                "right": self.score["right"] + verdict.is_right,
                "asked": self.score["asked"] + 1,
                "steps": [*asked, target],
            }
        self.step = target
        return verdict

    # -- what the page may set ------------------------------------------------------------------

    @traitlets.observe("direction")
    def _turn(self, _: object) -> None:
        if self._steps:
            self._open(self.expanded)

    @traitlets.validate("step")
    def _valid_step(self, proposal: Any) -> int:
        return max(0, min(int(proposal["value"]), max(len(self.steps) - 1, 0)))

    @traitlets.validate("speed")
    def _valid_speed(self, proposal: Any) -> float:
        speed = float(proposal["value"])
        if not _SLOWEST <= speed <= _FASTEST:
            raise HookvizError(
                f"speed={speed} cannot be played; it has to be from {_SLOWEST} to {_FASTEST}."
            )
        return speed

    @traitlets.validate("selected")
    def _valid_selected(self, proposal: Any) -> str:
        value = str(proposal["value"])
        return value if self._is_there(value) else ""

    def _is_there(self, selected: str) -> bool:
        drawn = (item["id"] for item in (*self.tensors, *self.modules))
        return selected in drawn or selected in self.boxes
