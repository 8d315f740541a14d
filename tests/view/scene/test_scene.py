from __future__ import annotations

import pytest
from msgspec import structs
from msgspec.structs import replace

from hookviz._records import EdgeRecord, GraphRecord, HookRecord, NodeRecord, TensorRecord
from hookviz._view.groups.function_symbol import function_symbol
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.card import CARD_STYLE
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.panel import Panel
from hookviz._view.scene.ranks import find_ranks, fits_sideways
from hookviz._view.scene.scene import FunctionShape, Scene
from hookviz._view.steps.steps import build_steps
from hookviz._view.text.width import clean, cut, width_in_em
from tests.view.drawing import ladder, lonely_leaf, scene_of, square, unbound
from tests.view.example import plain_example, scalar, second_example
from tests.view.graphs import chain, shared_leaf


def arrows(scene: Scene) -> list[str]:
    """Return every connector as `sender > receiver`."""
    names = {
        box.id: box.content.title if isinstance(box.content, Panel) else box.content.node.id
        for box in scene.boxes
    }
    return [f"{names[arrow.tail]} > {names[arrow.head]}" for arrow in scene.connectors]


def card_of(scene: Scene, title: str) -> Panel:
    return next(card for card in scene.cards if card.title == title)


def test_a_named_tensor_stands_between_who_sends_and_its_function() -> None:
    assert arrows(scene_of(second_example())) == [
        "e > n0",
        "c > n1",
        "n0 > c",
        "n0 > d",
        "n1 > a",
        "n1 > b",
    ]


def test_cards_stand_in_the_order_of_the_tensors_for_the_tab_key() -> None:
    assert [card.title for card in scene_of(second_example()).cards] == ["e", "c", "d", "a", "b"]


def test_a_leaf_has_no_function_of_its_own() -> None:
    shapes = [box.content for box in scene_of(second_example()).boxes]
    names = [shape.node.name for shape in shapes if isinstance(shape, FunctionShape)]
    assert names == ["MulBackward0", "MulBackward0"]


def test_an_unnamed_slot_without_hooks_has_no_card() -> None:
    scene = scene_of(unbound())
    assert "n0 > n1" in arrows(scene)
    assert "t3" not in {card.key for card in scene.cards}


def test_a_hook_alone_earns_a_tensor_a_card() -> None:
    graph, events = unbound()
    hook = HookRecord(id="h0", kind="tensor_hook", label="f")
    tensors = [
        replace(tensor, hooks=(hook,)) if tensor.id == "t3" else tensor for tensor in graph.tensors
    ]
    scene = scene_of((replace(graph, tensors=tuple(tensors)), events))
    assert "n0 > t3" in arrows(scene)


def test_slots_of_a_function_with_many_outputs_stay_apart_and_are_numbered() -> None:
    scene = scene_of(unbound())
    slots = [(arrow.keys[0], arrow.slot) for arrow in scene.connectors if arrow.slot is not None]
    assert sorted(slots) == [("e1", 2), ("t1", 0), ("t2", 1)]


def test_two_tensors_on_one_slot_pass_the_gradient_on() -> None:
    graph, events = second_example()
    view = TensorRecord(id="t9", names=("view",), node="n1", value=scalar(6), shares_slot_with="t1")
    scene = scene_of((replace(graph, tensors=(*graph.tensors, view)), events))
    assert {"n0 > c", "c > view", "view > n1"} <= set(arrows(scene))


def test_a_leaf_used_three_times_is_drawn_once() -> None:
    scene = scene_of(shared_leaf())
    assert [card.title for card in scene.cards] == ["y", "x"]
    assert arrows(scene).count("n1 > x") == 2


def test_a_leaf_used_more_often_is_drawn_once_per_use_under_one_key() -> None:
    scene = scene_of(ladder(5))
    copies = [card for card in scene.cards if card.title == "shared"]
    assert [copy.use for copy in copies] == [0, 1, 2, 3, 4]
    assert {copy.key for copy in copies} == {"t6"}
    heads = [arrow.head for arrow in scene.connectors]
    assert len(heads) == len(set(heads)), "every copy has one arrow of its own"


def test_a_root_that_is_a_leaf_is_one_card() -> None:
    scene = scene_of(lonely_leaf())
    assert (len(scene.boxes), scene.connectors) == (1, ())


def test_an_edge_to_what_is_not_in_the_graph_is_left_out() -> None:
    graph, events = square()
    stray = EdgeRecord(id="e9", source="n0", source_index=2, target="n9", input_nr=0)
    assert len(scene_of((replace(graph, edges=(*graph.edges, stray)), events)).connectors) == 3


def test_a_short_graph_goes_sideways_and_a_long_one_down() -> None:
    assert scene_of(second_example()).is_sideways
    assert not scene_of(chain(20)).is_sideways


