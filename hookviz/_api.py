"""Offer what users call: `capture`, `record` and `explore`."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import torch

from hookviz._graph import Graph
from hookviz._live.graph.capture import LiveGraph, capture_live
from hookviz._live.graph.describe import describe
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.tensors import check_root
from hookviz._live.hooks.typed import own_namespaces
from hookviz._live.recording.forward_alone import forward_trace
from hookviz._live.recording.options import BackwardOptions, check_inputs, with_gradient
from hookviz._live.recording.run import record_backward
from hookviz._live.session.root_function import (
    RootFunction,
    check_result,
    is_function,
    run_function,
)
from hookviz._live.user.code import variables_of
from hookviz._parameters import Keep, check_keep, check_language
from hookviz._trace import Trace
from hookviz._widget.cell import close_earlier

if TYPE_CHECKING:
    from hookviz._widget.explorer import Explorer


def capture(root: torch.Tensor, *, names: Mapping[str, torch.Tensor] | None = None) -> Graph:
    """Return the autograd graph behind a tensor; nothing is run.

    Of tensors with more than 64 elements only shape and dtype are looked at: reading the weights
    of a large network would take longer than all the rest.

    Args:
        root: A tensor that requires grad, any shape.
        names: Names for tensors, before those found among the caller's variables.

    Raises:
        HookvizError: If there is no graph, or an earlier backward has freed it.

    Example:
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> capture(a * a)
        Graph(t0: 2 nodes, 2 edges)
    """
    namespaces = variables_of(sys._getframe(1))
    live = capture_live(check_root(root), names=names, namespaces=namespaces)
    return Graph._of(describe(live, HookChains(live), keep="summary", reads_large=False))


def record(
    root: torch.Tensor | RootFunction,
    *,
    gradient: torch.Tensor | None = None,
    inputs: torch.Tensor | Sequence[torch.Tensor] | None = None,
    retain_graph: bool = True,
    create_graph: bool = False,
    names: Mapping[str, torch.Tensor] | None = None,
    keep: Keep = "summary",
) -> Trace:
    """Call `root.backward(...)` once, for real, and return what happened.

    It has the effect of that call on every `.grad`, and hooks print as they would.

    Args:
        root: The tensor on which you would call `backward()`, or a function without arguments
            that computes and returns it; then the forward of its modules is recorded as well.
        gradient: The starting gradient, of the root's shape; may be left out for one real number.
        inputs: As in `Tensor.backward`: only these get a `.grad`.
        retain_graph: As in `Tensor.backward`, but True unless said otherwise.
        create_graph: As in `Tensor.backward`.
        names: Names for tensors, before those found among the caller's variables.
        keep: `"summary"` keeps tensors of more than 64 elements as summaries, `"all"` whole.

    Returns:
        The trace. An exception inside backward, or inside the function, ends it and is kept in
        `trace.error`.

    Raises:
        HookvizError: If backward cannot be called on the root at all.

    Example:
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> trace = record(a * 3)
        >>> trace.grad("a").item()
        3.0
    """
    check_keep(keep)
    options = BackwardOptions(
        gradient=gradient,
        inputs=check_inputs(inputs),
        retain_graph=retain_graph,
        create_graph=create_graph,
    )
    namespaces = variables_of(sys._getframe(1))
    forward = None
    if is_function(root):
        function = cast("RootFunction", root)
        forward = run_function(function, keep=keep)
        namespaces = (*namespaces, *own_namespaces(function))
        if forward.has_failed:
            record = forward_trace(forward.live, namespaces=namespaces, keep=keep)
            return Trace(record)
        root = check_result(forward.result)
    tensor = check_root(root)
    options = with_gradient(tensor, options)
    whole = None if forward is None else forward.live.log
    live = capture_live(tensor, names=names, namespaces=namespaces, whole=whole)
    find = _finder(live)
    del forward, root  # what they keep alive is in the graph by now, or is not needed
    recording = record_backward(live, HookChains(live), options, keep=keep)
    return Trace(recording.trace, error=recording.error, find=find)


def _finder(live: LiveGraph) -> Callable[[object], str | None]:
    """Return a function that knows the ids of tensors and keeps none of the tensors alive."""
    known = {id(one.tensor): (weakref.ref(one.tensor), one.id) for one in live.tensors}

    def find(tensor: object) -> str | None:
        reference, tensor_id = known.get(id(tensor), (None, None))
        return tensor_id if reference is not None and reference() is tensor else None

    return find


def explore(
    root: torch.Tensor | RootFunction,
    *,
    gradient: torch.Tensor | None = None,
    inputs: torch.Tensor | Sequence[torch.Tensor] | None = None,
    names: Mapping[str, torch.Tensor] | None = None,
    lang: str | None = None,
) -> Explorer:
    """Call `root.backward(...)` once, for real, and return a widget that steps through it.

    Args:
        root: The tensor on which you would call `backward()`; its graph is retained. Or a function
            without arguments that computes and returns it: then hooks of modules can be changed
            too, and each such change runs the function again, from the same random numbers and
            buffers.
        gradient: The starting gradient, of the root's shape; may be left out for one real number.
        inputs: As in `Tensor.backward`: only these get a `.grad`.
        names: Names for tensors, before those found among the caller's variables.
        lang: `"en"` (the default) or `"zh"`.

    Returns:
        The explorer, which a notebook shows as the value of its cell.

    Raises:
        HookvizError: If backward cannot be called on the root at all, or for another language.
            An exception of the function itself is not raised: it is shown, and ends the pass.

    Example:
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> e = a * a
        >>> explore(e)
        Explorer(e.backward(), step 0 of 3)
    """
    # Here and not above: `import hookviz` loads neither the widget nor what changes hooks.
    from hookviz._live.session.session import Session
    from hookviz._widget.explorer import Explorer

    lang = check_language(lang)
    options = BackwardOptions(gradient=gradient, inputs=check_inputs(inputs))
    namespaces = variables_of(sys._getframe(1))
    # The same cell run again closes what it showed before; its hooks would stack up otherwise.
    remember = close_earlier()
    session = Session(root, options, names=names, namespaces=namespaces, echo=False)
    try:
        explorer = Explorer(session, lang=lang)
    except BaseException:
        session.close()
        raise
    remember(explorer)
    return explorer
