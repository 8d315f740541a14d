"""Find out what the tensors are called that backward was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch

from hookviz._live.graph.capture import LiveGraph
from hookviz._live.recording.options import BackwardOptions
from hookviz._live.user.names import Namespace, choose_names, named_tensors
from hookviz._records import BackwardArguments


def given_arguments(
    live: LiveGraph,
    options: BackwardOptions,
    *,
    names: Mapping[str, torch.Tensor] | None,
    namespaces: Iterable[Namespace],
) -> BackwardArguments:
    """Return what backward was given, by name; of `retain_graph` it is not known who wants it.

    Args:
        live: The graph, which knows its own tensors.
        options: What was given.
        names: Names given by hand.
        namespaces: Where to look for all other tensors.
    """
    if options.inputs is None and options.gradient is None:
        return BackwardArguments(create_graph=options.create_graph)
    by_hand = names or {}
    everywhere = [*by_hand.items(), *named_tensors(namespaces)]

    def names_of(tensor: torch.Tensor) -> tuple[str, ...]:
        for owner in live.tensors:
            if owner.tensor is tensor:
                return owner.names
        found = [name for name, other in everywhere if other is tensor]
        return choose_names(found, given=by_hand)

    return BackwardArguments(
        inputs=None if options.inputs is None else tuple(map(names_of, options.inputs)),
        gradient=() if options.gradient is None else names_of(options.gradient),
        create_graph=options.create_graph,
    )
