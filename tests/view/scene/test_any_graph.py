"""Whatever a graph looks like, and whichever boxes are open, there is a sound picture of it."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from hookviz._records import (
    CallRecord,
    EdgeRecord,
    Event,
    GraphRecord,
    ModuleRecord,
    NodeEvent,
    NodeRecord,
    StartEvent,
    TensorRecord,
)
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.start import all_expanded, start_expanded
from hookviz._view.layout.graphviz import lay_out
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.fields import Fields
from hookviz._view.steps.steps import build_steps, still_steps
from hookviz._view.steps.stops import stops
from hookviz._view.svg.picture import picture_svg
from tests.view.example import scalar
from tests.view.groups.test_groups import assert_whole
from tests.view.scene.test_box_scene import assert_contained

NAMES = ("MulBackward0", "AddBackward0", "BackwardHookFunctionBackward", "OddBackward")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[GraphRecord, tuple[Event, ...]]:
    """Return a graph that no program need have made: calls without rhyme, names at random."""
    count = draw(st.integers(1, 40))
    leaves = draw(st.integers(0, 4))
    period = draw(st.integers(1, 4))
    repeats = draw(st.booleans())
    calls = draw(st.integers(0, 6))
    parents = [
        draw(st.one_of(st.none(), st.integers(0, k - 1))) if k else None for k in range(calls)
    ]
    owners = st.one_of(st.none(), st.integers(0, max(calls - 1, 0)))
    nodes: list[NodeRecord] = []
    edges: list[EdgeRecord] = []
    for place in range(count):
        after = st.integers(place + 1, count - 1 + leaves)
        targets = [place + 1] if place + 1 < count + leaves else []
        if place + 1 < count + leaves and not repeats:
            targets += draw(st.lists(after, max_size=2))
        made = []
        for index, target in enumerate(targets):
            edge = EdgeRecord(
                id=f"e{len(edges)}",
                source=f"n{place}",
                source_index=index,
                target=f"n{target}",
                input_nr=draw(st.integers(0, 1)) if not repeats and target < count else 0,
            )
            edges.append(edge)
            made.append(edge.id)
        owner = draw(owners) if calls else None
        nodes.append(
            NodeRecord(
                id=f"n{place}",
                name=NAMES[place % period] if repeats else draw(st.sampled_from(NAMES)),
                edges=tuple(made),
                num_outputs=2,
                call=None if owner is None else f"k{owner}",
            )
        )
    tensors = [TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(1))]
    for leaf in range(leaves):
        node = f"n{count + leaf}"
        nodes.append(NodeRecord(id=node, name="AccumulateGrad", leaf=f"t{leaf + 1}"))
        tensors.append(
            TensorRecord(
                id=f"t{leaf + 1}",
                names=(f"w{leaf}",),
                node=node,
                is_leaf=True,
                value=scalar(1),
                module="m0" if calls and draw(st.booleans()) else None,
            )
        )
    named = draw(st.lists(st.integers(0, count - 1), unique=True, max_size=3))
    tensors += [
        TensorRecord(id=f"t{len(tensors) + i}", names=(f"v{i}",), node=f"n{node}", value=scalar(1))
        for i, node in enumerate(named)
    ]
    graph = GraphRecord(
        nodes=tuple(nodes),
        edges=tuple(edges),
        tensors=tuple(tensors),
        modules=tuple(ModuleRecord(id=f"m{k}", name=f"part{k}", type="Part") for k in range(calls)),
        calls=tuple(
            CallRecord(id=f"k{k}", module=f"m{k}", parent=None if p is None else f"k{p}")
            for k, p in enumerate(parents)
        ),
    )
    one = scalar(1)
    events = [StartEvent(index=0, tensor="y", outgoing=one)]
    for node in nodes[:count]:
        sent = tuple(one for _ in node.edges)
        events.append(NodeEvent(index=len(events), node=node.id, incoming=(one,), outgoing=sent))
    return graph, tuple(events)


@given(graphs(), st.data())
@settings(max_examples=60, deadline=None)
def test_every_cut_through_every_graph_can_be_drawn(
    example: tuple[GraphRecord, tuple[Event, ...]], data: st.DataObject
) -> None:
    graph, events = example
    tree = group_tree(graph)
    assert_whole(graph, tree)
    steps = build_steps(graph, events, tree=tree)
    chosen = data.draw(st.sets(st.sampled_from(sorted(tree.groups)))) if tree.groups else set()
    for expanded in (start_expanded(graph, tree), all_expanded(graph, tree), chosen):
        scene = build_scene(graph, Fields(steps, 0), tree=tree, expanded=expanded)
        ends = {box.id for box in scene.boxes} | {frame.id for frame in scene.frames}
        assert all(arrow.tail in ends and arrow.head in ends for arrow in scene.connectors)
        assert all(arrow.tail != arrow.head for arrow in scene.connectors)
        assert_contained(scene, lay_out(scene))
        found = stops(graph, steps, events, expanded, tree=tree)
        assert sum(stop.count for stop in found) == len(events)


@given(graphs())
@settings(max_examples=30, deadline=None)
def test_a_graph_looks_the_same_whether_or_not_its_empty_fields_were_written_down(
    example: tuple[GraphRecord, tuple[Event, ...]],
) -> None:
    graph, _ = example
    still = picture_svg(graph, still_steps(graph), step=0, lang="en", standalone=True)
    whole = picture_svg(graph, build_steps(graph, ()), step=0, lang="en", standalone=True)
    assert still == whole
    ElementTree.fromstring(still)
