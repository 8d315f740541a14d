"""What a saved page keeps for any open boxes, against what is drawn and told with them open."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterator, Sequence
from xml.etree import ElementTree

import pytest

import hookviz
from hookviz._records import GraphRecord
from hookviz._view.groups.find import group_tree
from hookviz._view.groups.start import all_expanded, start_expanded
from hookviz._view.groups.tree import TOP, GroupTree
from hookviz._view.layout.cut import cut_route
from hookviz._view.layout.geometry import Rectangle, Route
from hookviz._view.saved import answers as kept
from hookviz._view.saved.box_map import BoxMap, box_map
from hookviz._view.saved.openings import map_openings, openings, seen_open
from hookviz._view.saved.stops import KeptStop, kept_stops
from hookviz._view.scene.scene import Connector, Scene
from hookviz._view.steps.steps import build_steps
from hookviz._view.steps.stops import Stop
from hookviz._view.svg.picture import Drawn
from tests.nets import NETS

Parts = set[tuple[str, str, str]]


@pytest.fixture(params=NETS)
def trace(request: pytest.FixtureRequest) -> hookviz.Trace:
    return hookviz.record(NETS[request.param]())


def drawn_of(trace: hookviz.Trace) -> Drawn:
    return Drawn(
        trace.graph, build_steps(trace.graph, trace.events), group_tree(trace.graph), trace.events
    )


def combinations(tree: GroupTree, count: int) -> Iterator[list[str]]:
    """Yield random sets of open boxes, few and many."""
    chance = random.Random(0)
    for _ in range(count):
        share = chance.choice((0.3, 0.6, 0.9))
        yield [box for box in tree.groups if chance.random() < share]


def parts_of(elements: Iterator[ElementTree.Element]) -> Parts:
    """Return what is drawn: boxes with whether they are open, cards, functions, arrows by edge."""
    found: Parts = set()
    for element in elements:
        kind, _, rest = (element.get("class") or "").partition(" ")
        if kind in ("hv-card", "hv-module", "hv-function", "hv-edge"):
            keys = element.get("data-hv-keys") or element.get("data-hv-key") or ""
            found |= {(kind, key, rest) for key in keys.split()}
        elif kind == "hv-feed":
            found.add((kind, element.get("data-hv-feed", ""), ""))
    return found


def seen_on(drawn: BoxMap, tree: GroupTree, expanded: list[str]) -> Parts:
    opened = set(seen_open(tree, expanded))
    return parts_of(
        part.drawn
        for part in drawn.parts
        if opened.issuperset(part.opened) and opened.isdisjoint(part.closed)
    )


def test_a_map_shows_what_is_drawn_with_any_boxes_open(trace: hookviz.Trace) -> None:
    drawn = drawn_of(trace)
    tree = drawn.tree
    whole = box_map(drawn, all_expanded(trace.graph, tree))
    assert whole is not None
    for expanded in combinations(tree, 40):
        picture = drawn.picture_for_page(expanded)
        assert seen_on(whole, tree, expanded) == parts_of(picture.iter()), expanded


def test_smaller_maps_show_it_too(trace: hookviz.Trace) -> None:
    drawn = drawn_of(trace)
    tree = drawn.tree
    maps = list(map_openings(tree, all_expanded(trace.graph, tree)))
    assert seen_open(tree, maps[0]) == seen_open(tree, list(tree.groups))
    for places in maps:
        smaller = box_map(drawn, places)
        assert smaller is not None
        for expanded in combinations(tree, 10):
            inside = [box for box in expanded if box in places]
            picture = drawn.picture_for_page(inside)
            assert seen_on(smaller, tree, inside) == parts_of(picture.iter()), (places, inside)


def stops_with(
    kept: Sequence[KeptStop], tree: GroupTree, expanded: Collection[str]
) -> tuple[Stop, ...]:
    """Return those that are there with these boxes open, as the page finds them."""
    opened = tree.openable(expanded)
    there = [
        stop
        for box, is_open, stop in kept
        if box == TOP
        or ((box in opened) == is_open and all(around in opened for around in tree.chain(box)[:-1]))
    ]
    return tuple(sorted(there, key=lambda stop: stop.step))


def test_the_stops_are_those_with_any_boxes_open(trace: hookviz.Trace) -> None:
    drawn = drawn_of(trace)
    tree = drawn.tree
    found = kept_stops(drawn)
    for expanded in combinations(tree, 60):
        expected = drawn.stops(expanded)
        assert stops_with(found, tree, expanded) == expected, expanded


def connector_ends(graph: GraphRecord, scene: Scene) -> Iterator[tuple[str, str, Connector]]:
    names = {box.id: box.content.key for box in scene.boxes}
    for connector in scene.connectors:
        yield names[connector.tail], names[connector.head], connector


def test_a_leaf_is_joined_to_its_name_inside_a_module_with_backward_hooks() -> None:
    trace = hookviz.record(NETS["SumNet"]())
    drawn = drawn_of(trace)
    tree = drawn.tree
    scene = drawn.scene(list(tree.groups))
    arrows = {(tail, head): c for tail, head, c in connector_ends(trace.graph, scene)}
    leaves = [tensor for tensor in trace.graph.tensors if tensor.is_leaf]
    assert len(leaves) == 3
    for leaf in leaves:
        (arrow,) = (arrow for (_, head), arrow in arrows.items() if head == leaf.id)
        (edge,) = (edge for edge in trace.graph.edges if edge.target == leaf.node)
        # It bears what the hook has left: the value that arrives.
        assert (arrow.kind, arrow.keys) == ("edge", (edge.id,))


def test_combinations_come_once_and_the_likely_ones_first() -> None:
    trace = hookviz.record(NETS["LeNet"]())
    tree = group_tree(trace.graph)
    start = start_expanded(trace.graph, tree)
    everything = all_expanded(trace.graph, tree)
    found = list(openings(tree, start, everything))
    assert found[0] == seen_open(tree, start)
    assert found[1] == seen_open(tree, everything)
    assert found[2] == ()
    assert len(set(found)) == len(found)

    def count(box: str) -> int:
        inner = math.prod(count(group.id) for group in tree.inner(box))
        return inner + 1 if box != TOP and tree.can_open(box) else inner

    assert len(found) == count(TOP) > 500


def test_few_pictures_are_kept_and_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_PICTURES", 9)
    trace = hookviz.record(NETS["LeNet"]())
    drawn = drawn_of(trace)
    tree = drawn.tree
    start = start_expanded(trace.graph, tree)
    data = kept.kept_answers(drawn, start, {})["kept"]
    assert len(data["pictures"]["plain"]) == 9
    assert len(set(data["fragments"])) == len(data["fragments"])
    assert data["passes"] == {}
    for key, (before, after, parts) in data["pictures"]["plain"].items():
        markup = before + "".join(_markup(data["fragments"], part) for part in parts) + after
        whole = drawn.picture(0, lang="en", expanded=key.split())
        assert ElementTree.canonicalize(markup) == ElementTree.canonicalize(whole)


def _markup(fragments: list[str], part: int | list[object]) -> str:
    if isinstance(part, int):
        return fragments[part]
    number, place = part
    assert isinstance(number, int)
    return f'<g transform="translate({place})"{fragments[number][2:]}'


def test_where_there_is_nothing_to_open_or_compare_nothing_is_kept() -> None:
    import torch

    a = torch.tensor(2.0, requires_grad=True)
    trace = hookviz.record(a * 3)
    assert kept.kept_answers(drawn_of(trace), (), {}) == {}


WAY = Route(((0, 0), (0, 10), (0, 20), (0, 30), (0, 50), (0, 70), (0, 90)), (0, 100))
START, END = Rectangle(-10, -10, 10, 20), Rectangle(-10, 80, 10, 200)


def test_a_route_is_cut_at_the_borders_of_two_boxes() -> None:
    assert cut_route(WAY) == WAY
    left = cut_route(WAY, leaves=START)
    assert left.points[0] == (0, 20)
    assert left.tip == WAY.tip
    both = cut_route(WAY, leaves=START, enters=END)
    assert both.points[0] == (0, 20)
    assert both.tip == (0, 80)
    assert both.points[-1][1] == pytest.approx(71, abs=0.2)
    assert (len(both.points) - 1) % 3 == 0


def test_a_route_that_misses_a_box_stays_whole() -> None:
    far = Rectangle(500, 500, 600, 600)
    assert cut_route(WAY, leaves=far).points == WAY.points
    # The last points are the foot of the arrowhead, which then stands at the end of the way.
    assert cut_route(WAY, enters=far).tip == WAY.points[-1]
