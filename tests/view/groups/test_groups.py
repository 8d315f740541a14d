from __future__ import annotations

import time

import pytest
import torch
from msgspec.structs import replace
from torch import nn

import hookviz
from hookviz._records import CallRecord, GraphRecord, ModuleRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.folding import MOST_REPEATS
from hookviz._view.groups.start import MOST_AT_START, MOST_OPEN, all_expanded, start_expanded
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.text.message import render
from tests.view.boxes import HandWritten, Tower, hooked_module, sum_net
from tests.view.example import second_example
from tests.view.graphs import chain
from tests.view.watched import watched


def tower(blocks: int) -> GraphRecord:
    model = Tower(blocks)
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    return watch.graph_of(loss)


def without_modules(graph: GraphRecord) -> GraphRecord:
    nodes = tuple(replace(node, call=None) for node in graph.nodes)
    return replace(graph, nodes=nodes, calls=(), modules=())


def outline(tree: GroupTree, around: str = TOP, depth: int = 2) -> list[object]:
    """Return the groups as nested lists of titles."""
    found: list[object] = []
    for group in tree.inner(around):
        found.append(f"{render(group.title, 'en')} ×{group.count}")
        inside = outline(tree, group.id, depth - 1) if depth > 1 else []
        if inside:
            found.append(inside)
    return found


def assert_whole(graph: GraphRecord, tree: GroupTree) -> None:
    """Check that every function is in exactly one place, and that every place can be reached."""
    leaves = {tensor.node for tensor in graph.tensors if tensor.is_leaf}
    placed: list[str] = []
    waiting = list(tree.top)
    while waiting:
        item = waiting.pop()
        if item in tree.groups:
            waiting += tree.groups[item].items
        else:
            placed.append(item)
    assert sorted(placed) == sorted(node.id for node in graph.nodes if node.id not in leaves)


def test_a_graph_without_modules_has_no_boxes_when_it_is_small() -> None:
    graph, _ = second_example()
    assert group_tree(graph).groups == {}


def test_calls_are_nested_as_they_were_made() -> None:
    tree = group_tree(tower(2))
    assert outline(tree, depth=3) == [
        "model ×1",
        ["begin ×1", "blocks ×1", ["blocks.0 ×1", "blocks.1 ×1"], "end ×1"],
    ]


def test_blocks_that_are_alike_are_one_box_with_their_count() -> None:
    graph = tower(6)
    tree = group_tree(graph)
    assert outline(tree, depth=4) == [
        "model ×1",
        [
            "begin ×1",
            "blocks ×1",
            ["blocks.0 … 5 ×6", [f"blocks.{i} ×1" for i in range(6)]],
            "end ×1",
        ],
    ]
    (fold,) = [group for group in tree.groups.values() if group.kind == "fold"]
    assert (fold.id, fold.type, fold.count) == ("g0", "Block", 6)
    assert_whole(graph, tree)


def test_blocks_of_another_structure_are_not_folded_with_the_others() -> None:
    model = Tower(6)
    model.blocks[2].down = nn.Sequential(nn.Linear(6, 3), nn.Identity())
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    tree = group_tree(watch.graph_of(loss))
    (blocks,) = [group for group in tree.groups.values() if group.name == "blocks"]
    assert outline(tree, blocks.id, depth=1) == [
        "blocks.0 ×1",
        "blocks.1 ×1",
        "blocks.2 ×1",
        "blocks.3 … 5 ×3",
    ]


@pytest.mark.parametrize("steps", [8, 25, 100])
def test_a_loop_written_out_by_hand_is_one_box_with_the_number_of_its_steps(steps: int) -> None:
    model = HandWritten()
    with watched(model) as watch:
        loss = model(torch.ones(steps, 1, 2)).sum()
    graph = watch.graph_of(loss)
    for seen in (graph, without_modules(graph)):
        tree = group_tree(seen)
        folds = [group for group in tree.groups.values() if group.kind == "fold"]
        assert [fold.count for fold in folds] == [steps]
        assert folds[0].size == steps * 5
        assert_whole(seen, tree)


def test_the_repetitions_of_a_fold_are_boxes_and_many_stand_in_ranges_of_ten() -> None:
    few = group_tree(without_modules(tower(MOST_REPEATS)))
    (fold,) = [group for group in few.groups.values() if group.kind == "fold"]
    assert len(fold.items) == fold.count
    assert {few.groups[item].kind for item in fold.items} == {"repeat"}
    many = group_tree(chain(2_000)[0])
    (fold,) = [group for group in many.groups.values() if group.kind == "fold"]
    titles = [render(many.groups[item].title, "en") for item in fold.items]
    assert titles[:2] == ["1 … 100", "101 … 200"]
    assert len(titles) == 20
    inside = many.groups[fold.items[1]]
    assert [many.groups[item].first for item in inside.items] == list(range(101, 201, 10))


