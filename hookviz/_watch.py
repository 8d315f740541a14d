"""Offer `watch`: see the forward of modules, call by call and hook by hook."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

import torch

from hookviz._languages import table
from hookviz._live.forward.watch import LiveForward, watching
from hookviz._live.recording.forward_alone import forward_trace
from hookviz._live.user.code import callers_variables, variables_of
from hookviz._live.user.names import Namespace
from hookviz._parameters import Keep, check_keep
from hookviz._trace import Trace
from hookviz.errors import HookvizError, NotAModuleError

if TYPE_CHECKING:
    from hookviz._widget.explorer import Explorer


class Forward:
    """What a `with hookviz.watch(...)` block has shown; made by `watch`."""

    def __init__(self, live: LiveForward, *, keep: Keep) -> None:
        self._live = live
        self._keep: Keep = keep
        self._trace: Trace | None = None

    @property
    def trace(self) -> Trace:
        """The events of the block, and the graph behind what the last outermost call returned.

        It is made when it is first asked for after the block, and names tensors by the variables
        of whoever asks.
        """
        return self._made_trace(variables_of(sys._getframe(1)))

    def _made_trace(self, namespaces: tuple[Namespace, ...]) -> Trace:
        if self._trace is not None:
            return self._trace
        record = forward_trace(self._live, namespaces=namespaces, keep=self._keep)
        trace = Trace(record)
        if self._live.is_over:
            self._trace = trace
        return trace

    def explore(self, *, lang: str | None = None) -> Explorer:
        """Return a widget that steps through this forward alone; hooks cannot be changed in it.

        To change the hooks of modules, call `hookviz.explore` with a function that runs them.

        Args:
            lang: `"en"` (the default) or `"zh"`.

        Raises:
            HookvizError: If nothing was called in the block, or it is still running.

        Example:
            >>> model = torch.nn.Linear(2, 1)
            >>> with hookviz.watch(model) as forward:
            ...     y = model(torch.ones(1, 2))
            >>> forward.explore()
            Explorer(model(…), step 0 of 1)
        """
        from hookviz._widget.explorer import Explorer

        if lang is not None:
            table(lang)  # refuses a language that there is none of
        if not self._live.is_over:
            raise HookvizError("the watched block is still running; call explore() after it.")
        trace = self._made_trace(variables_of(sys._getframe(1)))
        if not trace.graph.tensors:
            raise HookvizError(
                "there is nothing to show: no watched module returned a tensor in this block. "
                "Call the module itself inside it, as in model(x)."
            )
        return Explorer(None, trace=trace, lang=lang)

    def __repr__(self) -> str:
        calls = len(self._live.log.book.calls)
        state = "" if self._live.is_over else ", still running"
        return f"Forward({calls} calls, {len(self._live.log.events)} events{state})"


class Watch(AbstractContextManager[Forward]):
    """What `watch` returns: enter it with `with`, which gives a `Forward`."""

    def __init__(self, block: AbstractContextManager[Forward]) -> None:
        self._block = block

    def __enter__(self) -> Forward:
        return self._block.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        return self._block.__exit__(kind, error, traceback)

    @property
    def trace(self) -> Trace:
        """Only a `Forward` has one.

        Raises:
            HookvizError: Always; it says how to get a `Forward`.
        """
        raise HookvizError(_NOT_ENTERED)

    def explore(self, *, lang: str | None = None) -> Explorer:
        """Only a `Forward` can.

        Raises:
            HookvizError: Always; it says how to get a `Forward`.
        """
        raise HookvizError(_NOT_ENTERED)


_NOT_ENTERED = (
    "nothing is watched yet. watch() is for a with statement, and what stands behind its `as` has "
    "the trace: `with hookviz.watch(model) as forward:`, inside it the call `model(x)`, and after "
    "it `forward.trace`."
)


def watch(*modules: torch.nn.Module, keep: Keep = "summary") -> Watch:
    """Watch the forward of modules within a block: arguments, outputs, and what each hook did.

    Nothing runs otherwise than without it, and nothing is left behind. A later `record`, `explore`
    or `capture` of a tensor that was computed in the block knows the modules and the lines of code
    that made its graph, and tells the forward before the backward.

    Args:
        modules: Watch the calls of these modules and of all that they call; of every module if
            none is given.
        keep: `"summary"` keeps tensors of more than 64 elements as summaries, `"all"` whole.

    Raises:
        NotAModuleError: If one of them is no `torch.nn.Module`.

    Example:
        >>> model = torch.nn.Linear(2, 1)
        >>> with watch(model) as forward:
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
    check_keep(keep)
    return Watch(_watched(modules, keep))


@contextmanager
def _watched(modules: tuple[torch.nn.Module, ...], keep: Keep) -> Iterator[Forward]:
    namespaces = callers_variables(sys._getframe(1)) if modules else ()
    block = watching(modules, namespaces=namespaces, keep=keep)
    del namespaces  # they hold the caller's tensors
    with block as live:
        yield Forward(live, keep=keep)