def test_a_drawing_too_wide_to_read_goes_down_although_it_is_short() -> None:
    pair = [("a", "b")]
    assert fits_sideways({"a": 200, "b": 200}, pair, 50)
    assert not fits_sideways({"a": 500, "b": 500}, pair, 50)


def test_ranks_count_the_longest_way_and_survive_a_cycle() -> None:
    assert find_ranks("abc", [("a", "b"), ("b", "c"), ("a", "c")]) == [["a"], ["b"], ["c"]]
    assert find_ranks("ab", [("a", "b"), ("b", "a")]) is None
    assert not fits_sideways({"a": 1, "b": 1}, [("a", "b"), ("b", "a")], 1)


def test_a_card_keeps_its_size_at_every_step() -> None:
    graph, events = second_example()
    steps = build_steps(graph, events)
    sizes = {
        tuple((card.width, card.height) for card in build_scene(graph, Fields(steps, step)).cards)
        for step in range(len(steps))
    }
    assert len(sizes) == 1


def test_a_card_has_a_row_for_each_hook_in_the_order_in_which_things_happen() -> None:
    graph, events = second_example()
    post = HookRecord(id="h9", kind="post_accumulate_hook", label="after")
    tensors = [
        replace(tensor, hooks=(*tensor.hooks, post)) if tensor.names == ("d",) else tensor
        for tensor in graph.tensors
    ]
    rows = card_of(scene_of((replace(graph, tensors=tuple(tensors)), events)), "d").rows
    assert [row.kind for row in rows] == ["value", "gradient", "hook", "grad", "hook"]
    assert [row.number for row in rows if row.hook] == [1, 2]
    tops = [row.top for row in rows]
    assert tops == sorted(tops)


def test_hooks_make_a_card_taller() -> None:
    with_hooks = card_of(scene_of(second_example()), "c").height
    assert with_hooks > card_of(scene_of(plain_example()), "c").height


def test_a_name_of_ten_thousand_characters_does_not_make_the_card_wide() -> None:
    graph, events = lonely_leaf()
    root = replace(graph.tensors[0], names=("n" * 10_000,))
    card = scene_of((replace(graph, tensors=(root,)), events)).cards[0]
    assert card.width == CARD_STYLE.longest
    assert card.is_role_below


def test_a_long_hook_result_takes_a_second_line() -> None:
    graph, events = second_example()
    hook = events[1]
    assert hook.hook is not None
    label = replace(hook.hook, label="lambda grad: grad.clamp(-0.333333, 1)")
    long = scalar(-1.23456e-05)
    events = (
        events[0],
        structs.replace(hook, hook=label, incoming=long, outgoing=scalar(-9.87654e-07)),
    )
    root = replace(graph.tensors[0], hooks=(label,))
    scene = scene_of((replace(graph, tensors=(root, *graph.tensors[1:])), events))
    row = next(row for row in card_of(scene, "e").rows if row.hook)
    assert row.is_wrapped
    assert card_of(scene, "e").width <= CARD_STYLE.longest


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("MulBackward0", "×"),
        ("SumBackward1", "Σ"),
        ("UnbindBackward0", "Unbind"),
        ("MulBackward", "Mul"),
        ("torch::autograd::CopySlices", "torch::autograd::C…"),
        ("Backward", "Backward"),
    ],
)
def test_a_sign_stands_only_for_functions_of_pytorch_itself(name: str, symbol: str) -> None:
    if name.startswith("torch::"):
        assert function_symbol(name).startswith("torch::autograd::")
        assert width_in_em(function_symbol(name)) <= 13.0
    else:
        assert function_symbol(name) == symbol


def test_a_node_without_edges_is_still_drawn() -> None:
    root = TensorRecord(id="t0", node="n0", is_root=True, value=scalar(1))
    graph = GraphRecord(nodes=(NodeRecord(id="n0", name="OddBackward0"),), tensors=(root,))
    assert arrows(scene_of((graph, ()))) == ["t0 > n0"]


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 1.8), ("梯度", 2), ("e\u0301", 0.6), ("a梯", 1.6)]
)
def test_width_is_one_em_for_a_wide_character_and_less_for_others(text: str, width: float) -> None:
    assert width_in_em(text) == pytest.approx(width)


def test_a_cut_text_fits_and_says_that_it_was_cut() -> None:
    assert cut("abcdef", 3.6) == "abcdef"
    assert cut("abcdef", 3.0) == "abcd…"
    assert width_in_em(cut("梯度" * 9, 5)) <= 5


def test_clean_text_is_one_line_that_xml_can_hold() -> None:
    assert clean("a\r\nb\tc") == "a b c"
    assert clean("\x00\x1b\ud800\u202e\uffff") == "\ufffd" * 5
