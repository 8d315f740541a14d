"""Describe one call of `backward()` by the user's code, make it, and keep its outcome."""

from __future__ import annotations

import functools
from typing import Any

import msgspec
import torch
from msgspec import Struct

from hookviz._live.internals import EngineFunction
from hookviz._live.recording.options import BackwardOptions, check_inputs
from hookviz._live.unmodified.caller import Caller
from hookviz._live.user.names import Namespace
from hookviz.errors import FreedGraphError, HookvizError


class BackwardCall:
    """One call of PyTorch's engine that is to be recorded.

    Attributes:
        root: The tensor on which `backward()` was called.
        options: The arguments that PyTorch hands to its engine.
        namespaces: The variables that can be seen where it was called.
        is_made: Whether the engine was called.
        result: The result of the engine.
        error: The exception of the engine, or `None`.
    """

    def __init__(
        self,
        engine: EngineFunction,
        roots: Any,
        arguments: Any,
        keywords: Any,
        namespaces: tuple[Namespace, ...],
    ) -> None:
        """Take a call of the engine that is yet to be made.

        Raises:
            HookvizError: If it is not of a kind that can be recorded.
        """
        if len(roots) != 1:
            raise HookvizError(
                f"it starts from {len(roots)} tensors at once, and hookviz records one. Call "
                "backward() on their sum, or on one after the other with retain_graph=True."
            )
        if not isinstance(roots[0], torch.Tensor):
            raise HookvizError("it starts from a GradientEdge; call it on the tensor itself.")
        self._engine = functools.partial(engine, roots, **keywords)
        self._arguments = arguments
        gradients, retain_graph, create_graph, inputs = arguments
        self.root: torch.Tensor = roots[0]
        self.options = BackwardOptions(
            gradient=gradients[0],
            inputs=check_inputs(tuple(inputs) or None),
            retain_graph=bool(retain_graph),
            create_graph=bool(create_graph),
        )
        self.namespaces = namespaces
        self.is_made = False
        self.result: object = None
        self.error: BaseException | None = None

    def run(self, *, retain_graph: bool) -> object:
        """Make the call; all its arguments but `retain_graph` are the user's."""
        gradients, _, create_graph, inputs = self._arguments
        self.is_made = True
        try:
            self.result = self._engine(gradients, retain_graph, create_graph, inputs)
        except BaseException as error:
            self.error = error
            raise
        return self.result


class NotRecorded(Struct, frozen=True):
    """A call that could not be recorded and ran plainly.

    Attributes:
        caller: The line that made the call.
        reason: The reason, in a sentence or two.
    """

    caller: Caller
    reason: str


class Calls(Struct):
    """The calls that the user's code has made.

    Attributes:
        recorded: Each recorded call with its caller, in the order in which they began.
        not_recorded: The first calls that could not be recorded.
        further: The number of calls after those.
    """

    recorded: list[tuple[Caller, Any]] = msgspec.field(default_factory=list)
    not_recorded: list[NotRecorded] = msgspec.field(default_factory=list)
    further: int = 0


def reason_for(error: BaseException) -> str:
    """Return the reason why a call could not be recorded, in a sentence."""
    if isinstance(error, FreedGraphError):
        return "an earlier backward() without retain_graph=True has freed its graph."
    if isinstance(error, HookvizError):
        return str(error)
    if isinstance(error, Exception):
        return f"a fault of hookviz, please report it ({type(error).__name__}: {error})."
    return f"it was stopped by {type(error).__name__}."
