"""Name the tensors that were given to backward."""

from __future__ import annotations

import torch

from hookviz._live.session.ready_graph import ReadyGraph
from hookviz._live.user.names import choose_names, named_tensors
from hookviz._records import BackwardArguments


def named_arguments(graph: ReadyGraph) -> BackwardArguments:
    """Return the arguments of backward, with names for tensors.

    `retain_graph` keeps its default: hookviz retains every graph that it may run again.

    Args:
        graph: The graph, which knows its own tensors; others are looked for in its namespaces.
    """
    options, given = graph.settings.options, graph.settings.names or {}
    if options.inputs is None and options.gradient is None:
        return BackwardArguments(create_graph=options.create_graph)
    everywhere = [*given.items(), *named_tensors(graph.settings.namespaces)]

    def names_of(tensor: torch.Tensor) -> tuple[str, ...]:
        for owner in graph.live.tensors:
            if owner.tensor is tensor:
                return owner.names
        found = [name for name, other in everywhere if other is tensor]
        return choose_names(found, given=given)

    return BackwardArguments(
        inputs=None if options.inputs is None else tuple(map(names_of, options.inputs)),
        gradient=() if options.gradient is None else names_of(options.gradient),
        create_graph=options.create_graph,
    )
