"""`hookviz lab`: the tutorials reach the learner, and the learner's changes stay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hookviz import lab
from hookviz.errors import HookvizError
from hookviz.tutorials_folder import MANIFEST, copy_tutorials, shipped_tutorials


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


@pytest.mark.parametrize("manifest", [None, "", "[]", '{"delivered": 3}', "\ufffd"])
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


def test_the_exit_code_of_jupyterlab_is_handed_on() -> None:
    assert lab._run([sys.executable, "-c", "raise SystemExit(3)"]) == 3


def test_python_dash_m_hookviz_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hookviz", "lab", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert "never overwritten" in done.stdout
