from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from hookviz._records import HookRecord, TensorRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.layout.geometry import Layout, Rectangle
from hookviz._view.layout.graphviz import lay_out
from hookviz._view.layout.straight import lay_out_straight
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.leaf_uses import (
    MOST_LEAVES_OF_A_BOX,
    MOST_SHARED_USES,
    MOST_USES_BY_BOXES,
    Uses,
)
from hookviz._view.scene.module_box import measure_box
from hookviz._view.scene.panel import STACK, Panel
from hookviz._view.scene.scene import FRAME_PADDING, FunctionShape, Scene
from hookviz._view.scene.value_card import VALUE_STYLE, measure_value
from hookviz._view.steps.steps import build_steps
from tests.view.boxes import HandWritten, Tower, fan, hooked_module, sum_net
from tests.view.example import scalar, second_example
from tests.view.graphs import Example, chain
from tests.view.watched import watched


@dataclass
class Patched:
    patches: list[tuple[str, str, str]]


def scene_with(example: Example, expanded: Collection[str] | None) -> Scene:
    graph, events = example
    return build_scene(graph, Fields(build_steps(graph, events), 0), expanded=expanded)


def arrows(scene: Scene) -> list[str]:
    """Return every connector as `sender > receiver: keys`."""
    names = {frame.id: frame.head.key for frame in scene.frames}
    for box in scene.boxes:
        content = box.content
        is_titled = isinstance(content, Panel) and content.tensor is not None
        names[box.id] = content.title if is_titled else content.key
    return [
        f"{names[arrow.tail]} > {names[arrow.head]}: {' '.join(arrow.keys)}"
        for arrow in scene.connectors
    ]


def tower(blocks: int = 2) -> Example:
    model = Tower(blocks)
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    return watch.example(loss)


def test_a_closed_box_stands_for_what_is_in_it() -> None:
    scene = scene_with(fan(), ())
    assert arrows(scene) == ["y > n0: t0", "n0 > k0: e0 e1", "k0 > x: e2"]
    assert scene.frames == ()


def test_an_open_box_is_a_frame_around_what_is_in_it() -> None:
    scene = scene_with(fan(), ("k0",))
    assert arrows(scene) == ["y > n0: t0", "n0 > n1: e0", "n0 > n1: e1", "n1 > x: e2"]
    (frame,) = scene.frames
    inside = [box.content for box in scene.boxes if box.frame == frame.id]
    assert [shape.node.id for shape in inside if isinstance(shape, FunctionShape)] == ["n1"]
    assert len(inside) == 1, "x was given to the module, so it stands outside"


def test_a_parameter_used_only_in_a_closed_box_is_not_drawn() -> None:
    assert [card.title for card in scene_with(hooked_module(), ()).cards] == ["y", "x"]
    scene = scene_with(hooked_module(), ("k0",))
    assert [card.title for card in scene.cards] == ["y", "scale.w", "x"]
    (parameter,) = [box for box in scene.boxes if getattr(box.content, "title", "") == "scale.w"]
    assert parameter.frame == scene.frames[0].id


def test_arrows_pass_through_the_nodes_of_backward_hooks() -> None:
    assert arrows(scene_with(hooked_module(), ("k0",))) == [
        "y > n0: t0",
        "n0 > n2: e1",
        "n2 > x: e4",
        "n2 > scale.w: e3",
    ]
    assert arrows(scene_with(hooked_module(), ())) == [
        "y > n0: t0",
        "n0 > k0: e0",
        "k0 > x: e4",
    ]


def test_a_module_that_is_the_root_itself_is_fed_by_the_root() -> None:
    graph, _ = hooked_module()
    root = replace(graph.tensors[0], node="n1")
    graph = replace(
        graph, nodes=graph.nodes[1:], edges=graph.edges[1:], tensors=(root, *graph.tensors[1:])
    )
    assert arrows(scene_with((graph, ()), ("k0",)))[0] == "y > n2: t0"
    assert arrows(scene_with((graph, ()), ()))[0] == "y > k0: t0"


def test_the_output_of_a_module_stands_between_the_modules_and_not_inside() -> None:
    first, second = nn.Linear(2, 3), nn.Linear(3, 1)
    model = nn.Sequential(first, second)
    with watched(model) as watch:
        middle = first(torch.ones(4, 2))
        inner = second(middle)
    graph, events = watch.example(inner.sum(), middle=middle)
    scene = scene_with((graph, events), ())
    assert {"k1 > middle", "middle > k0"} <= {arrow.split(":")[0] for arrow in arrows(scene)}
    opened = scene_with((graph, events), ("k0", "k1"))
    (card,) = [box for box in opened.boxes if getattr(box.content, "title", "") == "middle"]
    assert card.frame == ""


