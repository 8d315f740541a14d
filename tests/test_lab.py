"""`hookviz lab`: the tutorials reach the learner, and the learner's changes stay."""

from __future__ import annotations

import copy
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookviz._cli import lab
from hookviz._cli.tutorials import MANIFEST, copy_tutorials, shipped_tutorials
from hookviz.errors import HookvizError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "shipped"
    (folder / "zh").mkdir(parents=True)
    (folder / "01.ipynb").write_text("first, as shipped")
    (folder / "zh" / "01.ipynb").write_text("第一课")
    (folder / "src").mkdir()
    (folder / "src" / "01.py").write_text("not a notebook")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "my tutorials 教程"


def test_the_first_copy_brings_every_notebook_and_nothing_else(source: Path, folder: Path) -> None:
    report = copy_tutorials(source, folder, version="1.0")

    assert report.added == ("01.ipynb", "zh/01.ipynb")
    found = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    assert found == [MANIFEST, "01.ipynb", "zh/01.ipynb"]
    assert (folder / "zh" / "01.ipynb").read_text() == "第一课"


def test_a_second_copy_of_the_same_version_changes_nothing(source: Path, folder: Path) -> None:
    copy_tutorials(source, folder, version="1.0")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    report = copy_tutorials(source, folder, version="1.0")

    assert report == type(report)()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_an_untouched_notebook_is_updated(source: Path, folder: Path) -> None:
    copy_tutorials(source, folder, version="1.0")
    (source / "01.ipynb").write_text("first, better")

    report = copy_tutorials(source, folder, version="1.1")

    assert report.updated == ("01.ipynb",)
    assert (folder / "01.ipynb").read_text() == "first, better"


def test_a_changed_notebook_is_kept(source: Path, folder: Path) -> None:
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text("with my own notes")

    report = copy_tutorials(source, folder, version="1.0")

    assert report.kept == ("01.ipynb",)
    assert (folder / "01.ipynb").read_text() == "with my own notes"


def test_the_new_version_of_a_changed_notebook_stands_beside_it(source: Path, folder: Path) -> None:
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text("with my own notes")
    (source / "01.ipynb").write_text("first, better")

    report = copy_tutorials(source, folder, version="1.1")

    assert report.beside == (("01.ipynb", "01.new-1.1.ipynb"),)
    assert (folder / "01.ipynb").read_text() == "with my own notes"
    assert (folder / "01.new-1.1.ipynb").read_text() == "first, better"
    again = copy_tutorials(source, folder, version="1.1")
    assert again.beside == ()
    assert again.kept == ("01.ipynb",)


def test_notes_made_in_the_file_beside_are_kept_too(source: Path, folder: Path) -> None:
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text("with my own notes")
    (folder / "01.new-1.1.ipynb").write_text("notes here as well")
    (source / "01.ipynb").write_text("first, better")

    report = copy_tutorials(source, folder, version="1.1")

    assert report.beside == (("01.ipynb", "01.new-1.1-2.ipynb"),)
    assert (folder / "01.new-1.1.ipynb").read_text() == "notes here as well"


PAGE: dict[str, Any] = {
    "cells": [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Leaves\n", "Read on."]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": "b",
            "metadata": {},
            "outputs": [{"name": "stdout", "output_type": "stream", "text": ["12\n"]}],
            "source": ["print(12)"],
        },
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def set_outputs(page: dict[str, Any]) -> None:
    page["cells"][1]["outputs"] = []
    page["cells"][1]["execution_count"] = 7


def set_metadata(page: dict[str, Any]) -> None:
    page["metadata"]["language_info"]["version"] = "3.11.2"
    page["cells"][0]["metadata"] = {"collapsed": True}
    page["cells"][0]["id"] = "other"


def write_sources_as_text(page: dict[str, Any]) -> None:
    for cell in page["cells"]:
        cell["source"] = "".join(cell["source"])


def add_an_empty_cell(page: dict[str, Any]) -> None:
    page["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": " \n"})


def leave_as_it_is(page: dict[str, Any]) -> None:
    pass


def change_code(page: dict[str, Any]) -> None:
    page["cells"][1]["source"] = ["print(13)"]


def change_text(page: dict[str, Any]) -> None:
    page["cells"][0]["source"] = "# Leaves\nRead on. My note."


def add_a_blank(page: dict[str, Any]) -> None:
    page["cells"][1]["source"] = ["print(12) "]


def change_a_kind(page: dict[str, Any]) -> None:
    page["cells"][1]["cell_type"] = "raw"


def change_the_order(page: dict[str, Any]) -> None:
    page["cells"].reverse()


