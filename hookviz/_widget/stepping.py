"""Let a reader step through a pass; nothing in it is changed."""

from __future__ import annotations

from collections.abc import Iterable

from hookviz._live.session.targets import Target
from hookviz._parameters import check_step
from hookviz._records import HookRecord
from hookviz._view.lesson.answers import Verdict
from hookviz._view.text.message import render
from hookviz._widget.hooks import Hooks
from hookviz._widget.page import Page
from hookviz.errors import HookvizError


class Stepping(Page):
    """An explorer's methods for a reader: to step, to look, to open boxes, to predict."""

    # -- stepping -------------------------------------------------------------------------------

    def next(self) -> None:
        """Go one step on, over the steps inside a closed box; stay at the last step.

        Example:
            >>> explorer.next()
            >>> explorer.caption
            'Backward starts at e with the gradient 1, because de/de = 1.'
        """
        self.step = self._next_stop()

    def back(self) -> None:
        """Go one step back, over the steps inside a closed box; stay at the first step.

        Example:
            >>> explorer.goto(3)
            >>> explorer.back()
            >>> explorer.step
            2
        """
        self.step = max((stop for stop in self._stops() if stop < self.step), default=0)

    def first(self) -> None:
        """Go to step 0, before anything has happened.

        Example:
            >>> explorer.first()
            >>> explorer.step
            0
        """
        self.step = 0

    def last(self) -> None:
        """Go to the end of the pass.

        Example:
            >>> explorer.last()
            >>> explorer.step == len(explorer.trace.events)
            True
        """
        self.step = self._stepper.last

    def goto(self, n: int) -> None:
        """Go to a step.

        Args:
            n: 0 before anything, n after the n-th event: the event `trace.events[n - 1]`.

        Raises:
            HookvizError: If there is no such step.

        Example:
            >>> explorer.goto(2)
            >>> explorer.trace.events[explorer.step - 1]
            <tensor_hook e: 1 -> 2 by lambda grad: grad * 2>
        """
        self.step = check_step(n, self._stepper.last)

    def next_hook(self) -> bool:
        """Go on to the next step at which a hook ran; return whether there was one.

        Example:
            >>> explorer.next_hook(), explorer.step
            (True, 2)
        """
        return self._go_to(self._stepper.marked("hook"))

    def next_rewrite(self) -> bool:
        """Go on to the next step at which a value was rewritten; return whether there was one.

        Example:
            >>> explorer.next_rewrite(), explorer.step
            (True, 2)
        """
        return self._go_to(self._stepper.marked("rewrite"))

    def first_nonfinite(self) -> bool:
        """Go to the first step with a new NaN or infinite number; return whether there is one.

        Example:
            >>> explorer.first_nonfinite(), explorer.step
            (False, 0)
        """
        self.first()
        return self._go_to(self._stepper.marked("nonfinite"))

    def run_to(self, target: Target) -> bool:
        """Go on to the next step at a tensor, module or function; return whether there was one.

        Args:
            target: A tensor or module of the graph, its name, or an id from the picture.

        Raises:
            UnknownTargetError: If the graph has no such thing.

        Example:
            >>> explorer.run_to("a"), explorer.caption
            (True, 'a is a leaf, so its gradient is kept: a.grad was None, now 24.')
        """
        return self._go_to(self._stepper.at(self._id_of(target)))

    def select(self, target: Target) -> None:
        """Select a tensor, module or function, as a click on it does.

        Args:
            target: As for `run_to`.

        Raises:
            UnknownTargetError: If the graph has no such thing.

        Example:
            >>> explorer.select("c")
            >>> explorer.selected
            't1'
        """
        self.selected = self._id_of(target)

    def play(self, *, speed: float | None = None) -> None:
        """Play the steps one after the other, where the widget is on screen.

        Args:
            speed: 1 is a step every 1.2 seconds, 2 is twice as fast, from 0.05 to 50; left as it
                is if not given.

        Raises:
            HookvizError: If the speed is no such number.

        Example:
            >>> explorer.play(speed=2)
            >>> explorer.playing
            True
        """
        if speed is not None:
            if not isinstance(speed, int | float):
                raise HookvizError(f"speed={speed!r} is not a number.")
            self.speed = speed
        if self.step == self._stepper.last:
            self.first()
        self.playing = True

    def pause(self) -> None:
        """Stop playing at the current step.

        Example:
            >>> explorer.pause()
            >>> explorer.playing
            False
        """
        self.playing = False

    def hooks(self, target: Target) -> tuple[HookRecord, ...]:
        """Return the hooks of a tensor, module or function, those turned off too.

        Args:
            target: A tensor or module of the graph, its name, or an id from the picture.

        Returns:
            The hooks of each kind in the order in which they run.

        Raises:
            UnknownTargetError: If the graph has no such thing.

        Example:
            >>> explorer.hooks("e")
            (<hook h0 lambda grad: grad * 2 on e>,)
        """
        wanted = self._id_of(target)
        for owner, hooks in self._stepper.trace.graph.hook_chains():
            if owner.id == wanted:
                return Hooks.of(owner, hooks)
        return Hooks()

    # -- boxes ----------------------------------------------------------------------------------

    def expand(self, box: str) -> None:
        """Open a box and the boxes around it: show its inside, and step into it.

        Args:
            box: Qualified name of a module, or the id of a box in the picture.

        Raises:
            UnknownTargetError: If the graph has no such box.

        Example:
            >>> model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
            >>> explorer = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())
            >>> explorer.collapse_all()
            >>> explorer.expand("0")
            >>> len(explorer.expanded)  # the layer, and the model around it
            2
        """
        self._open(self._stepper.opened(self.expanded, box))

    def collapse(self, box: str) -> None:
        """Close a box, and step over its inside.

        Args:
            box: As for `expand`.

        Raises:
            UnknownTargetError: If the graph has no such box.

        Example:
            >>> model = torch.nn.Linear(2, 2)
            >>> explorer = hookviz.explore(lambda: model(torch.ones(1, 2)).sum())
            >>> explorer.collapse("model")
            >>> explorer.expanded
            []
        """
        self._open(self._stepper.closed(self.expanded, box))

    def expand_all(self) -> None:
        """Open every box; of a very large graph, as many as can still be drawn.

        Example:
            >>> explorer.expand_all()
        """
        self._open(self._stepper.all_opened())

    def collapse_all(self) -> None:
        """Close every box.

        Example:
            >>> explorer.collapse_all()
            >>> explorer.expanded
            []
        """
        self._open(())

    # -- predicting -----------------------------------------------------------------------------

    @property
    def question(self) -> str | None:
        """The question about the next step, in the current language; `None` if there is none."""
        target = self._next_stop()
        asked = None if target == self.step else self._stepper.question(target)
        return None if asked is None else render(asked.text, self.lang)

    def predict(self, answer: object) -> Verdict:
        """Compare a prediction of the next step's value with the recording, then go to the step.

        Args:
            answer: A number, `None`, a list of those, a tensor, or text such as `"2*4"`. Several
                gradients are one list after the other. A number may be off by 2e-3 of the
                recorded one, and by 1e-6 near zero.

        Returns:
            Whether it was right, and the recorded value. Only the first answer to a step counts
            for `score`.

        Raises:
            AnswerError: If the answer is none of that; the step stays.
            HookvizError: If nothing can be asked about the next step.

        Example:
            >>> explorer.goto(1)
            >>> print(explorer.question)
            e has received 1. What goes on after its hook lambda grad: grad * 2?
            >>> print(explorer.predict(2))
            right: 2
        """
        target = self._next_stop()
        verdict = self._stepper.judged(target if target != self.step else 0, answer, self.lang)
        asked: list[int] = self.score["steps"]
        if target not in asked:
            self.score = {
                "right": self.score["right"] + verdict.is_right,
                "asked": self.score["asked"] + 1,
                "steps": [*asked, target],
            }
        self.step = target
        return verdict

    # -- inside ---------------------------------------------------------------------------------

    def _id_of(self, target: Target) -> str:
        return self._source.id_of(target, self._stepper.find)

    def _stops(self) -> list[int]:
        return [stop["step"] for stop in self.stops]

    def _next_stop(self) -> int:
        return min((stop for stop in self._stops() if stop > self.step), default=self.step)

    def _go_to(self, places: Iterable[int]) -> bool:
        place = next((place for place in places if place > self.step), None)
        if place is not None:
            self.step = place
        return place is not None
