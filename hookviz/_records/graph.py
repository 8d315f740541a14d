"""Describe an autograd graph: its nodes, its gradient edges, and the tensors known in it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from hookviz._records.hook import HookRecord
from hookviz._records.module import CallRecord, ModuleRecord, SourceRecord
from hookviz._records.snapshot import TensorSnapshot


class NodeRecord(Struct, frozen=True, kw_only=True):
    """One backward function (`torch.autograd.graph.Node`).

    Attributes:
        id: `n0` is the root's; then in the order of a breadth-first walk of `next_functions`.
        name: PyTorch's name, such as `MulBackward0` or `AccumulateGrad`.
        edges: One entry per element of `next_functions`, in order: the id of the edge, or `None`
            where no gradient is wanted.
        num_outputs: How many output slots its forward operation had, so how many gradients
            arrive here.
        leaf: Id of the tensor into whose `.grad` this node adds; `None` unless `AccumulateGrad`.
        call: Id of the innermost module call that made it, if known.
        code_file, code_line, code_text: The user's source line that made it, if known.
        hooks: Hooks that were put on it in hookviz, pre-hooks first.
        annotation: A key of the language tables with one more thing to say about it; often empty.
        made_by_pass: Which recorded pass with `create_graph=True` made it, counted from the oldest
            of the chain that `TraceRecord.earlier` begins: 1 for the first pass. 0 for a node that
            none of them made.
    """

    id: str
    name: str
    edges: tuple[str | None, ...] = ()
    num_outputs: int = 1
    leaf: str | None = None
    call: str | None = None
    code_file: str = ""
    code_line: int | None = None
    code_text: str = ""
    hooks: tuple[HookRecord, ...] = ()
    annotation: str = ""
    made_by_pass: int = 0


class EdgeRecord(Struct, frozen=True, kw_only=True):
    """One gradient edge, from the node that sends to the node that receives.

    Attributes:
        id: `e0`, `e1`, ... in the order of the walk.
        source: Id of the node that sends.
        source_index: Place in the source's `next_functions`.
        target: Id of the node that receives.
        input_nr: Which output slot of the target's forward operation the gradient belongs to.
    """

    id: str
    source: str
    source_index: int
    target: str
    input_nr: int


class TensorRecord(Struct, frozen=True, kw_only=True):
    """One tensor whose gradient passes through the graph.

    Attributes:
        id: `t0`, `t1`, ...; `t0` is the root.
        names: Every name found for it, in the caller's order; may be empty.
        node: Id of its `grad_fn`, or of the `AccumulateGrad` node of a leaf; empty when the root
            does not depend on it, so that backward never reaches it.
        output_nr: Which output slot of `node` it is.
        is_leaf, is_root: As in PyTorch; the root is the tensor on which backward is called.
        retains_grad: Whether a non-leaf keeps its `.grad`.
        value: Its value when the graph was captured.
        grad: Its `.grad` before backward; `None` when there was none.
        hooks: Its tensor hooks in the order in which they run, then its post-accumulate hooks;
            those that are turned off stand in their place.
        shares_slot_with: Id of another tensor with the same node and slot, if any.
        module: Id of the module that has it as a parameter, if known.
    """

    id: str
    names: tuple[str, ...] = ()
    node: str
    output_nr: int = 0
    is_leaf: bool = False
    is_root: bool = False
    retains_grad: bool = False
    value: TensorSnapshot
    grad: TensorSnapshot | None = None
    hooks: tuple[HookRecord, ...] = ()
    shares_slot_with: str | None = None
    module: str | None = None

    @property
    def label(self) -> str:
        """The first of its names, or its id when it has none."""
        return self.names[0] if self.names else self.id


HookOwner = TensorRecord | ModuleRecord | NodeRecord


class GraphRecord(Struct, frozen=True, kw_only=True):
    """The graph of one root, in the order of a breadth-first walk from it."""

    nodes: tuple[NodeRecord, ...] = ()
    edges: tuple[EdgeRecord, ...] = ()
    tensors: tuple[TensorRecord, ...] = ()
    modules: tuple[ModuleRecord, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    sources: tuple[SourceRecord, ...] = ()
    notes: tuple[str, ...] = ()
    """Keys of the language tables: the parts that could not be seen."""

    @property
    def root(self) -> TensorRecord:
        """The tensor on which backward is called."""
        return self.tensors[0]

    def hook_chains(self) -> Iterator[tuple[HookOwner, tuple[HookRecord, ...]]]:
        """Yield each tensor, module and function with its hooks.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> _ = a.register_hook(lambda grad: grad * 2)
            >>> [(owner.id, len(hooks)) for owner, hooks in hookviz.capture(a * 3).hook_chains()]
            [('t0', 0), ('t1', 1), ('n0', 0), ('n1', 0)]
        """
        owners: tuple[HookOwner, ...] = (*self.tensors, *self.modules, *self.nodes)
        for owner in owners:
            yield owner, owner.hooks

    def find(self, name: str) -> TensorRecord | None:
        """Return the tensor with this name or id, or `None`; names come before ids.

        Args:
            name: One of its names, or its id.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.capture(a * 3).find("a").is_leaf
            True
        """
        for tensor in self.tensors:
            if name in tensor.names:
                return tensor
        return next((tensor for tensor in self.tensors if tensor.id == name), None)

    def ending(self, path: str) -> tuple[TensorRecord, ...]:
        """Return the tensors of which a name ends with a path, such as `fc.weight`.

        Args:
            path: Whole parts of a name; a place in a container may be written `layers[0]` too.

        Example:
            >>> model = torch.nn.Linear(2, 1)
            >>> graph = hookviz.capture(model(torch.ones(1, 2)))
            >>> [tensor.label for tensor in graph.ending("weight")]
            ['model.weight']
        """
        end = "." + path.replace("[", ".").replace("]", "")
        return tuple(
            tensor
            for tensor in self.tensors
            if any(f".{name}".endswith(end) for name in tensor.names)
        )
