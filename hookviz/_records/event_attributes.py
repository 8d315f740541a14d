"""Let every kind of event be asked for every attribute."""

from __future__ import annotations

from hookviz._records.error import ErrorRecord
from hookviz._records.hook import HookRecord
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Argument, Value


class EventAttributes:
    """The attributes that only some kinds of events have, as the other kinds answer.

    A loop such as `[event for event in trace.events if event.rewritten]` needs to know no kinds. A
    kind that has one of them as a field of its own answers with the field.
    """

    __slots__ = ()

    @property
    def incoming(self) -> Value:
        """The gradient, or gradients, that arrived."""
        return None

    @property
    def outgoing(self) -> Value:
        """The gradient, or gradients, that went on."""
        return None

    @property
    def hook(self) -> HookRecord | None:
        """The hook that ran."""
        return None

    @property
    def hook_index(self) -> int | None:
        """The hook's place in its chain, from 0."""
        return None

    @property
    def rewritten(self) -> bool:
        """Whether another value went on than came in."""
        return False

    @property
    def returned_none(self) -> bool:
        """Whether a hook returned `None`."""
        return False

    @property
    def mutated(self) -> bool:
        """Whether a hook changed its argument in place."""
        return False

    @property
    def reached(self) -> tuple[str, ...]:
        """Everything else that a change in place has changed."""
        return ()

    @property
    def before(self) -> TensorSnapshot | None:
        """A `.grad` before; for a post-accumulate hook the leaf before."""
        return None

    @property
    def after(self) -> TensorSnapshot | None:
        """A `.grad` after; for a post-accumulate hook the leaf after."""
        return None

    @property
    def grad_before(self) -> TensorSnapshot | None:
        """A `.grad` before."""
        return None

    @property
    def grad_after(self) -> TensorSnapshot | None:
        """A `.grad` after."""
        return None

    @property
    def value_before(self) -> TensorSnapshot | None:
        """A leaf before a post-accumulate hook."""
        return None

    @property
    def value_after(self) -> TensorSnapshot | None:
        """A leaf after a post-accumulate hook."""
        return None

    @property
    def slot(self) -> int | None:
        """Output slot of a node."""
        return None

    @property
    def arguments_before(self) -> tuple[Argument, ...]:
        """A module's arguments or outputs before."""
        return ()

    @property
    def arguments_after(self) -> tuple[Argument, ...]:
        """A module's arguments or outputs after."""
        return ()

    @property
    def grad_output(self) -> tuple[Argument, ...]:
        """The gradients of a module's outputs."""
        return ()

    @property
    def call(self) -> int | None:
        """Which call of a module, from 0."""
        return None

    @property
    def error(self) -> ErrorRecord | None:
        """The exception that ended the pass."""
        return None
