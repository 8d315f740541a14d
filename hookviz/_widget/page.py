"""Put one pass on a page: the state that Python and the browser share, and its pictures."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import Any

import anywidget
import traitlets

from hookviz._files import STATIC, check_path, write_text
from hookviz._languages import LANGUAGES
from hookviz._parameters import check_step
from hookviz._trace import Trace
from hookviz._view.code.code import as_code
from hookviz._view.compare.choices import choice_data, comparison_data
from hookviz._view.page.box_data import box_data
from hookviz._view.page.data import explorer_data
from hookviz._view.page.strings import with_strings_for
from hookviz._view.saved.page import page_part, save_page
from hookviz._view.scene.ranks import DIRECTIONS
from hookviz._view.svg.animation import animated_svg
from hookviz._view.text.message import render
from hookviz._widget.compared import Compared
from hookviz._widget.source import Source
from hookviz._widget.stepper import Stepper
from hookviz.errors import HookvizError

Path = str | os.PathLike[str]

_SLOWEST, _FASTEST = 0.05, 50.0


class Page(anywidget.AnyWidget):
    """One pass as traits that the browser draws, as pictures, and as the output of a cell."""

    # As text: anywidget holds on to every widget whose script is a path, to reload it on change.
    _esm = (STATIC / "explorer.js").read_text(encoding="utf-8")
    _css = (STATIC / "explorer.css").read_text(encoding="utf-8")

    step = traitlets.Int(0, help="0 before anything, n after the n-th event").tag(sync=True)
    selected = traitlets.Unicode("", help="id of the selected tensor, or empty").tag(sync=True)
    lang = traitlets.Enum(LANGUAGES, default_value="en").tag(sync=True)
    theme = traitlets.Enum(("auto", "light", "dark"), default_value="auto").tag(sync=True)
    direction = traitlets.Enum(
        DIRECTIONS, default_value="auto", help="which way the gradient flows in the picture"
    ).tag(sync=True)
    playing = traitlets.Bool(default_value=False, help="whether it plays").tag(sync=True)
    speed = traitlets.Float(1.0, help="steps per 1.2 seconds").tag(sync=True)
    predicting = traitlets.Bool(
        default_value=False, help="whether the reader is asked before each step"
    ).tag(sync=True)
    score = traitlets.Dict(help="right, asked, and the steps that were asked about").tag(sync=True)
    expanded = traitlets.List(traitlets.Unicode(), help="ids of the boxes that are open").tag(
        sync=True
    )

    # Written by Python and drawn by the page.
    comparisons = traitlets.List(traitlets.Dict(), help="the passes to compare with").tag(sync=True)
    comparison = traitlets.Any(None, help="the differences from another pass, or None").tag(
        sync=True
    )
    picture = traitlets.Unicode("").tag(sync=True)
    steps = traitlets.List(traitlets.Dict()).tag(sync=True)
    stops = traitlets.List(traitlets.Dict()).tag(sync=True)
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

    def __init__(self, source: Source, *, lang: str) -> None:
        """Show the last pass of a source.

        Args:
            source: Where the passes come from.
            lang: `"en"` or `"zh"`.
        """
        self._source = source
        self._compared = Compared(source)
        super().__init__(lang=lang)
        self._show()

    @property
    def trace(self) -> Trace:
        """The pass on screen."""
        return self._source.trace

    @property
    def caption(self) -> str:
        """The sentence about the current step, in the current language."""
        return render(self._stepper.steps[self.step].caption, self.lang)

    def save_svg(self, path: Path, *, step: int | None = None) -> None:
        """Save the picture of a step, with the boxes that are open, as a file of its own.

        Args:
            path: The file, by custom with the ending `.svg`; one that is there is replaced.
            step: The step; the current one if not given.

        Raises:
            HookvizError: If the file cannot be written, or there is no such step.

        Example:
            >>> explorer.save_svg("step.svg", step=2)
        """
        place = check_step(self.step if step is None else step, self._stepper.last)
        write_text(path, self._still(place) + "\n")

    def save_animation(self, path: Path, *, seconds: float = 1.5) -> None:
        """Save the whole pass as an SVG file that plays by itself, one picture for each stop.

        Args:
            path: The file, by custom with the ending `.svg`; one that is there is replaced.
            seconds: How long each stop is shown, from 0.1 to 60.

        Raises:
            HookvizError: If the file cannot be written, or the pass has more than 120 stops.

        Example:
            >>> explorer.save_animation("example.svg", seconds=2)
        """
        pictures = [self._still(stop) for stop in self._stops()]
        write_text(path, animated_svg(pictures, seconds=seconds) + "\n")

    def save_html(self, path: Path) -> None:
        """Save a page that steps, opens boxes, compares and predicts without a network.

        Where hooks are on, more passes are run to compare with: one without any of them, and one
        without each of the first eight. Every `.grad`, buffer and random generator is put back.

        Args:
            path: The file, by custom with the ending `.html`; one that is there is replaced.

        Raises:
            HookvizError: If the file cannot be written.

        Example:
            >>> explorer.save_html("example.html")
        """
        check_path(path)
        comparisons, notes = self._compared.with_each([one["id"] for one in self.comparisons])
        part = page_part(
            self._source.record,
            lang=self.lang,
            choices=self.comparisons,
            comparisons=comparisons,
            expanded=self.expanded,
            code=self.as_code(),
        )
        save_page(path, [part], lang=self.lang, notes=notes)

    def as_code(self) -> str:
        """Return plain PyTorch lines that register these hooks and call backward.

        The lines run after the tensors are made and before any hook is registered on them.
        A hook that needs more than that is a comment with the reason.

        Example:
            >>> print(explorer.as_code(), end="")
            e.register_hook(lambda grad: grad * 2)
            e.backward()
        """
        return as_code(self._source.record, self._source.arguments)

    # -- traits ---------------------------------------------------------------------------------

    def _show(self) -> None:
        """Show the last pass of the source."""
        source, compared = self._source, self._compared
        self._stepper = stepper = Stepper(source.record, compared.comparison)
        boxes = box_data(stepper.tree)
        is_same = bool(self.boxes) and self.boxes == boxes
        # The steps come first: the validators of `step` and `selected` measure by them.
        data = explorer_data(
            source.record,
            stepper.steps,
            # Open boxes stay open while the boxes are the same ones.
            expanded=self.expanded if is_same else None,
            tree=stepper.tree,
            direction=self.direction,
            kinds=source.module_kinds,
            is_fixed=source.is_fixed,
        )
        data["comparisons"] = choice_data(
            source.record.graph, has_edit=compared.has_edit, can_leave_out=source.can_leave_out
        )
        data["hooks_code"] = self.as_code()
        data["comparison"] = comparison_data(compared.against, compared.comparison)
        self._put({"score": {**self.score, "steps": []}, **data})
        if not self._is_there(self.selected):
            self.selected = ""

    def _put(self, data: Mapping[str, Any]) -> None:
        """Set traits in their order, as one message, with the words that they ask for."""
        with self.hold_sync():
            self.strings = with_strings_for(data, self.strings)
            for name, value in data.items():
                setattr(self, name, value)

    @traitlets.default("score")
    def _no_score(self) -> dict[str, Any]:
        return {"right": 0, "asked": 0, "steps": []}

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

    @traitlets.observe("direction")
    def _turn(self, _: object) -> None:
        if self.steps:
            self._open(self.expanded)

    def _open(self, expanded: Collection[str]) -> None:
        self._put(self._stepper.expansion(expanded, self.direction))

    # -- output of a cell -----------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.title}, step {self.step} of {self._stepper.last})"

    def _still(self, step: int) -> str:
        return self._stepper.picture(
            step, self.lang, standalone=True, expanded=self.expanded, direction=self.direction
        )

    def _ipython_display_(self, **_: Any) -> None:
        # Two outputs: pages that prefer the widget and cannot load it (an exported page without a
        # network) still have the picture; where the widget lives, its style sheet hides it.
        from IPython.display import display

        data, metadata = self._repr_mimebundle_()
        still = {"image/svg+xml": data.pop("image/svg+xml"), "text/plain": data["text/plain"]}
        if data.keys() - {"text/plain"}:
            data["text/plain"] = repr(self)
            display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        display(still, raw=True)  # type: ignore[no-untyped-call]

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        # A closed widget has no model to show; what it has shown stays true.
        is_open = self.comm is not None
        data, metadata = (super()._repr_mimebundle_(**kwargs) if is_open else None) or ({}, {})
        # For pages that cannot run the widget (a repository's page, a PDF), in the same output.
        text = self.transcript[self.lang]
        data["text/plain"] = text
        data["image/svg+xml"] = self._stepper.picture(
            self._stepper.last, self.lang, transcript=text
        )
        return data, metadata
