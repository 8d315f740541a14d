"""Describe the steps of the autograd engine: nodes, tensor hooks, and `.grad`."""

from hookviz._records.event import Event, HookEvent
from hookviz._records.snapshot import TensorSnapshot
from hookviz._records.value import Value


class StartEvent(Event, frozen=True, kw_only=True, tag="start"):
    """The gradient that was handed to the root.

    Attributes:
        outgoing: The gradient; ones for a scalar root unless `gradient=` was given.
    """

    outgoing: Value = None


class NodeEvent(Event, frozen=True, kw_only=True, tag="node"):
    """A backward function ran.

    Attributes:
        incoming: One gradient per output slot of the node.
        outgoing: One gradient per edge, in the order of `next_functions`; `None` where no gradient
            travelled.
    """

    incoming: Value = None
    outgoing: Value = None


class HiddenRewriteEvent(Event, frozen=True, kw_only=True, tag="hidden_rewrite"):
    """Another gradient arrived than was sent, and no listed hook explains it.

    Attributes:
        slot: Output slot of the node.
        incoming: The gradient that was sent; the sum in the engine's order where several met.
        outgoing: The gradient that arrived.
    """

    slot: int | None = None
    incoming: Value = None
    outgoing: Value = None

    @property
    def rewritten(self) -> bool:
        """Always true."""
        return True


class GradEvent(Event, frozen=True, kw_only=True):
    """The `.grad` of a tensor was set or added to.

    Attributes:
        incoming: The gradient that arrived.
        grad_before, grad_after: The tensor's `.grad`.
    """

    incoming: Value = None
    grad_before: TensorSnapshot | None = None
    grad_after: TensorSnapshot | None = None

    @property
    def before(self) -> TensorSnapshot | None:
        """The tensor's `.grad` before."""
        return self.grad_before

    @property
    def after(self) -> TensorSnapshot | None:
        """The tensor's `.grad` after."""
        return self.grad_after


class RetainGradEvent(GradEvent, frozen=True, kw_only=True, tag="retain_grad"):
    """The `.grad` of a non-leaf was kept, because of `retain_grad()`.

    Attributes:
        slot: Output slot of the node.
    """

    slot: int | None = None


class AccumulateEvent(GradEvent, frozen=True, kw_only=True, tag="accumulate"):
    """An `AccumulateGrad` node added a gradient to the `.grad` of a leaf.

    Attributes:
        reached: Labels of tensors whose `.grad` lies in the same memory and changed with it.
    """

    reached: tuple[str, ...] = ()


class TensorHookEvent(HookEvent, frozen=True, kw_only=True, tag="tensor_hook"):
    """A hook of a tensor ran (`Tensor.register_hook`).

    Attributes:
        slot: Output slot of the node at which it ran.
        incoming, outgoing: The gradient that the hook was given, and the one that went on.
    """

    slot: int | None = None
    incoming: Value = None
    outgoing: Value = None


class PostAccumulateHookEvent(HookEvent, frozen=True, kw_only=True, tag="post_accumulate_hook"):
    """A hook of a leaf ran after its `.grad` was added to.

    Attributes:
        grad_before, grad_after: The leaf's `.grad` before and after the hook.
        value_before, value_after: The leaf itself before and after the hook.
    """

    grad_before: TensorSnapshot | None = None
    grad_after: TensorSnapshot | None = None
    value_before: TensorSnapshot | None = None
    value_after: TensorSnapshot | None = None

    @property
    def incoming(self) -> TensorSnapshot | None:
        """The leaf's `.grad` before the hook."""
        return self.grad_before

    @property
    def outgoing(self) -> TensorSnapshot | None:
        """The leaf's `.grad` after the hook."""
        return self.grad_after

    @property
    def before(self) -> TensorSnapshot | None:
        """The leaf before the hook."""
        return self.value_before

    @property
    def after(self) -> TensorSnapshot | None:
        """The leaf after the hook."""
        return self.value_after


class NodePrehookEvent(HookEvent, frozen=True, kw_only=True, tag="node_prehook"):
    """A hook ran before a backward function (`Node.register_prehook`).

    Attributes:
        incoming, outgoing: The gradients per output slot, as the hook was given them and after it.
    """

    incoming: Value = None
    outgoing: Value = None


class NodeHookEvent(HookEvent, frozen=True, kw_only=True, tag="node_hook"):
    """A hook ran after a backward function (`Node.register_hook`).

    Attributes:
        incoming, outgoing: The gradients per edge, as the hook was given them and after it.
    """

    incoming: Value = None
    outgoing: Value = None
