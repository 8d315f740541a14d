"""The README tells the truth: its code prints the output below it, its commands work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

from tests.readme import block_after
from tests.requirements_of_tests import ROOT
from tests.unmodified.shell import Shell


def test_the_example_prints_what_the_readme_shows(tmp_path: Path) -> None:
    script = tmp_path / "example.py"
    script.write_text(block_after("example"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", str(script)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == block_after("output")


def test_the_first_screen_has_a_sentence_the_picture_install_example_and_tutorials() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first_screen, _, rest = text.partition("\n## ")
    parts = re.sub(r"```.*?```", "", first_screen, flags=re.DOTALL).split("\n\n")
    beginnings = ["# hookviz", "**See", "![", "Run this command", "<!-- tutorial-command -->"]
    beginnings += ["<!-- example -->", "<!-- output -->", "**Tutorials**", "1. ["]
    assert len(parts) == len(beginnings)
    for part, beginning in zip(parts, beginnings, strict=True):
        assert part.lstrip().startswith(beginning)
    assert "<!-- test-command -->" in rest


def test_the_example_has_eight_lines() -> None:
    lines = [line for line in block_after("example").splitlines() if line]
    assert len(lines) == 8


def test_each_command_is_one_line() -> None:
    assert block_after("tutorial-command").splitlines() == [
        'python -m pip install ".[lab]" && hookviz lab'
    ]
    assert block_after("test-command").splitlines() == [
        'python -m pip install -e ".[test]" && python -m pytest'
    ]


def test_the_cell_runs_as_the_readme_says(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    try:
        assert shell.run(block_after("cell-magic")).error is None
        ran = shell.run(block_after("magic-cell"))
    finally:
        shell.close()
        InteractiveShell.clear_instance()
    assert ran.error is None
    assert ran.result.tolist() == [2000, 4000]
    explorers = [text for text in ran.texts if text.startswith("backward() ")]
    assert len(explorers) == 3
    assert "not recorded: 997." in ran.texts[-1]


def test_the_script_command_writes_the_page(tmp_path: Path) -> None:
    code = block_after("magic-cell").removeprefix("%%hookviz\n")
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    words = block_after("script-command").split()
    assert words[0] == "python"
    subprocess.run(
        [sys.executable, *words[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    assert "hookviz-2" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_picture_is_a_real_screenshot() -> None:
    picture = (ROOT / "docs" / "images" / "explorer.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n")
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert width >= 900
    assert height >= 400


def test_every_tutorial_is_listed_by_its_title() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tutorials = sorted((ROOT / "notebooks").rglob("[0-9]*.ipynb"))
    assert len(tutorials) >= 8
    for tutorial in tutorials:
        first = "".join(json.loads(tutorial.read_text(encoding="utf-8"))["cells"][0]["source"])
        title = first.splitlines()[0].partition(" · ")[2]
        assert f"[{title}]({tutorial.relative_to(ROOT).as_posix()})" in readme
