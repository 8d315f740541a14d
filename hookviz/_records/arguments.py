"""Hold the arguments of a call of backward, by name."""

from __future__ import annotations

from msgspec import Struct


class BackwardArguments(Struct, frozen=True, kw_only=True):
    """The arguments of one call, as the user wrote them.

    Attributes:
        inputs: For each tensor in `inputs=` the names that were found for it, which may be none;
            `None` where it was not given.
        gradient: The names that were found for `gradient=`; empty where it was not given too.
        retain_graph, create_graph: As in `Tensor.backward`.
    """

    inputs: tuple[tuple[str, ...], ...] | None = None
    gradient: tuple[str, ...] = ()
    retain_graph: bool = False
    create_graph: bool = False