def test_a_long_graph_in_which_nothing_repeats_is_divided_into_stretches() -> None:
    x = torch.ones((), requires_grad=True)
    y = x
    functions = [torch.sin, torch.exp, torch.tanh, torch.sigmoid, torch.cos]
    for i in range(200):
        y = functions[(i * i + i // 7) % 5](y) * 1.1 if i % 3 else functions[i % 5](y)
    graph = hookviz.capture(y)
    tree = group_tree(graph)
    assert len(tree.top) <= 15
    assert {tree.groups[item].kind for item in tree.top} <= {"stretch", "fold"}
    assert_whole(graph, tree)


def test_no_box_needs_what_comes_after_it() -> None:
    """Boxes of consecutive items never feed each other in a circle."""
    graph = without_modules(tower(9))
    tree = group_tree(graph)
    for around in (TOP, *tree.groups):
        places = {item: place for place, item in enumerate(tree.items(around))}
        for edge in graph.edges:
            if edge.source not in tree.owner or edge.target not in tree.owner:
                continue
            source = [k for k in (*tree.chain(tree.owner[edge.source]), edge.source) if k in places]
            target = [k for k in (*tree.chain(tree.owner[edge.target]), edge.target) if k in places]
            if source and target:
                assert places[target[0]] <= places[source[0]]


def test_a_parameter_belongs_where_it_is_used_and_an_input_stays_outside() -> None:
    x = torch.ones(4, 2, requires_grad=True)
    model = Tower(2)
    with watched(model) as watch:
        loss = model(x).sum()
    graph = watch.graph_of(loss)
    tree = group_tree(graph)
    for tensor in graph.tensors:
        owner = tree.owner.get(tensor.node, TOP)
        if tensor.module is not None:
            call = tree.groups[owner].call
            assert call is not None
            assert call.module == tensor.module
        elif tensor.is_leaf:
            assert owner == TOP


def test_nodes_of_backward_hooks_are_in_their_box_and_never_drawn() -> None:
    graph, _ = hooked_module()
    tree = group_tree(graph)
    assert tree.through == {"n1", "n3"}
    assert tree.groups["k0"].size == 1


def test_a_call_that_left_nothing_has_a_box_only_if_there_is_something_to_see() -> None:
    graph, _ = second_example()
    plain = ModuleRecord(id="m0", name="drop", type="Dropout")
    graph = replace(graph, modules=(plain,), calls=(CallRecord(id="k0", module="m0"),))
    assert group_tree(graph).groups == {}
    assert group_tree(graph).call_of("drop", 0) == TOP
    hooked = replace(plain, hooks=sum_net()[0].modules[0].hooks)
    assert set(group_tree(replace(graph, modules=(hooked,))).groups) == {"k0"}


def test_the_same_graph_gives_the_same_boxes() -> None:
    assert group_tree(tower(6)).groups == group_tree(tower(6)).groups


def test_a_call_of_a_module_that_the_graph_lacks_is_left_out() -> None:
    graph, _ = second_example()
    nodes = (replace(graph.nodes[0], call="k9"), *graph.nodes[1:])
    graph = replace(graph, nodes=nodes, calls=(CallRecord(id="k9", module="m9"),))
    assert group_tree(graph).groups == {}


# -- which boxes are open at the start ----------------------------------------------------------


def test_a_small_model_starts_open() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    with watched(model) as watch:
        loss = model(torch.ones(4, 2)).sum()
    graph = watch.graph_of(loss)
    tree = group_tree(graph)
    assert set(start_expanded(graph, tree)) == set(tree.groups)


def test_a_deep_model_starts_with_its_outline() -> None:
    graph = tower(12)
    tree = group_tree(graph)
    opened = start_expanded(graph, tree)
    assert [tree.groups[key].name for key in opened] == ["model", "blocks"]


def test_a_hook_of_the_reader_is_in_sight_at_the_start() -> None:
    graph = tower(12)
    hook = sum_net()[0].modules[0].hooks[0]
    modules = tuple(
        replace(module, hooks=(hook,)) if module.name == "blocks.7.down" else module
        for module in graph.modules
    )
    graph = replace(graph, modules=modules)
    tree = group_tree(graph)
    opened = start_expanded(graph, tree)
    around = tree.groups[tree.call_of("blocks.7.down", 0)].parent
    assert tree.groups[around].name == "blocks.7"
    assert set(tree.chain(around)) <= set(opened)


@pytest.mark.parametrize("blocks", [3, 12, 60])
def test_no_start_is_more_than_can_be_read(blocks: int) -> None:
    for graph in (tower(blocks), without_modules(tower(blocks)), chain(100 * blocks)[0]):
        tree = group_tree(graph)
        opened = start_expanded(graph, tree)
        shown = sum(len(tree.items(key)) for key in (TOP, *opened)) - len(opened)
        assert shown <= MOST_AT_START


def test_opening_everything_ends_where_it_could_not_be_drawn() -> None:
    graph = chain(2_000)[0]
    tree = group_tree(graph)
    opened = all_expanded(graph, tree)
    assert 0 < len(opened) < len(tree.groups)
    assert sum(len(tree.items(key)) for key in (TOP, *opened)) - len(opened) <= MOST_OPEN
    small, _ = hooked_module()
    assert set(all_expanded(small, group_tree(small))) == {"k0"}


def test_ten_thousand_nodes_are_grouped_at_once() -> None:
    graph = chain(10_000)[0]
    start = time.perf_counter()
    start_expanded(graph, group_tree(graph))
    assert time.perf_counter() - start < 1.5, "it takes about 0.1 s on a quiet machine"
