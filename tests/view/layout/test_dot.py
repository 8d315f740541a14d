from __future__ import annotations

import re

from hookviz._view.layout.dot import scene_to_dot
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.fields import Fields
from hookviz._view.steps.steps import build_steps
from tests.view.boxes import hooked_module
from tests.view.drawing import ladder, named, scene_of
from tests.view.example import second_example
from tests.view.graphs import chain

HOSTILE = ('"];evil [label="', "<script>", "a\\", "\n}", "__proto__", "שלום", "{rank=same}")


def test_no_text_from_the_user_reaches_dot() -> None:
    dot = scene_to_dot(scene_of(named(*HOSTILE)))
    for line in dot.splitlines():
        assert re.fullmatch(r"[\w\s\[\]=.\"\->{}:]*", line), line
    words = set(re.findall(r"[a-z]+\d+", dot))
    assert {"c0", "c1", "f0", "l0", "l1"} <= words
    assert "proto" not in dot
    assert "script" not in dot


def test_dot_of_the_worked_example_has_fixed_boxes_and_labels_without_text() -> None:
    dot = scene_to_dot(scene_of(second_example()))
    assert "rankdir=RL" in dot
    assert 'label=""' in dot
    assert "fixedsize=true" in dot
    assert len(re.findall(r"^\s*[cf]\d+ \[", dot, re.MULTILINE)) == 7
    assert len(re.findall(r"->", dot)) == 6
    assert "splines" not in dot
    assert dot.count("<TABLE") == 4, "one for each edge along which something is sent"
    assert re.search(r">[^<>\s]+</", dot) is None


def test_the_rescue_draws_straight_lines_and_never_right_angles() -> None:
    dot = scene_to_dot(scene_of(second_example()), rescue=True)
    assert "splines=line" in dot
    assert "nslimit" in dot
    assert "ortho" not in dot
    assert "<TABLE" not in dot


def test_a_large_graph_is_not_forced_into_source_order() -> None:
    assert "ordering=out" in scene_to_dot(scene_of(chain(25)))
    assert "ordering" not in scene_to_dot(scene_of(ladder(100), is_whole=True))


def test_frames_are_never_combined_with_forced_order_which_can_abort_graphviz() -> None:
    opened = scene_to_dot(scene_of(hooked_module(), is_whole=True))
    assert "subgraph cluster_b0" in opened
    assert "ordering" not in opened
    closed = build_scene(hooked_module()[0], Fields(build_steps(*hooked_module()), 0), expanded=())
    assert "ordering=out" in scene_to_dot(closed)


def test_the_head_of_a_frame_takes_room_and_needs_no_font() -> None:
    opened = scene_to_dot(scene_of(hooked_module(), is_whole=True))
    labels = re.findall(r"<TABLE.*?</TABLE>", opened)
    assert f"label=<{labels[0]}> labeljust=l" in opened
    for label in labels:
        assert 'FIXEDSIZE="TRUE"' in label
        assert re.sub(r"<[^>]*>", "", label) == ""


def test_the_same_scene_gives_the_same_text() -> None:
    assert scene_to_dot(scene_of(second_example())) == scene_to_dot(scene_of(second_example()))
