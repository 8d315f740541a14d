"""Graphs with modules, written by hand, and a reader of the boxes in a picture."""

from __future__ import annotations

from xml.etree import ElementTree

import torch
from msgspec.structs import replace
from torch import nn

from hookviz._records import (
    AccumulateEvent,
    CallRecord,
    EdgeRecord,
    GraphRecord,
    HookRecord,
    ModuleBackwardHookEvent,
    ModuleBackwardPreHookEvent,
    ModuleForwardEvent,
    ModuleForwardHookEvent,
    ModuleForwardPreHookEvent,
    ModuleRecord,
    NodeEvent,
    NodeRecord,
    StartEvent,
    TensorRecord,
)
from hookviz._records.value import Argument
from tests.view.drawing import SVG, having
from tests.view.example import scalar
from tests.view.graphs import Example, edge, leaf

PRE_HOOK = HookRecord(id="h0", kind="module_forward_pre_hook", label="add_ten")
FORWARD_HOOK = HookRecord(id="h1", kind="module_forward_hook", label="add_hundred")
BACKWARD_PRE_HOOK = HookRecord(id="h2", kind="module_backward_pre_hook", label="times_ten")
BACKWARD_HOOK = HookRecord(id="h3", kind="module_backward_hook", label="halve")


def box(picture: ElementTree.Element, key: str) -> ElementTree.Element:
    """Return the group of a box, closed or open."""
    found = [
        group
        for group in having(picture, "g", "data-hv-key", key)
        if "hv-module" in (group.get("class") or "").split()
    ]
    assert len(found) == 1, key
    return found[0]


def boxes(picture: ElementTree.Element) -> dict[str, bool]:
    """Return the ids of the boxes of a picture, and whether each is open."""
    return {
        group.get("data-hv-key", ""): "hv-expanded" in (group.get("class") or "")
        for group in picture.iter(f"{SVG}g")
        if "hv-module" in (group.get("class") or "").split()
    }


def arguments(*numbers: float) -> tuple[Argument, ...]:
    """Return positional arguments that are numbers."""
    return tuple(
        Argument(path=f"args[{place}]", snapshot=scalar(number))
        for place, number in enumerate(numbers)
    )


def output(number: float) -> tuple[Argument, ...]:
    """Return an output that is one number."""
    return (Argument(path="output", snapshot=scalar(number)),)


def sum_net() -> Example:
    """Return the article's SumNet, called without grad: (1, 2, 3) to (11, 2, 13), 26, 126."""
    graph = GraphRecord(
        modules=(ModuleRecord(id="m0", name="net", type="SumNet", hooks=(PRE_HOOK, FORWARD_HOOK)),),
        calls=(CallRecord(id="k0", module="m0"),),
    )
    before, after = arguments(1, 2, 3), arguments(11, 2, 13)
    events = (
        ModuleForwardPreHookEvent(
            index=0,
            module="net",
            call=0,
            hook=PRE_HOOK,
            hook_index=0,
            arguments_before=before,
            arguments_after=after,
            printed="hello\n",
        ),
        ModuleForwardEvent(
            index=1,
            module="net",
            call=0,
            arguments_before=after,
            arguments_after=output(26),
        ),
        ModuleForwardHookEvent(
            index=2,
            module="net",
            call=0,
            hook=FORWARD_HOOK,
            hook_index=0,
            arguments_before=output(26),
            arguments_after=output(126),
        ),
    )
    return graph, events