def test_a_named_tensor_inside_a_closed_box_is_hidden_with_it() -> None:
    class Named(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen = x * 2
            return self.seen + 1

    model = Named()
    with watched(model) as watch:
        loss = model(torch.ones(2, requires_grad=True)).sum()
    example = watch.example(loss, seen=model.seen)
    titles = [card.title for card in scene_with(example, ()).cards]
    assert "seen" not in titles
    assert "seen" in [card.title for card in scene_with(example, ("k0",)).cards]


def test_weights_shared_by_the_steps_of_a_loop_stay_readable() -> None:
    leaves = [torch.ones(2, 2, requires_grad=True) for _ in range(2)]
    state = torch.zeros(1, 2)
    for _ in range(40):
        state = torch.tanh(torch.ones(1, 2) @ leaves[0] + state @ leaves[1])
    watch = watched(nn.Identity())
    with watch as seen:
        loss = state.sum()
    example = seen.example(loss, a=leaves[0], b=leaves[1])
    tree = group_tree(example[0])
    (fold,) = [group for group in tree.groups.values() if group.kind == "fold"]
    closed = scene_with(example, ())
    assert [card.title for card in closed.cards] == ["loss", "a", "b"]
    assert f"{fold.id} > a" in {arrow.split(":")[0] for arrow in arrows(closed)}
    ranges = scene_with(example, (fold.id,))
    assert len([box for box in ranges.boxes if getattr(box.content, "group", None)]) == 4
    steps = scene_with(example, (fold.id, *fold.items))
    assert [card.title for card in steps.cards] == ["loss"], "they are inside each of the steps"
    one_step = scene_with(example, (fold.id, *fold.items, tree.groups[fold.items[0]].items[0]))
    assert sorted(card.title for card in one_step.cards) == ["a", "b", "loss"]


def test_a_box_that_uses_many_leaves_alone_hides_them_but_not_one_with_a_hook() -> None:
    leaves = [torch.ones((), requires_grad=True) for _ in range(30)]
    total = torch.ones(())
    for leaf in leaves:
        total = torch.tanh(total * leaf)
    with watched(nn.Identity()) as watch:
        loss = total * 1
    graph, events = watch.example(loss)
    (fold,) = [group for group in group_tree(graph).groups.values() if group.kind == "fold"]
    assert len(scene_with((graph, events), ()).cards) == 1
    hook = HookRecord(id="h0", kind="tensor_hook", label="f")
    tensors = (*graph.tensors[:-1], replace(graph.tensors[-1], hooks=(hook,)))
    hooked = replace(graph, tensors=tensors)
    assert len(scene_with((hooked, events), ()).cards) == 2
    assert fold.count > MOST_LEAVES_OF_A_BOX


@pytest.mark.parametrize(
    ("functions", "boxes", "is_parameter", "cards"),
    [
        (1, 0, False, 1),
        (MOST_SHARED_USES, 0, True, 1),
        (MOST_SHARED_USES + 1, 0, True, MOST_SHARED_USES + 1),
        (1, 2, True, 1),
        (0, 2, True, 0),
        (0, 2, False, 1),
        (0, MOST_USES_BY_BOXES, False, MOST_USES_BY_BOXES),
        (0, MOST_USES_BY_BOXES + 1, False, 0),
        (2, MOST_USES_BY_BOXES + 1, False, 2),
        (0, 0, True, 1),
    ],
)
def test_how_often_a_leaf_is_drawn(
    functions: int, boxes: int, is_parameter: bool, cards: int
) -> None:
    uses = Uses((True,) * functions + (False,) * boxes, is_parameter=is_parameter)
    count, places = uses.copies()
    assert count == cards
    assert {place for place in places if place is not None} <= set(range(count))


def test_a_fold_has_room_for_the_sheets_behind_it() -> None:
    graph, events = chain(30)
    fields = Fields(build_steps(graph, events), 0)
    (fold,) = [group for group in group_tree(graph).groups.values() if group.kind == "fold"]
    several = measure_box(fold, fields, can_open=True)
    single = measure_box(replace(fold, kind="repeat", count=1), fields, can_open=True)
    assert several.height == single.height + 2 * STACK


def test_a_forward_without_a_graph_shows_what_went_in_and_what_came_out() -> None:
    scene = scene_with(sum_net(), None)
    assert scene.is_forward
    assert arrows(scene) == [
        "k0.i0 > k0: k0.i0",
        "k0.i1 > k0: k0.i1",
        "k0.i2 > k0: k0.i2",
        "k0 > k0.o0: k0.o0",
    ]


def test_a_value_that_a_hook_made_much_longer_takes_a_second_line() -> None:
    long = "[2, 3]: 1.38001, …"
    patches = [("k0.i0", "incoming", long), ("k0.i0", "rewritten", long)]
    plain = measure_value("k0.i0", "args[0]", Fields([Patched(patches[:1])], 0))
    changed = measure_value("k0.i0", "args[0]", Fields([Patched(patches)], 0))
    assert changed.rows[0].is_wrapped
    assert changed.height > plain.height
    assert changed.width <= VALUE_STYLE.longest


def test_calls_without_a_graph_stand_in_the_order_in_which_they_were_made() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with watched(model) as watch, torch.no_grad():
        model(torch.ones(4, 2))
    scene = scene_with(watch.forward_alone(), None)
    assert arrows(scene) == [
        "k0.i0 > k0: k0.i0",
        "k0 > k0.o0: k0.o0",
        "k1 > k2: k1",
        "k2 > k3: k2",
    ]


def test_an_empty_recording_has_nothing_to_draw_and_does_not_fail() -> None:
    graph, _ = sum_net()
    scene = scene_with((replace(graph, calls=(), modules=()), ()), None)
    assert (scene.boxes, scene.connectors) == ((), ())


def test_a_tensor_that_is_never_reached_is_drawn_although_boxes_are_closed() -> None:
    graph, events = hooked_module()
    lost = TensorRecord(id="t9", names=("lost",), node="", value=scalar(1))
    scene = scene_with((replace(graph, tensors=(*graph.tensors, lost)), events), ())
    assert "lost" in [card.title for card in scene.cards]


# -- places -------------------------------------------------------------------------------------


def everything(example: Example) -> list[tuple[Example, Collection[str] | None]]:
    tree = group_tree(example[0])
    halves = [group_id for group_id in tree.groups if len(tree.chain(group_id)) < 3]
    return [(example, None), (example, ()), (example, halves), (example, list(tree.groups))]


def recurrent() -> Example:
    model = HandWritten()
    with watched(model) as watch:
        loss = model(torch.ones(6, 1, 2)).sum()
    return watch.example(loss)


def without_grad() -> Example:
    model = Tower(3)
    with watched(model) as watch, torch.no_grad():
        model(torch.ones(4, 2))
    return watch.forward_alone()


CASES = [
    case
    for example in (
        second_example(),
        fan(),
        hooked_module(),
        sum_net(),
        chain(60),
        tower(2),
        tower(5),
        recurrent(),
        without_grad(),
    )
    for case in everything(example)
]


def assert_contained(scene: Scene, found: Layout) -> None:
    """Check that frames hold exactly what is in them, and that nothing overlaps."""
    frames = {frame.id: frame for frame in scene.frames}
    around = {item.id: item.frame for item in (*scene.boxes, *scene.frames)}

    def chain_of(item: str) -> list[str]:
        found_: list[str] = []
        while item := around[item]:
            found_.append(item)
        return found_

    places = dict(found.frames)
    for box in scene.boxes:
        x, y = found.centers[box.id]
        places[box.id] = Rectangle(
            x - box.width / 2, y - box.height / 2, x + box.width / 2, y + box.height / 2
        )
    for item, place in places.items():
        for frame in chain_of(item):
            outer = places[frame]
            # Below its head, and with a little room on every side.
            head = frames[frame].head.height
            assert place.left >= outer.left + 3
            assert place.right <= outer.right - 3
            assert place.top >= outer.top + head
            assert place.bottom <= outer.bottom - 3
    for item, place in places.items():
        for other, area in places.items():
            if item < other and other not in chain_of(item) and item not in chain_of(other):
                assert place.overlap(area) == 0, (item, other)
    for frame in scene.frames:
        place = places[frame.id]
        assert place.right - place.left >= frame.head.width
        assert place.left >= 0
        assert place.right <= found.width
        assert place.bottom <= found.height
    assert set(found.routes) == {connector.id for connector in scene.connectors}


@pytest.mark.parametrize(("example", "expanded"), CASES)
def test_frames_hold_what_is_in_them_and_nothing_else(
    example: Example, expanded: Collection[str] | None
) -> None:
    scene = scene_with(example, expanded)
    found = lay_out(scene)
    assert not found.is_rescue
    assert_contained(scene, found)


@pytest.mark.parametrize(("example", "expanded"), CASES)
def test_frames_hold_what_is_in_them_also_without_graphviz(
    example: Example, expanded: Collection[str] | None
) -> None:
    scene = scene_with(example, expanded)
    assert_contained(scene, lay_out_straight(scene))


def test_the_head_of_a_frame_fits_above_its_content() -> None:
    scene = scene_with(hooked_module(), ("k0",))
    (frame,) = scene.frames
    assert [row.kind for row in frame.head.rows] == [
        "input",
        "output",
        "grad_output",
        "hook",
        "grad_input",
        "hook",
    ]
    place = lay_out(scene).frames[frame.id]
    assert place.bottom - place.top > frame.head.height + 2 * FRAME_PADDING
