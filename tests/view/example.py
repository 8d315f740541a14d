"""Records of the worked example, written by hand: what one real backward of it has to show.

a = 2, b = 3, c = a * b, d = 4, e = c * d
"""

from __future__ import annotations

from hookviz._records import (
    AccumulateEvent,
    EdgeRecord,
    Event,
    GraphRecord,
    HookRecord,
    NodeEvent,
    NodeRecord,
    RetainGradEvent,
    StartEvent,
    TensorHookEvent,
    TensorRecord,
    TensorSnapshot,
)

E_HOOK = HookRecord(id="h0", kind="tensor_hook", label="lambda grad: grad * 2")
C_HOOK = HookRecord(id="h1", kind="tensor_hook", label="c_hook")
C_PRINT = HookRecord(
    id="h2", kind="tensor_hook", label='lambda grad: print("hello my grad is", grad)'
)
D_HOOK = HookRecord(id="h3", kind="tensor_hook", label="lambda grad: grad + 100")


def scalar(number: float) -> TensorSnapshot:
    """Return a 0-d float32 snapshot."""
    return TensorSnapshot(shape=(), dtype="float32", values=(repr(float(number)),))


def vector(*numbers: float) -> TensorSnapshot:
    """Return a 1-d float32 snapshot."""
    values = tuple(repr(float(number)) for number in numbers)
    return TensorSnapshot(shape=(len(numbers),), dtype="float32", values=values)


def second_example() -> tuple[GraphRecord, tuple[Event, ...]]:
    """Return the example with its four hooks; c and e retain their gradient."""
    return _graph(with_hooks=True), (
        StartEvent(index=0, tensor="e", outgoing=scalar(1)),
        _hook(1, "e", E_HOOK, 1, 2),
        _kept(2, "e", 2),
        _node(3, "n0", 2, 8, 12),
        _hook(4, "d", D_HOOK, 12, 112),
        _accumulated(5, "d", "n2", 112),
        _hook(6, "c", C_HOOK, 8, 10, printed="c_hook tensor(8.)\n"),
        _hook(7, "c", C_PRINT, 10, 10, printed="hello my grad is tensor(10.)\n", place=1),
        _kept(8, "c", 10),
        _node(9, "n1", 10, 30, 20),
        _accumulated(10, "a", "n3", 30),
        _accumulated(11, "b", "n4", 20),
    )


def plain_example() -> tuple[GraphRecord, tuple[Event, ...]]:
    """Return the same graph without hooks and without retain_grad."""
    return _graph(with_hooks=False), (
        StartEvent(index=0, tensor="e", outgoing=scalar(1)),
        _node(1, "n0", 1, 4, 6),
        _accumulated(2, "d", "n2", 6),
        _node(3, "n1", 4, 12, 8),
        _accumulated(4, "a", "n3", 12),
        _accumulated(5, "b", "n4", 8),
    )


def _graph(*, with_hooks: bool) -> GraphRecord:
    def hooks(*records: HookRecord) -> tuple[HookRecord, ...]:
        return records if with_hooks else ()

    return GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="MulBackward0", edges=("e0", "e1")),
            NodeRecord(id="n1", name="MulBackward0", edges=("e2", "e3")),
            NodeRecord(id="n2", name="AccumulateGrad", leaf="t2"),
            NodeRecord(id="n3", name="AccumulateGrad", leaf="t3"),
            NodeRecord(id="n4", name="AccumulateGrad", leaf="t4"),
        ),
        edges=(
            EdgeRecord(id="e0", source="n0", source_index=0, target="n1", input_nr=0),
            EdgeRecord(id="e1", source="n0", source_index=1, target="n2", input_nr=0),
            EdgeRecord(id="e2", source="n1", source_index=0, target="n3", input_nr=0),
            EdgeRecord(id="e3", source="n1", source_index=1, target="n4", input_nr=0),
        ),
        tensors=(
            TensorRecord(
                id="t0",
                names=("e",),
                node="n0",
                is_root=True,
                retains_grad=with_hooks,
                value=scalar(24),
                hooks=hooks(E_HOOK),
            ),
            TensorRecord(
                id="t1",
                names=("c",),
                node="n1",
                retains_grad=with_hooks,
                value=scalar(6),
                hooks=hooks(C_HOOK, C_PRINT),
            ),
            TensorRecord(
                id="t2",
                names=("d",),
                node="n2",
                is_leaf=True,
                value=scalar(4),
                hooks=hooks(D_HOOK),
            ),
            TensorRecord(id="t3", names=("a",), node="n3", is_leaf=True, value=scalar(2)),
            TensorRecord(id="t4", names=("b",), node="n4", is_leaf=True, value=scalar(3)),
        ),
    )


def _hook(
    index: int,
    tensor: str,
    hook: HookRecord,
    incoming: float,
    outgoing: float,
    *,
    printed: str = "",
    place: int = 0,
) -> Event:
    return TensorHookEvent(
        index=index,
        tensor=tensor,
        hook=hook,
        hook_index=place,
        incoming=scalar(incoming),
        outgoing=scalar(outgoing),
        rewritten=incoming != outgoing,
        returned_none=incoming == outgoing,
        printed=printed,
    )


def _kept(index: int, tensor: str, value: float) -> Event:
    return RetainGradEvent(
        index=index,
        tensor=tensor,
        incoming=scalar(value),
        grad_after=scalar(value),
    )


def _node(index: int, node: str, incoming: float, *outgoing: float) -> Event:
    return NodeEvent(
        index=index,
        node=node,
        incoming=(scalar(incoming),),
        outgoing=tuple(scalar(value) for value in outgoing),
    )


def _accumulated(index: int, tensor: str, node: str, value: float) -> Event:
    return AccumulateEvent(
        index=index,
        tensor=tensor,
        node=node,
        incoming=scalar(value),
        grad_after=scalar(value),
    )
