"""`hookviz lab`: the tutorials reach the learner, and the learner's changes stay."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hookviz._cli import lab
from hookviz._cli.tutorials import copy_tutorials, shipped_tutorials
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
    report = copy_tutorials(source, folder)

    assert report.added == ("01.ipynb", "zh/01.ipynb")
    found = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    assert found == ["01.ipynb", "zh/01.ipynb"]
    assert (folder / "zh" / "01.ipynb").read_text() == "第一课"


def test_a_second_copy_of_the_same_version_changes_nothing(source: Path, folder: Path) -> None:
    copy_tutorials(source, folder)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    report = copy_tutorials(source, folder)

    assert report == type(report)()
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_notebook_that_is_missing_again_is_copied_again(source: Path, folder: Path) -> None:
    copy_tutorials(source, folder)
    (folder / "01.ipynb").unlink()

    assert copy_tutorials(source, folder).added == ("01.ipynb",)


@pytest.mark.parametrize("text", ["first, with my own notes", "", "[]", "\ufffd"])
@pytest.mark.parametrize("shipped", ["first, as shipped", "first, better"])
def test_a_notebook_that_is_there_is_never_touched(
    source: Path, folder: Path, text: str, shipped: str
) -> None:
    copy_tutorials(source, folder)
    (folder / "01.ipynb").write_text(text)
    (source / "01.ipynb").write_text(shipped)
    before = sorted(folder.rglob("*"))

    report = copy_tutorials(source, folder)

    assert (report.added, report.kept) == ((), ("01.ipynb",))
    assert (folder / "01.ipynb").read_text() == text
    assert sorted(folder.rglob("*")) == before


def test_the_shipped_folder_itself_is_left_alone(source: Path) -> None:
    before = sorted(source.rglob("*"))

    assert copy_tutorials(source, source) == lab.CopyReport()

    assert sorted(source.rglob("*")) == before


def test_a_folder_that_cannot_be_written_is_said_plainly(source: Path, tmp_path: Path) -> None:
    file_in_the_way = tmp_path / "taken"
    file_in_the_way.write_text("a file")

    with pytest.raises(HookvizError, match=r"cannot write the tutorials into .*taken.*--dir"):
        copy_tutorials(source, file_in_the_way)


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
    assert json.loads((folder / "01_leaf_and_nonleaf.ipynb").read_text())["cells"]


def test_a_kept_notebook_is_announced_with_the_way_to_get_it_anew() -> None:
    report = lab.CopyReport(added=("02.ipynb",), kept=("01.ipynb",))

    assert lab._report_lines(report) == [
        "  new       02.ipynb",
        "  kept      01.ipynb",
        "Kept notebooks are yours. Rename or delete one to get it anew.",
    ]
    assert lab._report_lines(lab.CopyReport()) == []


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


RUN = """\
import sys
from hookviz._cli import lab
sys.exit(lab._run([sys.executable, '-c', sys.argv[1]]))
"""


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