def add_a_cell(page: dict[str, Any]) -> None:
    page["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "my note"})


def remove_a_cell(page: dict[str, Any]) -> None:
    del page["cells"][0]


BY_JUPYTERLAB = [set_outputs, set_metadata, write_sources_as_text, add_an_empty_cell]
BY_THE_LEARNER = [
    change_code,
    change_text,
    add_a_blank,
    change_a_kind,
    change_the_order,
    add_a_cell,
    remove_a_cell,
]
Change = Callable[[dict[str, Any]], None]


def page_after(*changes: Change) -> str:
    page = copy.deepcopy(PAGE)
    for change in changes:
        change(page)
    return json.dumps(page, indent=1)


@pytest.mark.parametrize("change", BY_JUPYTERLAB)
def test_a_page_that_was_only_opened_and_saved_is_not_called_changed(
    source: Path, folder: Path, change: Change
) -> None:
    (source / "01.ipynb").write_text(page_after(leave_as_it_is))
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text(page_after(change))

    report = copy_tutorials(source, folder, version="1.0")

    assert report == type(report)()
    assert (folder / "01.ipynb").read_text() == page_after(change), "its outputs are the learner's"


@pytest.mark.parametrize("change", BY_JUPYTERLAB)
def test_a_page_that_was_only_opened_and_saved_gets_the_newer_version(
    source: Path, folder: Path, change: Change
) -> None:
    (source / "01.ipynb").write_text(page_after(leave_as_it_is))
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text(page_after(change))
    (source / "01.ipynb").write_text(page_after(change_text))

    report = copy_tutorials(source, folder, version="1.1")

    assert report.updated == ("01.ipynb",)
    assert (folder / "01.ipynb").read_text() == page_after(change_text)


@pytest.mark.parametrize("also", [leave_as_it_is, *BY_JUPYTERLAB])
@pytest.mark.parametrize("change", BY_THE_LEARNER)
def test_a_changed_source_is_never_overwritten(
    source: Path, folder: Path, change: Change, also: Change
) -> None:
    (source / "01.ipynb").write_text(page_after(leave_as_it_is))
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text(page_after(also, change))

    assert copy_tutorials(source, folder, version="1.0").kept == ("01.ipynb",)
    (source / "01.ipynb").write_text(page_after(add_a_cell, add_a_cell))
    report = copy_tutorials(source, folder, version="1.1")

    assert report.beside == (("01.ipynb", "01.new-1.1.ipynb"),)
    assert (folder / "01.ipynb").read_text() == page_after(also, change)


def test_newer_outputs_alone_reach_an_unchanged_page_and_make_no_file_beside_a_changed_one(
    source: Path, folder: Path
) -> None:
    for name in ("01.ipynb", "02.ipynb"):
        (source / name).write_text(page_after(leave_as_it_is))
    copy_tutorials(source, folder, version="1.0")
    (folder / "02.ipynb").write_text(page_after(change_code))
    for name in ("01.ipynb", "02.ipynb"):
        (source / name).write_text(page_after(set_outputs))

    report = copy_tutorials(source, folder, version="1.1")

    assert (report.updated, report.kept, report.beside) == (("01.ipynb",), ("02.ipynb",), ())
    assert (folder / "02.ipynb").read_text() == page_after(change_code)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}', '{"cells": [{"source": null}]}'])
def test_a_file_that_is_no_notebook_is_kept(source: Path, folder: Path, text: str) -> None:
    (source / "01.ipynb").write_text(page_after(leave_as_it_is))
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text(text)
    (source / "01.ipynb").write_text(page_after(change_text))

    report = copy_tutorials(source, folder, version="1.1")

    assert report.beside == (("01.ipynb", "01.new-1.1.ipynb"),)
    assert (folder / "01.ipynb").read_text() == text


@pytest.mark.parametrize(
    "manifest", [None, "", "[]", '{"delivered": {"01.ipynb": "x"}}', '{"delivered": 3}', "\ufffd"]
)
def test_a_lost_or_broken_manifest_costs_no_notes(
    source: Path, folder: Path, manifest: str | None
) -> None:
    copy_tutorials(source, folder, version="1.0")
    (folder / "01.ipynb").write_text("with my own notes")
    if manifest is None:
        (folder / MANIFEST).unlink()
    else:
        (folder / MANIFEST).write_text(manifest)

    copy_tutorials(source, folder, version="1.0")

    assert (folder / "01.ipynb").read_text() == "with my own notes"


def test_the_shipped_folder_itself_is_left_alone(source: Path) -> None:
    before = sorted(source.rglob("*"))

    copy_tutorials(source, source, version="1.0")

    assert sorted(source.rglob("*")) == before


