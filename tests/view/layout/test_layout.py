from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from hookviz._view.layout import engines
from hookviz._view.layout import graphviz as layout
from hookviz._view.layout.dot import scene_to_dot
from hookviz._view.layout.geometry import Layout, Rectangle
from hookviz._view.layout.graphviz import lay_out
from hookviz._view.scene.scene import Scene
from tests.view.boxes import fan, hooked_module, sum_net
from tests.view.drawing import Example, ladder, lonely_leaf, scene_of, square, unbound
from tests.view.example import second_example
from tests.view.graphs import chain, shared_leaf

EXAMPLES = [
    second_example(),
    square(),
    shared_leaf(),
    unbound(),
    lonely_leaf(),
    chain(25),
    ladder(6),
    hooked_module(),
    sum_net(),
]


def center_of(scene: Scene, found: Layout, title: str) -> tuple[float, float]:
    box = next(box for box in scene.boxes if getattr(box.content, "title", "") == title)
    return found.centers[box.id]


def assert_sound(scene: Scene, found: Layout) -> None:
    """Check that all is inside the picture, boxes are apart, and every arrow has a route."""
    assert set(found.routes) == {connector.id for connector in scene.connectors}
    placed = []
    for box in scene.boxes:
        x, y = found.centers[box.id]
        left, top = x - box.width / 2, y - box.height / 2
        right, bottom = x + box.width / 2, y + box.height / 2
        assert left >= 0
        assert top >= 0
        assert right <= found.width
        assert bottom <= found.height
        placed.append((left, top, right, bottom))
    for place, one in enumerate(placed):
        for other in placed[:place]:
            apart = (
                one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            )
            assert apart
    for route in found.routes.values():
        assert len(route.points) % 3 == 1


@pytest.mark.parametrize("example", EXAMPLES)
def test_nothing_overlaps_and_nothing_is_left_out(example: Example) -> None:
    scene = scene_of(example)
    found = lay_out(scene)
    assert (found.engine, found.is_rescue) == ("pygraphviz", False)
    assert_sound(scene, found)


def test_texts_beside_arrows_cover_no_box_and_no_other_text() -> None:
    for example in [*EXAMPLES, fan(), hooked_module()]:
        for is_whole in (False, True):
            scene = scene_of(example, is_whole=is_whole)
            found = lay_out(scene)
            taken = [
                Rectangle.around(found.centers[box.id], box.width, box.height)
                for box in scene.boxes
            ]
            for arrow in scene.connectors:
                if arrow.label_width:
                    text = Rectangle.around(found.labels[arrow.id], arrow.label_width, 14)
                    assert sum(text.overlap(other) for other in taken) == 0
                    taken.append(text)


def test_inputs_stand_in_source_order() -> None:
    scene = scene_of(second_example())
    found = lay_out(scene)
    assert center_of(scene, found, "a")[1] < center_of(scene, found, "b")[1]
    assert center_of(scene, found, "c")[1] < center_of(scene, found, "d")[1]


def test_the_gradient_flows_to_the_left_or_downwards() -> None:
    scene = scene_of(second_example())
    found = lay_out(scene)
    assert center_of(scene, found, "e")[0] > center_of(scene, found, "a")[0]
    scene = scene_of(ladder(6))
    found = lay_out(scene)
    assert center_of(scene, found, "y")[1] < center_of(scene, found, "w5")[1]


def test_an_arrow_ends_at_the_box_it_points_to() -> None:
    scene = scene_of(second_example())
    found = lay_out(scene)
    boxes = {box.id: box for box in scene.boxes}
    for connector in scene.connectors:
        x, y = found.routes[connector.id].tip
        box = boxes[connector.head]
        center = found.centers[box.id]
        assert abs(x - center[0]) <= box.width / 2 + 4
        assert abs(y - center[1]) <= box.height / 2 + 4


def test_two_arrows_between_the_same_boxes_have_two_routes() -> None:
    found = lay_out(scene_of(square()))
    routes = {route.points for route in found.routes.values()}
    assert len(routes) == 3


def test_the_same_graph_gives_the_same_layout_here_and_in_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = scene_of(second_example())
    here = lay_out(scene)
    assert here == lay_out(scene_of(second_example()))
    monkeypatch.setattr(layout, "MOST_ELEMENTS_HERE", 0)
    monkeypatch.setattr(engines, "run_here", _unexpected)
    assert lay_out(scene) == here


