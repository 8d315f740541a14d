"""Offer one recorded pass to users: events, final gradients, text and JSON."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hookviz import _json
from hookviz._graph import Graph
from hookviz._parameters import check_language, check_step
from hookviz._records import AnyEvent, ErrorRecord, TensorRecord, TensorSnapshot, TraceRecord
from hookviz.errors import UnknownTargetError

if TYPE_CHECKING:
    import torch
    from matplotlib.figure import Figure

_MOST_KNOWN = 20


class Trace:
    """Everything that one real `backward()` showed; `print(trace)` writes it as a transcript.

    Example:
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> trace = hookviz.record(a * 3)
        >>> trace
        Trace(t0: 3 events)
        >>> trace.events
        (<start t0: 1>,
         <node n0: 1 -> 3, None>,
         <accumulate a: .grad None -> 3>)
    """

    def __init__(
        self,
        source: TraceRecord | Callable[[], TraceRecord],
        *,
        error: ErrorRecord | None = None,
        find: Callable[[object], str | None] | None = None,
    ) -> None:
        """Offer the records of a pass.

        Args:
            source: The records, or a function that makes them, called once on the first look.
            error: The exception that ended the pass, where the records are still to be made.
            find: Returns the id of a tensor of the graph, `None` for any other object.
        """
        self._lock = threading.RLock()
        self._source = source
        self._error = source.error if isinstance(source, TraceRecord) else error
        self._find = find

    @property
    def _record(self) -> TraceRecord:
        with self._lock:
            if not isinstance(self._source, TraceRecord):
                self._source = self._source()
            return self._source

    @cached_property
    def graph(self) -> Graph:
        """The graph as it was before the pass."""
        return Graph._of(self._record.graph)

    @cached_property
    def events(self) -> tuple[AnyEvent, ...]:
        """A frozen `Event` for each step, in the order of the engine."""
        return self._listed(self._record.events)

    @property
    def grads(self) -> dict[str, TensorSnapshot | None]:
        """The final `.grad` of each known tensor by its name; `None` where there is none."""
        return self._record.grads

    @property
    def error(self) -> ErrorRecord | None:
        """The exception that ended the pass, or `None`."""
        return self._error

    @property
    def torch_version(self) -> str:
        """The version of PyTorch that ran the pass."""
        return self._record.torch_version

    @cached_property
    def earlier(self) -> Trace | None:
        """The last recorded pass with `create_graph=True` that made nodes of this graph, if any."""
        earlier = self._record.earlier
        return None if earlier is None else Trace(earlier)

    def passes(self) -> tuple[Trace, ...]:
        """Return this pass and the earlier ones of which its graph was made, the first pass first.

        Example:
            >>> a = torch.tensor(3.0, requires_grad=True)
            >>> first = hookviz.record(a**3, create_graph=True)
            >>> second = hookviz.record(a.grad)
            >>> [float(trace["a"]) for trace in second.passes()]
            [27.0, 45.0]
        """
        return (self,) if self.earlier is None else (*self.earlier.passes(), self)

    def grad(self, tensor: torch.Tensor | str) -> TensorSnapshot | None:
        """Return the final `.grad` of one tensor; `trace[tensor]` is the same.

        Args:
            tensor: The tensor itself, one of its names, its id, or the end of its path in a
                module, such as `fc.weight`, if no other name ends with that.

        Returns:
            A snapshot that `float()`, `numpy.asarray` and `.numpy()` take; `None` where `.grad`
            is `None`, as that of a non-leaf without `retain_grad()`.

        Raises:
            UnknownTargetError: If the graph has no such tensor, or several.

        Example:
            >>> model = torch.nn.Linear(2, 1)
            >>> trace = hookviz.record(model(torch.ones(1, 2)).sum())
            >>> trace.grad("weight"), trace[model.bias]
            (float32[1, 2]([[1., 1.]]), float32[1]([1.]))
        """
        return self.grads[self._tensor(tensor).label]

    __getitem__ = grad

    def of(self, tensor: torch.Tensor | str) -> tuple[AnyEvent, ...]:
        """Return the events of one tensor, in order.

        Args:
            tensor: As for `grad`.

        Raises:
            UnknownTargetError: If the graph has no such tensor, or several.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).of("a")
            (<accumulate a: .grad None -> 3>,)
        """
        label = self._tensor(tensor).label
        return self._listed(tuple(event for event in self.events if event.tensor == label))

    def rows(self) -> list[dict[str, Any]]:
        """Return the events as plain rows, for `pandas.DataFrame(trace.rows())` or for JSON.

        Returns:
            One dictionary for each event: `index`, `kind`, `where` (tensor, function or module),
            `what` (the words of the transcript), `hook`, `incoming`, `outgoing`, `grad_before`,
            `grad_after` (as text), their Euclidean (L2) norms under the same names with `_norm`,
            `rewritten`, `printed`. A missing value is `None`, also a norm that is not finite.

        Example:
            >>> a = torch.tensor([3.0, 4.0], requires_grad=True)
            >>> row = hookviz.record((a * a).sum() / 2).rows()[-1]
            >>> row["where"], row["what"], row["grad_after_norm"]
            ('a', '.grad None → [3, 4]', 5.0)
        """
        from hookviz._view.rows import rows_of

        return list(rows_of(self.graph, self.events))

    def text(self, lang: str | None = None) -> str:
        """Return the transcript: one line per event, the same in every run.

        A pass through nodes that an earlier recorded pass made is preceded by that one.

        Args:
            lang: `"en"` (the default) or `"zh"`.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).text(lang="zh").splitlines()[0]
            '从 t0 开始反向传播'
        """
        from hookviz._view.transcript import passes_text

        return passes_text(self._record.passes(), lang=check_language(lang))

    def plot(self, tensor: torch.Tensor | str | None = None, *, lang: str | None = None) -> Figure:
        """Plot how large gradients were, before and after hooks, as a matplotlib figure.

        Args:
            tensor: As for `grad`: the way from the root to this tensor, station by station.
                Without it: every leaf, in the order in which backward reached them.
            lang: `"en"` (the default) or `"zh"`.

        Returns:
            A figure of Euclidean (L2) norms, on a logarithmic axis where they range over a factor
            of 100; it can be changed, shown and saved like any other.

        Raises:
            UnknownTargetError: If the graph has no such tensor, or several.
            MissingPackageError: If matplotlib is not installed.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).plot().axes[0].get_ylabel() != ""
            True
        """
        from hookviz._view.plot.plot import plot_pass

        found = None if tensor is None else self._tensor(tensor)
        return plot_pass(self.graph, self.events, found, lang=check_language(lang))

    def save_html(self, path: str | os.PathLike[str], *, lang: str | None = None) -> None:
        """Save a page that steps through the pass in any browser, without Jupyter or a network.

        Args:
            path: The file, by custom with the ending `.html`; one that is there is replaced.
            lang: The language it opens in, `"en"` (the default) or `"zh"`.

        Raises:
            HookvizError: If the file cannot be written, or for another language.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).save_html("example.html")
        """
        from hookviz._view.saved.page import page_part, save_page, uncompared_note

        part = page_part(self._record, lang=check_language(lang))
        save_page(path, [part], lang=lang, notes=uncompared_note([self._record]))

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

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).save_svg("example.svg", step=0)
        """
        from hookviz._files import write_text

        step = None if step is None else check_step(step, len(self.events))
        write_text(path, self._picture(step, check_language(lang)) + "\n")

    def svg(self, lang: str | None = None) -> str:
        """Return a picture of the end of the pass, as the text of an SVG file.

        Args:
            lang: `"en"` (the default) or `"zh"`.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).svg()[:4]
            '<svg'
        """
        return self._picture(None, check_language(lang))

    def to_json(self) -> str:
        """Return the whole trace as JSON text, with the version of its format.

        Returns:
            The text that `from_json` reads.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.record(a * 3).to_json()[:11]
            '{"schema":2'
        """
        return _json.to_json(self._record)

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Return the trace that `to_json` wrote as text.

        Args:
            text: The JSON.

        Raises:
            TraceFormatError: If it is no such text, or was written by another version's format.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> trace = hookviz.record(a * 3)
            >>> hookviz.Trace.from_json(trace.to_json()) == trace
            True
        """
        return cls(_json.from_json(text))

    # -- inside ---------------------------------------------------------------------------------

    def _listed(self, events: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
        from hookviz._view.events import Events

        return Events.of(self._record.graph, self._record.events, events)

    def _tensor(self, target: object) -> TensorRecord:
        graph = self._record.graph
        if isinstance(target, str):
            exact = graph.find(target)
            found = graph.ending(target) if exact is None else (exact,)
            what = repr(target)
        else:
            tensor_id = None if self._find is None else self._find(target)
            found = tuple(tensor for tensor in graph.tensors if tensor.id == tensor_id)
            what = f"like this {type(target).__name__}"
        if len(found) == 1:
            return found[0]
        known = ", ".join(tensor.label for tensor in (found or graph.tensors)[:_MOST_KNOWN])
        said = f"this graph has no tensor {what}. It has: {known}."
        if found:
            said = f"{what} is the end of several names: {known}. Add to it."
        elif self._find is None and not isinstance(target, str):
            said = f"this trace knows tensors by their names only: {known}."
        raise UnknownTargetError(said)

    def _picture(self, step: int | None, lang: str) -> str:
        from hookviz._view.groups.find import group_tree
        from hookviz._view.steps.steps import build_steps
        from hookviz._view.svg.picture import picture_svg

        graph, tree = self.graph, group_tree(self.graph)
        steps = build_steps(graph, self.events, tree=tree)
        step = len(steps) - 1 if step is None else step
        return picture_svg(graph, steps, step=step, lang=lang, standalone=True, tree=tree)

    def __eq__(self, other: object) -> bool:
        return self._record == other._record if isinstance(other, Trace) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy knows tensors by their names only.
        return Trace, (self._record,)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        end = f", ended by {self.error.type}" if self.error else ""
        name = self.graph.root.label if self.graph.tensors else "forward"
        return f"Trace({name}: {len(self.events)} events{end})"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text(), "image/svg+xml": self.svg()}
