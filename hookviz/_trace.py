"""Offer one recorded pass to users: events, final gradients, text and JSON."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from hookviz._graph import Graph
from hookviz._parameters import check_language, check_step
from hookviz._records import ErrorRecord, Event, TensorSnapshot, TraceRecord
from hookviz.errors import TraceFormatError, UnknownTargetError

_FIELDS = tuple(field.name for field in fields(TraceRecord))

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMA = 2
"""Version of the JSON that `Trace.to_json` writes; raised when an older reader would misread it."""


_finishing = threading.RLock()
"""Held while records are made, so that two threads do not make the same ones."""


class Trace(TraceRecord):
    """Everything that one real `backward()` showed; `print(trace)` writes it as a transcript.

    The records of a pass are made when they are first looked at: recording then costs less, and
    who only wants the effect of the pass never pays for them.
    """

    __slots__ = ("_finish",)

    @classmethod
    def later(cls, finish: Callable[[], TraceRecord], *, error: ErrorRecord | None) -> Trace:
        """Return a trace whose records are made when somebody first looks at them.

        Args:
            finish: Makes them; called once. It must not need anything that is live.
            error: What ended the pass, which is known already.
        """
        trace = object.__new__(cls)
        object.__setattr__(trace, "error", error)
        object.__setattr__(trace, "_finish", finish)
        return trace

    def __getattr__(self, name: str) -> Any:
        # Python comes here only for a field that has no value yet.
        if name == "_finish" or name not in _FIELDS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with _finishing:
            finish = getattr(self, "_finish", None)
            if finish is not None:
                finished = Trace.from_record(finish())
                for field in _FIELDS:
                    object.__setattr__(self, field, getattr(finished, field))
                object.__setattr__(self, "_finish", None)
        return object.__getattribute__(self, name)

    @classmethod
    def from_record(cls, record: TraceRecord) -> Trace:
        """Give plain data the methods of a `Trace`."""
        values = {field.name: getattr(record, field.name) for field in fields(record)}
        values["graph"] = Graph.from_record(record.graph)
        if record.earlier is not None:
            values["earlier"] = cls.from_record(record.earlier)
        return cls(**values)

    def of(self, name: str) -> tuple[Event, ...]:
        """Return the events of one tensor, by its name or id, in order.

        Raises:
            UnknownTargetError: If the graph has no such tensor.
        """
        label = self._label(name)
        return tuple(event for event in self.events if event.tensor == label)

    def grad(self, name: str) -> TensorSnapshot | None:
        """Return the final `.grad` of one tensor, by its name or id; `None` where there is none.

        Raises:
            UnknownTargetError: If the graph has no such tensor.
        """
        return self.grads[self._label(name)]

    def text(self, lang: str | None = None) -> str:
        """Return the transcript: one line per event, the same in every run.

        A pass through nodes that an earlier recorded pass made is preceded by that one.

        Args:
            lang: `"en"` (the default) or `"zh"`.
        """
        from hookviz._view.transcript import passes_text

        return passes_text(self.passes(), lang=check_language(lang))

    def plot(self, name: str | None = None, *, lang: str | None = None) -> Figure:
        """Plot how large gradients were, before and after hooks, as a matplotlib figure.

        Args:
            name: Name or id of a tensor: the way from the root to it, station by station. Without
                it: every leaf, in the order in which backward reached them.
            lang: `"en"` (the default) or `"zh"`.

        Returns:
            A figure of Euclidean (L2) norms; it can be changed, shown and saved like any other.

        Raises:
            UnknownTargetError: If the graph has no such tensor.
            MissingPackageError: If matplotlib is not installed.
        """
        from hookviz._view.plot.norms import leaf_stations, stations_to
        from hookviz._view.plot.plot import plot_stations
        from hookviz._view.text.message import Message

        if name is None:
            stations = leaf_stations(self.graph, self.events)
            title = Message("plot.leaves", {"tensor": self.graph.root.label})
        else:
            label = self._label(name)
            tensor = next(item for item in self.graph.tensors if item.label == label)
            stations = stations_to(self.graph, self.events, tensor)
            title = Message("plot.way", {"tensor": self.graph.root.label, "leaf": label})
        return plot_stations(stations, title=title, lang=check_language(lang))

    def save_html(self, path: str | os.PathLike[str], *, lang: str | None = None) -> None:
        """Save a page that steps through the pass in any browser, without Jupyter or a network.

        Args:
            path: The file, by custom with the ending `.html`; one that is there is replaced.
            lang: The language it opens in, `"en"` (the default) or `"zh"`.

        Raises:
            HookvizError: If the file cannot be written, or for another language.
        """
        from hookviz._view.saved.page import page_part, save_page, uncompared_note

        part = page_part(self, lang=check_language(lang))
        save_page(path, [part], lang=lang, notes=uncompared_note([self]))

    def save_svg(
        self, path: str | os.PathLike[str], *, step: int | None = None, lang: str | None = None
    ) -> None:
        """Save the picture of one step as an SVG file that needs no other file.

        Args:
            path: The file, by custom with the ending `.svg`; one that is there is replaced.
            step: 0 before anything, n after the n-th event; the end of the pass if not given.
            lang: `"en"` (the default) or `"zh"`.

        Raises:
            HookvizError: If the file cannot be written, if there is no such step, or for another
                language.
        """
        from hookviz._files import write_text
        from hookviz._view.steps.steps import build_steps
        from hookviz._view.svg.picture import picture_svg

        last = len(self.events)
        step = last if step is None else check_step(step, last)
        lang = check_language(lang)
        steps = build_steps(self.graph, self.events)
        write_text(
            path, picture_svg(self.graph, steps, step=step, lang=lang, standalone=True) + "\n"
        )

    def to_json(self) -> str:
        """Return the whole trace as JSON text, with a schema version; see `from_json`."""
        import msgspec

        record = TraceRecord(**{f.name: getattr(self, f.name) for f in fields(self)})
        return msgspec.json.encode({"schema": SCHEMA, "trace": record}).decode()

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Read what `to_json` wrote.

        Raises:
            TraceFormatError: If it is no such text, or was written by a newer hookviz.
        """
        import msgspec

        try:
            envelope = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
            schema = msgspec.json.decode(envelope["schema"], type=int)
        except (msgspec.MsgspecError, KeyError, TypeError) as error:
            raise TraceFormatError(f"this is not a trace written by to_json(): {error}") from error
        if schema < SCHEMA:
            raise TraceFormatError(
                f"this trace has schema {schema}, from an older hookviz; this one reads schema "
                f"{SCHEMA}. Record the pass again."
            )
        if schema > SCHEMA:
            raise TraceFormatError(
                f"this trace has schema {schema}, and this hookviz reads {SCHEMA}. "
                "Install a newer hookviz to read it."
            )
        try:
            record = msgspec.json.decode(envelope["trace"], type=TraceRecord)
        except (msgspec.MsgspecError, KeyError) as error:
            raise TraceFormatError(f"this trace cannot be read: {error}") from error
        return cls.from_record(record)

    def _label(self, name: str) -> str:
        tensor = self.graph.find(name)
        if tensor is None:
            known = ", ".join(tensor.label for tensor in self.graph.tensors)
            raise UnknownTargetError(f"this graph has no tensor {name!r}. It has: {known}.")
        return tensor.label

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        end = f", ended by {self.error.type}" if self.error else ""
        name = self.graph.root.label if self.graph.tensors else "forward"
        return f"Trace({name}: {len(self.events)} events{end})"

    def svg(self, lang: str | None = None) -> str:
        """Return a picture of how the pass ended as the text of an SVG file.

        Args:
            lang: `"en"` (the default) or `"zh"`.
        """
        from hookviz._view.groups.find import group_tree
        from hookviz._view.steps.steps import build_steps
        from hookviz._view.svg.picture import picture_svg

        graph, tree = self.graph, group_tree(self.graph)
        steps = build_steps(graph, self.events, tree=tree)
        last = len(steps) - 1
        return picture_svg(graph, steps, step=last, lang=lang or "en", standalone=True, tree=tree)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text(), "image/svg+xml": self.svg()}
