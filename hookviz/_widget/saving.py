"""Save what an explorer shows: as a page, as a picture, as an animation, as code."""

from __future__ import annotations

import os
from typing import Any

from hookviz._files import check_path, write_text
from hookviz._parameters import check_step
from hookviz._records import BackwardArguments
from hookviz._view.code.code import as_code
from hookviz._view.compare.compare import Comparison
from hookviz._view.saved.page import page_part, save_page
from hookviz._view.svg.animation import animated_svg
from hookviz._view.svg.picture import picture_svg
from hookviz._view.text.message import Message
from hookviz._widget.stepping import SteppingWidget

Path = str | os.PathLike[str]


class SharingWidget(SteppingWidget):
    """An explorer whose pass can be saved."""

    def _compared_with_each(self) -> tuple[dict[str, Comparison], tuple[Message, ...]]:
        raise NotImplementedError

    def save_html(self, path: Path) -> None:
        """Save a page that steps, opens boxes, compares and predicts without a network.

        Where hooks are on, more passes are run to compare with: one without any of them, and one
        without each of the first eight. Every `.grad`, buffer and random generator is put back.

        Args:
            path: The file, by custom with the ending `.html`; one that is there is replaced.

        Raises:
            HookvizError: If the file cannot be written.
        """
        check_path(path)
        comparisons, notes = self._compared_with_each()
        part = page_part(
            self._trace,
            lang=self.lang,
            choices=self.comparisons,
            comparisons=comparisons,
            expanded=self.expanded,
            code=self.as_code(),
        )
        save_page(path, [part], lang=self.lang, notes=notes)

    def save_svg(self, path: Path, *, step: int | None = None) -> None:
        """Save the picture of a step, with the boxes that are open, as a file of its own.

        Args:
            path: The file, by custom with the ending `.svg`; one that is there is replaced.
            step: Which step; the current one if not given.

        Raises:
            HookvizError: If the file cannot be written, or there is no such step.
        """
        place = self.step if step is None else step
        check_step(place, len(self._steps) - 1)
        write_text(path, self._still(place) + "\n")

    def save_animation(self, path: Path, *, seconds: float = 1.5) -> None:
        """Save the whole pass as an SVG file that plays by itself, one picture per stop.

        Args:
            path: The file, by custom with the ending `.svg`; one that is there is replaced.
            seconds: How long each stop is shown.

        Raises:
            HookvizError: If the file cannot be written, or the pass has too many stops.
        """
        stops = [stop["step"] for stop in self.stops]
        text = animated_svg([self._still(step) for step in stops], seconds=seconds)
        write_text(path, text + "\n")

    def as_code(self) -> str:
        """Return plain PyTorch lines that register these hooks; see what they give without hookviz.

        They are to run after the tensors are made and before any hook is registered on them. What
        cannot be written as code stands there as a comment.
        """
        return as_code(self._trace, self._given_arguments())

    def _given_arguments(self) -> BackwardArguments:
        raise NotImplementedError

    def _ipython_display_(self, **_: Any) -> None:
        # Two outputs: pages that prefer the widget and cannot load it (an exported page without a
        # network) still have the picture; where the widget lives, its style sheet hides it.
        from IPython.display import display

        bundle: Any = self._repr_mimebundle_()
        data, metadata = bundle
        still = {"image/svg+xml": data.pop("image/svg+xml"), "text/plain": data["text/plain"]}
        if data.keys() - {"text/plain"}:
            data["text/plain"] = repr(self)
            display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        display(still, raw=True)  # type: ignore[no-untyped-call]

    def _still(self, step: int) -> str:
        return picture_svg(
            self._trace.graph,
            self._steps,
            step=step,
            lang=self.lang,
            standalone=True,
            expanded=self.expanded,
            tree=self._tree,
            direction=self.direction,
        )