def hooked_module() -> Example:
    """Return y = 3 * scale(x), scale(x) = x * w, with full backward hooks on `scale`.

    x = 2, w = 5. At `scale` 3 arrives, the pre-hook makes it 30, so w receives 60 and 150 leaves;
    the hook makes that 75.
    """
    hooks = (BACKWARD_PRE_HOOK, BACKWARD_HOOK)
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="MulBackward0", edges=("e0", None)),
            NodeRecord(id="n1", name="BackwardHookFunctionBackward", edges=("e1",), call="k0"),
            NodeRecord(id="n2", name="MulBackward0", edges=("e2", "e3"), call="k0"),
            NodeRecord(id="n3", name="BackwardHookFunctionBackward", edges=("e4",), call="k0"),
            NodeRecord(id="n4", name="AccumulateGrad", leaf="t1"),
            NodeRecord(id="n5", name="AccumulateGrad", leaf="t2"),
        ),
        edges=(
            edge(0, "n0", 0, "n1"),
            edge(1, "n1", 0, "n2"),
            edge(2, "n2", 0, "n3"),
            edge(3, "n2", 1, "n4"),
            edge(4, "n3", 0, "n5"),
        ),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(30)),
            replace(leaf("t1", "scale.w", "n4"), module="m0", value=scalar(5)),
            replace(leaf("t2", "x", "n5"), value=scalar(2)),
        ),
        modules=(ModuleRecord(id="m0", name="scale", type="Scale", hooks=hooks),),
        calls=(CallRecord(id="k0", module="m0"),),
    )
    three, thirty, sixty, left, half = map(scalar, (3, 30, 60, 150, 75))
    events = (
        ModuleForwardEvent(
            index=0,
            module="scale",
            call=0,
            arguments_before=arguments(2),
            arguments_after=output(10),
        ),
        StartEvent(index=1, tensor="y", outgoing=scalar(1)),
        NodeEvent(index=2, node="n0", incoming=(scalar(1),), outgoing=(three, None)),
        ModuleBackwardPreHookEvent(
            index=3,
            module="scale",
            call=0,
            hook=BACKWARD_PRE_HOOK,
            hook_index=0,
            incoming=(three,),
            outgoing=(thirty,),
            rewritten=True,
        ),
        NodeEvent(index=4, node="n1", incoming=(three,), outgoing=(thirty,)),
        NodeEvent(index=5, node="n2", incoming=(thirty,), outgoing=(left, sixty)),
        AccumulateEvent(
            index=6,
            tensor="scale.w",
            node="n4",
            incoming=sixty,
            grad_after=sixty,
        ),
        ModuleBackwardHookEvent(
            index=7,
            module="scale",
            call=0,
            hook=BACKWARD_HOOK,
            hook_index=0,
            incoming=(left,),
            outgoing=(half,),
            rewritten=True,
            grad_output=(Argument(path="grad_output[0]", snapshot=thirty),),
        ),
        NodeEvent(index=8, node="n3", incoming=(left,), outgoing=(half,)),
        AccumulateEvent(index=9, tensor="x", node="n5", incoming=half, grad_after=half),
    )
    return graph, events


def fan() -> Example:
    """Return y = f(a, b) with `a, b = split(x)` in a module of its own: two arrows to one box."""
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="MulBackward0", edges=("e0", "e1")),
            NodeRecord(id="n1", name="SplitBackward0", edges=("e2",), num_outputs=2, call="k0"),
            NodeRecord(id="n2", name="AccumulateGrad", leaf="t1"),
        ),
        edges=(
            edge(0, "n0", 0, "n1"),
            EdgeRecord(id="e1", source="n0", source_index=1, target="n1", input_nr=1),
            edge(2, "n1", 0, "n2"),
        ),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(6)),
            leaf("t1", "x", "n2"),
        ),
        modules=(ModuleRecord(id="m0", name="cut", type="Cut"),),
        calls=(CallRecord(id="k0", module="m0"),),
    )
    events = (
        StartEvent(index=0, tensor="y", outgoing=scalar(1)),
        NodeEvent(
            index=1,
            node="n0",
            incoming=(scalar(1),),
            outgoing=(scalar(3), scalar(2)),
        ),
        NodeEvent(index=2, node="n1", incoming=(scalar(3), scalar(2)), outgoing=(scalar(5),)),
        AccumulateEvent(
            index=3,
            tensor="x",
            node="n2",
            incoming=scalar(5),
            grad_after=scalar(5),
        ),
    )
    return graph, events


class Block(nn.Module):
    """Two layers and a way around them."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.up = nn.Linear(size, 2 * size)
        self.down = nn.Linear(2 * size, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(x)))


class Tower(nn.Module):
    """A deep network: a layer, blocks that are alike, and a layer."""

    def __init__(self, blocks: int, size: int = 3) -> None:
        super().__init__()
        self.begin = nn.Linear(2, size)
        self.blocks = nn.Sequential(*(Block(size) for _ in range(blocks)))
        self.end = nn.Linear(size, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.end(self.blocks(self.begin(x)))


class HandWritten(nn.Module):
    """A recurrent cell written out by hand, without any inner module."""

    def __init__(self, size: int = 3) -> None:
        super().__init__()
        self.inside = nn.Parameter(torch.eye(size) / 2)
        self.across = nn.Parameter(torch.ones(2, size) / 4)
        self.shift = nn.Parameter(torch.zeros(size))

    def forward(self, xs: torch.Tensor) -> torch.Tensor:
        state = torch.zeros(xs.size(1), self.shift.numel())
        for x in xs:
            state = torch.tanh(x @ self.across + state @ self.inside + self.shift)
        return state
