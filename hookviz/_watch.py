"""Offer `watch`: see the forward of modules, call by call and hook by hook."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING

import torch

from hookviz._live.forward.watch import LiveForward, watching
from hookviz._live.session.ready_graph import PassSettings, ReadyGraph
from hookviz._live.user.code import callers_variables, variables_of
from hookviz._live.user.names import Namespace
from hookviz._parameters import Keep, check_keep, check_language
from hookviz._trace import Trace
from hookviz.errors import HookvizError, NotAModuleError

if TYPE_CHECKING:
    from hookviz._widget.explorer import Explorer

_NOT_ENTERED = (
    "nothing is watched yet. watch() is for a with statement, and the name behind its `as` has "
    "the trace: `with hookviz.watch(model) as forward:`, inside it the call `model(x)`, and after "
    "it `forward.trace`."
)


class Forward(AbstractContextManager["Forward"]):
    """The forward in one `with hookviz.watch(...)` block.

    `watch` returns it, and the name behind `as` is bound to it. It may be asked for its trace
    within the block too, and then tells the calls so far.

    Example:
        >>> import hookviz, torch
        >>> model = torch.nn.Linear(2, 1)
        >>> with hookviz.watch(model) as forward:
        ...     y = model(torch.ones(1, 2))
        >>> forward
        Forward(1 calls, 1 events)
    """

    def __init__(
        self, modules: tuple[torch.nn.Module, ...] = (), *, keep: Keep = "summary"
    ) -> None:
        self._modules, self._keep = modules, keep
        self._block: AbstractContextManager[LiveForward] | None = None
        self._live: LiveForward | None = None
        self._trace: Trace | None = None

    def __enter__(self) -> Forward:
        if self._block is not None:
            raise HookvizError("this watch() has had its with statement. Call watch() again.")
        namespaces = callers_variables(sys._getframe(1)) if self._modules else ()
        self._block = watching(self._modules, namespaces=namespaces, keep=self._keep)
        del namespaces, self._modules  # they hold the caller's tensors
        self._live = self._block.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        assert self._block is not None
        return self._block.__exit__(kind, error, traceback)

    @property
    def trace(self) -> Trace:
        """The events of the block, and the graph behind the last output of an outermost call.

        The trace is made when it is first asked for after the block. Its tensors are named by the
        variables of the caller.

        Raises:
            HookvizError: If the `with` statement has not begun.
        """
        return self._trace_for(variables_of(sys._getframe(1)))

    def explore(self, *, lang: str | None = None) -> Explorer:
        """Return a widget that steps through this forward alone; its hooks cannot be changed.

        To change the hooks of modules, call `hookviz.explore` with a function that runs them.

        Args:
            lang: The language of the widget: `"en"` (the default) or `"zh"`.

        Returns:
            The widget. In a notebook, it is shown when it is the last line of a cell.

        Raises:
            HookvizError: If nothing was called in the block, if the block is still running or has
                not begun, or if there is no such language.

        Example:
            >>> import hookviz, torch
            >>> model = torch.nn.Linear(2, 1)
            >>> with hookviz.watch(model) as forward:
            ...     y = model(torch.ones(1, 2))
            >>> forward.explore()
            Explorer(model(…), step 0 of 1)
        """
        from hookviz._widget.explorer import Explorer

        lang = check_language(lang)
        if not self._entered().is_over:
            raise HookvizError("the watched block is still running; call explore() after it.")
        trace = self._trace_for(variables_of(sys._getframe(1)))
        if not trace.graph.tensors:
            raise HookvizError(
                "there is nothing to show: no watched module returned a tensor in this block. "
                "Call the module itself inside it, as in model(x)."
            )
        return Explorer(trace, lang=lang)

    def _entered(self) -> LiveForward:
        if self._live is None:
            raise HookvizError(_NOT_ENTERED)
        return self._live

    def _trace_for(self, namespaces: tuple[Namespace, ...]) -> Trace:
        if self._trace is not None:
            return self._trace
        live = self._entered()
        settings = PassSettings(namespaces=namespaces, keep=self._keep)
        trace = Trace(ReadyGraph.of_forward(live, settings).run())
        if live.is_over:
            self._trace = trace
        return trace

    def __repr__(self) -> str:
        if self._live is None:
            return "Forward(not begun)"
        log, state = self._live.log, "" if self._live.is_over else ", still running"
        return f"Forward({len(log.book.calls)} calls, {len(log.events)} events{state})"


def watch(*modules: torch.nn.Module, keep: Keep = "summary") -> Forward:
    """Watch the forward of modules within a block: arguments, outputs, and the work of each hook.

    Every value, exception and warning stays that of plain PyTorch, and nothing is left behind. A
    later `record`, `explore` or `capture` of a tensor that was computed in the block knows the
    modules and the lines of code that made its graph, and tells the forward before the backward.

    Args:
        modules: The modules whose calls are watched, and the calls that they make; without any,
            the calls of every module.
        keep: `"summary"` keeps tensors of at most 64 elements whole and larger ones as summaries;
            `"all"` keeps every element.

    Returns:
        The forward. It is for one `with` statement.

    Raises:
        NotAModuleError: If an argument is no `torch.nn.Module`.
        HookvizError: If `keep` is neither of the two words.

    Example:
        >>> import hookviz, torch
        >>> model = torch.nn.Linear(2, 1)
        >>> with hookviz.watch(model) as forward:
        ...     y = model(torch.ones(1, 2))
        >>> [event.kind for event in forward.trace.events]
        ['module_forward']
    """
    for module in modules:
        if not isinstance(module, torch.nn.Module):
            raise NotAModuleError(
                f"watch() takes modules, and was given something of type {type(module).__name__}. "
                "To watch every module that is called, write watch(); for a tensor there is "
                "hookviz.explore(tensor)."
            )
    return Forward(modules, keep=check_keep(keep))