def test_a_folder_that_cannot_be_written_is_said_plainly(source: Path, tmp_path: Path) -> None:
    file_in_the_way = tmp_path / "taken"
    file_in_the_way.write_text("a file")

    with pytest.raises(HookvizError, match=r"cannot write the tutorials into .*taken.*--dir"):
        copy_tutorials(source, file_in_the_way, version="1.0")


def test_a_checkout_ships_its_own_notebooks() -> None:
    names = {path.name for path in shipped_tutorials().glob("*.ipynb")}

    assert set(lab.FIRST_NOTEBOOKS["en"].split()) <= names


def test_the_first_notebook_exists_in_each_language() -> None:
    for name in lab.FIRST_NOTEBOOKS.values():
        assert (shipped_tutorials() / name).is_file()


def test_copy_only_copies_and_starts_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab, "_run", lambda command: pytest.fail(f"started {command}"))

    assert lab.main(["lab", "--copy-only", "--dir", str(folder)]) == 0

    printed = capsys.readouterr().out
    assert f"Tutorials: {folder}" in printed
    assert "new       01_leaf_and_nonleaf.ipynb" in printed
    assert json.loads((folder / MANIFEST).read_text())["delivered"]


def test_a_kept_notebook_is_announced_with_the_name_of_the_new_one() -> None:
    report = lab.CopyReport(kept=("02.ipynb",), beside=(("01.ipynb", "01.new-1.1.ipynb"),))

    assert lab._report_lines(report) == [
        "  kept      02.ipynb (you changed it)",
        "  kept      01.ipynb (you changed it); the new version is 01.new-1.1.ipynb",
    ]


@pytest.mark.parametrize(
    ("lang", "notebook"),
    [("en", "01_leaf_and_nonleaf.ipynb"), ("zh", "zh/01_leaf_and_nonleaf.ipynb")],
)
def test_jupyterlab_starts_on_notebook_01_of_the_language(
    folder: Path, monkeypatch: pytest.MonkeyPatch, lang: str, notebook: str
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(lab, "_run", lambda command: commands.append(list(command)) or 7)

    code = lab.main(["lab", "--dir", str(folder), "--lang", lang, "--no-browser", "--", "--port=1"])

    assert code == 7
    assert commands == [
        [
            sys.executable,
            "-m",
            "jupyterlab",
            f"--ServerApp.root_dir={folder}",
            f"--LabApp.default_url=/lab/tree/{notebook}",
            "--no-browser",
            "--port=1",
        ]
    ]


def test_a_missing_jupyterlab_names_the_command_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)

    assert lab.main(["lab", "--dir", str(folder)]) == 1

    message = capsys.readouterr().err
    assert "JupyterLab is not installed" in message
    assert "python -m pip install jupyterlab" in message
    assert not folder.exists()


RUN = (
    "import sys; from hookviz._cli import lab; "
    "sys.exit(lab._run([sys.executable, '-c', sys.argv[1]]))"
)


def test_the_exit_code_of_jupyterlab_is_handed_on() -> None:
    done = subprocess.run([sys.executable, "-c", RUN, "raise SystemExit(3)"], check=False)

    assert done.returncode == 3


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
def test_jupyterlab_takes_the_place_of_the_command() -> None:
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    with subprocess.Popen(
        [sys.executable, "-c", RUN, program], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid
        process.terminate()
        assert process.wait(timeout=20) == -signal.SIGTERM


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
def test_stopping_the_command_stops_its_jupyterlab(folder: Path, tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "hookviz", "lab", "--no-browser", "--dir", str(folder), "--"]
    command += ["--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    homes = {name: str(tmp_path) for name in ("HOME", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            command, env={**os.environ, **homes}, stdout=log, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            end = time.monotonic() + 90
            while not answers(port):
                assert process.poll() is None, (tmp_path / "log").read_text()
                assert time.monotonic() < end, (tmp_path / "log").read_text()
                time.sleep(0.1)
            process.terminate()
            process.wait(timeout=30)
            assert not answers(port)
        finally:
            process.kill()


def test_the_command_alone_says_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    assert lab.main([]) == 2
    assert "hookviz lab" in capsys.readouterr().err


def test_an_argument_for_jupyterlab_in_the_wrong_place_is_pointed_to_the_right_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        lab.main(["lab", "--port", "1"])

    message = capsys.readouterr().err
    assert "--port" in message
    assert "hookviz lab -- --port=8890" in message


def test_python_dash_m_hookviz_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hookviz", "lab", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "never overwritten" in done.stdout
