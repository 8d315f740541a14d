"""What the tests of the picture share: graphs that are hard to draw, and a reader of SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from hookviz._records import (
    AccumulateEvent,
    EdgeRecord,
    Event,
    GraphRecord,
    HookRecord,
    NodeEvent,
    NodeRecord,
    StartEvent,
    TensorRecord,
)
from hookviz._view.groups.find import group_tree
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.scene import Scene
from hookviz._view.steps.steps import build_steps
from hookviz._view.svg.picture import picture_svg
from tests.view.example import scalar, vector
from tests.view.graphs import edge, leaf

Example = tuple[GraphRecord, tuple[Event, ...]]
SVG = "{http://www.w3.org/2000/svg}"


def scene_of(example: Example, *, is_whole: bool = False) -> Scene:
    """Return the scene at step 0; whole, with everything open that can be opened."""
    graph, events = example
    expanded = every_box(example) if is_whole else None
    return build_scene(graph, Fields(build_steps(graph, events), 0), expanded=expanded)


def every_box(example: Example) -> list[str]:
    """Return the ids of all boxes."""
    return list(group_tree(example[0]).groups)


def draw(example: Example, step: int = 0, lang: str = "en", **more: object) -> ElementTree.Element:
    """Return the parsed picture."""
    graph, events = example
    steps = build_steps(graph, events)
    step = step % len(steps)
    markup = picture_svg(graph, steps, step=step, lang=lang, **more)
    return ElementTree.fromstring(markup)


def card(picture: ElementTree.Element, key: str) -> ElementTree.Element:
    """Return the first card of a tensor."""
    return having(picture, "g[@class='hv-card']", "data-hv-key", key)[0]


def having(
    root: ElementTree.Element, path: str, attribute: str, value: str
) -> list[ElementTree.Element]:
    """Return elements by an attribute; the value may hold quotes, which a path may not."""
    return [found for found in root.iterfind(f".//{SVG}{path}") if found.get(attribute) == value]


def field(root: ElementTree.Element, name: str) -> str:
    """Return the text of a field."""
    found = [part for part in root.iter() if part.get("data-hv-field") == name]
    assert len(found) == 1, name
    return found[0].text or ""


def named(*names: str) -> Example:
    """Return y = x * 1 with names, and hook labels and sources to match."""
    hooks = tuple(
        HookRecord(id=f"h{place}", kind="tensor_hook", label=name, source=name)
        for place, name in enumerate(names)
    )
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name=names[0], edges=("e0",), code_text=names[0]),
            NodeRecord(id="n1", name="AccumulateGrad", leaf="t1"),
        ),
        edges=(edge(0, "n0", 0, "n1"),),
        tensors=(
            TensorRecord(id="t0", names=names, node="n0", is_root=True, value=scalar(1)),
            TensorRecord(
                id="t1", names=names[::-1], node="n1", is_leaf=True, value=scalar(1), hooks=hooks
            ),
        ),
    )
    return graph, ()


def square() -> Example:
    """Return y = x * x: two arrows between the same two boxes."""
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="MulBackward0", edges=("e0", "e1")),
            NodeRecord(id="n1", name="AccumulateGrad", leaf="t1"),
        ),
        edges=(edge(0, "n0", 0, "n1"), edge(1, "n0", 1, "n1")),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(9)),
            leaf("t1", "x", "n1"),
        ),
    )
    three = scalar(3)
    events = (
        StartEvent(index=0, tensor="y", outgoing=scalar(1)),
        NodeEvent(index=1, node="n0", incoming=(scalar(1),), outgoing=(three, three)),
        AccumulateEvent(index=2, tensor="x", node="n1", incoming=scalar(6)),
    )
    return graph, events


def lonely_leaf() -> Example:
    """Return a root that is a leaf: no function at all."""
    node = NodeRecord(id="n0", name="AccumulateGrad", leaf="t0")
    root = TensorRecord(
        id="t0", names=("w",), node="n0", is_leaf=True, is_root=True, value=scalar(2)
    )
    return GraphRecord(nodes=(node,), tensors=(root,)), ()


def unbound() -> Example:
    """Return y = u * w for u, v, w = x.unbind(): v is unused."""
    graph = GraphRecord(
        nodes=(
            NodeRecord(id="n0", name="MulBackward0", edges=("e0", "e1")),
            NodeRecord(id="n1", name="UnbindBackward0", edges=("e2",), num_outputs=3),
            NodeRecord(id="n2", name="AccumulateGrad", leaf="t4"),
        ),
        edges=(
            edge(0, "n0", 0, "n1"),
            EdgeRecord(id="e1", source="n0", source_index=1, target="n1", input_nr=2),
            edge(2, "n1", 0, "n2"),
        ),
        tensors=(
            TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(3)),
            TensorRecord(id="t1", names=("u",), node="n1", output_nr=0, value=scalar(1)),
            TensorRecord(id="t2", names=("v",), node="n1", output_nr=1, value=scalar(2)),
            TensorRecord(id="t3", node="n1", output_nr=2, value=scalar(3)),
            TensorRecord(id="t4", names=("x",), node="n2", is_leaf=True, value=vector(1, 2, 3)),
        ),
    )
    return graph, ()


def ladder(rungs: int) -> Example:
    """Return a chain of `rungs` products, each with a leaf of its own and one shared by all."""
    nodes: list[NodeRecord] = []
    edges = []
    tensors = [TensorRecord(id="t0", names=("y",), node="n0", is_root=True, value=scalar(1))]
    shared = f"n{2 * rungs}"
    for rung in range(rungs):
        node, own = f"n{rung}", f"n{rungs + rung}"
        targets = [own, shared] if rung == rungs - 1 else [own, shared, f"n{rung + 1}"]
        made = [edge(len(edges) + place, node, place, to) for place, to in enumerate(targets)]
        edges += made
        nodes.append(
            NodeRecord(id=node, name="AddcmulBackward0", edges=tuple(one.id for one in made))
        )
        tensors.append(leaf(f"t{rung + 1}", f"w{rung}", own))
    for place in range(rungs):
        nodes.append(
            NodeRecord(id=f"n{rungs + place}", name="AccumulateGrad", leaf=f"t{place + 1}")
        )
    nodes.append(NodeRecord(id=shared, name="AccumulateGrad", leaf=f"t{rungs + 1}"))
    tensors.append(leaf(f"t{rungs + 1}", "shared", shared))
    return GraphRecord(nodes=tuple(nodes), edges=tuple(edges), tensors=tuple(tensors)), ()