def _unexpected(*_: object) -> str:
    raise AssertionError("this engine must not be used")


def test_a_thousand_nodes_take_little_time_and_are_not_a_rescue() -> None:
    scene = scene_of(ladder(340), is_whole=True)
    assert len(scene.boxes) > 1_000
    start = time.perf_counter()
    found = lay_out(scene)
    assert time.perf_counter() - start < 4.0, "it takes about 0.6 s on two slow cores"
    assert not found.is_rescue


def test_a_large_graph_never_enters_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "run_here", _unexpected)
    assert lay_out(scene_of(ladder(120), is_whole=True)).engine == "pygraphviz"


def test_a_time_out_leads_to_the_rescue_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_child = engines.run_in_child

    def slow_at_first(dot: str, *, timeout: float) -> str:
        if "nslimit" not in dot:
            raise engines.EngineTimeout("too slow")
        return run_in_child(dot, timeout=timeout)

    monkeypatch.setattr(engines, "run_in_child", slow_at_first)
    scene = scene_of(ladder(100), is_whole=True)
    found = lay_out(scene)
    assert (found.engine, found.is_rescue) == ("pygraphviz", True)
    assert_sound(scene, found)


def test_a_child_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(engines.EngineTimeout):
        engines.run_in_child("digraph { a -> b }", timeout=0.001)


def test_a_child_that_crashes_does_not_take_this_process_along() -> None:
    with pytest.raises(engines.EngineError):
        engines.run_in_child("this is not DOT {", timeout=20)


@pytest.mark.parametrize("example", EXAMPLES)
def test_without_graphviz_there_is_still_a_sound_picture(
    example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "has_pygraphviz", lambda: False)
    monkeypatch.setattr(engines, "has_dot", lambda: False)
    scene = scene_of(example)
    found = lay_out(scene)
    assert (found.engine, found.is_rescue) == ("straight", True)
    assert_sound(scene, found)


def test_without_pygraphviz_the_dot_program_draws_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scene = scene_of(second_example())
    normal = lay_out(scene)
    _put_dot_program(tmp_path, monkeypatch)
    monkeypatch.setattr(engines, "has_pygraphviz", lambda: False)
    found = lay_out(scene)
    assert (found.engine, found.is_rescue) == ("dot", False)
    assert found.centers == normal.centers


def test_a_broken_pygraphviz_gives_way_to_the_dot_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(_: str) -> str:
        raise engines.EngineError("no library")

    _put_dot_program(tmp_path, monkeypatch)
    monkeypatch.setattr(engines, "run_here", broken)
    assert lay_out(scene_of(second_example())).engine == "dot"


def _put_dot_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a stand-in for Graphviz's program in place: it answers as `dot -Tjson0` does."""
    program = folder / "dot"
    script = Path(engines.layout_process.__file__)
    program.write_text(
        f"#!{sys.executable}\nimport runpy, sys\n"
        "assert '-Tjson0' in sys.argv and '-Kdot' in sys.argv\n"
        f"runpy.run_path({str(script)!r}, run_name='__main__')\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr("graphviz.backend.dot_command.DOT_BINARY", program)


def test_nothing_is_printed_even_with_a_broken_font_configuration(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "fonts.conf"
    broken.write_text("<fontconfig><nonsense>")
    monkeypatch.setenv("FONTCONFIG_FILE", str(broken))
    # The last is so large that Graphviz warns of it, in the process that it gets.
    for example in [*EXAMPLES, ladder(340)]:
        lay_out(scene_of(example, is_whole=True))
    assert capfd.readouterr() == ("", "")


def test_a_process_that_never_saw_a_font_stays_silent(tmp_path: Path) -> None:
    broken = tmp_path / "fonts.conf"
    broken.write_text("<fontconfig><nonsense>")
    code = (
        "from tests.view.layout.test_layout import *\n"
        "for example in EXAMPLES: assert lay_out(scene_of(example)).engine == 'pygraphviz'"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[3],
        env={"FONTCONFIG_FILE": str(broken), "PATH": ""},
    )
    assert (finished.stdout, finished.stderr) == (b"", b"")


def test_names_of_this_package_do_not_hide_those_of_python_from_the_child() -> None:
    # A `graphviz.py` stands next to the child's script; it must not be taken for the package.
    dot = scene_to_dot(scene_of(second_example()))
    assert engines.run_in_child(dot, timeout=30) == engines.run_here(dot)
