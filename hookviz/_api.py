"""Offer the calls of users: `capture`, `record` and `explore`."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import torch

from hookviz._graph import Graph
from hookviz._live.graph.capture import LiveGraph, capture_live
from hookviz._live.graph.describe import describe
from hookviz._live.graph.hooks import HookChains
from hookviz._live.graph.tensors import check_root
from hookviz._live.recording.options import BackwardOptions, check_inputs
from hookviz._live.session.ready_graph import PassSettings, ReadyGraph
from hookviz._live.session.root_function import RootFunction, is_function, run_function
from hookviz._live.user.code import variables_of
from hookviz._parameters import Keep, check_keep, check_language
from hookviz._trace import Trace
from hookviz._widget.cell import close_earlier

if TYPE_CHECKING:
    from hookviz._widget.explorer import Explorer


def capture(root: torch.Tensor, *, names: Mapping[str, torch.Tensor] | None = None) -> Graph:
    """Return the autograd graph behind a tensor; nothing is run.

    The values of tensors with more than 64 elements are not read: for the weights of a large
    network that would take longer than all the rest.

    Args:
        root: A tensor of any shape and dtype that requires grad.
        names: Names for tensors; they come before the names of the caller's variables.

    Returns:
        The graph: its functions, tensors and hooks.

    Raises:
        NotATensorError: If the root is no tensor.
        NoGradError: If the root does not require grad.
        FreedGraphError: If an earlier backward has freed the graph.

    Example:
        >>> import hookviz, torch
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> graph = hookviz.capture(a * 3)
        >>> [node.name for node in graph.nodes]
        ['MulBackward0', 'AccumulateGrad']
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
    """Call `root.backward(...)` once, for real, and return every event of it.

    The call has the effect of a plain one on every `.grad`, and the output of hooks is printed as
    ever.

    Args:
        root: The tensor on which to call `backward()`, of any shape and dtype; it requires grad.
            Or a function without arguments that computes and returns it: then the forward of its
            modules is recorded as well.
        gradient: The gradient to start from, of the root's shape and dtype; may be left out for
            one real number, where it is 1.
        inputs: The tensors that get a `.grad`, as in `Tensor.backward`; every leaf if left out.
        retain_graph: As in `Tensor.backward`, but True by default.
        create_graph: As in `Tensor.backward`.
        names: Names for tensors; they come before the names of the caller's variables.
        keep: `"summary"` keeps tensors of at most 64 elements whole and larger ones as summaries;
            `"all"` keeps every element.

    Returns:
        The trace. An exception inside backward, or inside the function, ends it and is kept in
        `trace.error`.

    Raises:
        NotATensorError: If the root, the result of the function or one of the inputs is no tensor.
        NoGradError: If the root or one of the inputs does not require grad.
        GradientError: If the gradient is missing for a root that needs one, or does not fit it.
        FreedGraphError: If an earlier backward has freed the graph.
        HookvizError: If a name or `keep` cannot be used.

    Example:
        >>> import hookviz, torch
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> b = a * 3
        >>> handle = b.register_hook(lambda grad: grad * 10)
        >>> trace = hookviz.record(b)
        >>> trace.grad("a").item(), a.grad.item()
        (30.0, 30.0)
    """
    settings = PassSettings(
        options=BackwardOptions(
            gradient=gradient,
            inputs=check_inputs(inputs),
            retain_graph=retain_graph,
            create_graph=create_graph,
        ),
        names=names,
        namespaces=variables_of(sys._getframe(1)),
        keep=check_keep(keep),
    )
    made = run_function(root, keep=keep) if is_function(root) else root
    graph = ReadyGraph.behind(made, settings)
    find = _finder(graph.live)
    del made, root  # the graph keeps alive as much of them as backward needs
    finish, error = graph.record()
    return Trace(finish, error=error, find=find)


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
        root: The tensor on which to call `backward()`, of any shape and dtype; it requires grad,
            and its graph is retained. Or a function without arguments that computes and returns
            it: then hooks of modules can be changed too, and each such change runs the function
            again, from the same random numbers and buffers.
        gradient: The gradient to start from, of the root's shape and dtype; may be left out for
            one real number, where it is 1.
        inputs: The tensors that get a `.grad`, as in `Tensor.backward`; every leaf if left out.
        names: Names for tensors; they come before the names of the caller's variables.
        lang: The language of the widget: `"en"` (the default) or `"zh"`.

    Returns:
        The widget. In a notebook, it is shown when it is the last line of a cell; the same cell
        run again closes it. An exception inside backward, or inside the function, is shown in it.

    Returns:
        The explorer, which a notebook shows as the value of its cell.

    Raises:
        NotATensorError: If the root, the result of the function or one of the inputs is no tensor.
        NoGradError: If the root or one of the inputs does not require grad.
        GradientError: If the gradient is missing for a root that needs one, or does not fit it.
        FreedGraphError: If an earlier backward has freed the graph.
        HookvizError: If a name cannot be used, or there is no such language.

    Example:
        >>> import hookviz, torch
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> b = a * 3
        >>> explorer = hookviz.explore(b)
        >>> hook = explorer.attach("b", "lambda grad: grad * 10")
        >>> a.grad.item()
        30.0
        >>> explorer.close()
    """
    # Here and not above: `import hookviz` loads neither the widget nor the code that changes hooks.
    from hookviz._live.session.session import Session
    from hookviz._widget.explorer import Explorer

    lang = check_language(lang)
    options = BackwardOptions(gradient=gradient, inputs=check_inputs(inputs))
    namespaces = variables_of(sys._getframe(1))
    # The same cell run again closes its explorer of before; hooks would stack up otherwise.
    remember = close_earlier()
    session = Session(root, options, names=names, namespaces=namespaces, echo=False)
    try:
        explorer = Explorer(session, lang=lang)
    except BaseException:
        session.close()
        raise
    remember(explorer)
    return explorer
