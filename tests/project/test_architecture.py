"""The rooms of ARCHITECTURE.md keep to their rules, and the tests of the rules can fail."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.requirements_of_tests import ROOT

PACKAGE = ROOT / "hookviz"

LAZY = ("ipywidgets", "anywidget", "IPython", "graphviz", "pygraphviz", "matplotlib")

MOST_LINES = 350
MOST_FILES = 25
SOURCES = {".py", ".js", ".mjs"}


def loaded_after(program: str) -> set[str]:
    """Return which of the lazy libraries a fresh interpreter has loaded after `program`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules, sep='\\n')"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split()) & set(LAZY)


def test_importing_hookviz_loads_no_display_library() -> None:
    assert loaded_after("import hookviz") == set()


def test_recording_loads_no_display_library() -> None:
    program = """
import torch, hookviz
a = torch.tensor(2.0, requires_grad=True)
str(hookviz.record(a * a))
"""
    assert loaded_after(program) == set()


@pytest.mark.parametrize("library", LAZY)
def test_the_test_of_loaded_libraries_can_fail(library: str) -> None:
    assert library in loaded_after(f"import {library}")


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
            "--config",
            "pyproject.toml",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, to break a rule in."""
    ignored = shutil.ignore_patterns("__pycache__", "static", "tutorials")
    shutil.copytree(PACKAGE, tmp_path / "hookviz", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_rooms_import_only_what_they_may(copy: Path) -> None:
    done = lint_imports(copy)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("_view/text/message.py", "import torch", "Plain data knows nothing of torch"),
        ("_records/event.py", "import hookviz._languages", "Data moves one way"),
        ("_live/graph/capture.py", "import hookviz._view", "Data moves one way"),
        ("_view/text/message.py", "import ipywidgets", "Only the explorer knows"),
    ],
)
def test_a_forbidden_import_is_found(copy: Path, module: str, line: str, broken: str) -> None:
    path = copy / "hookviz" / module
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{line}\n", encoding="utf-8")

    done = lint_imports(copy)

    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(rf"{broken}.*BROKEN", done.stdout)


def test_no_file_holds_more_than_one_can_read_at_once() -> None:
    files = [*PACKAGE.rglob("*.py"), *(ROOT / "js" / "src").rglob("*.js")]
    assert files
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines())
        for path in files
    }
    assert {name: length for name, length in lengths.items() if length > MOST_LINES} == {}


def files_by_folder(*roots: Path) -> Counter[str]:
    found: Counter[str] = Counter()
    for root in roots:
        for path in root.rglob("*"):
            parts = path.relative_to(ROOT).parts
            if path.suffix in SOURCES and not {"node_modules", "__pycache__"} & set(parts):
                found[path.parent.relative_to(ROOT).as_posix()] += 1
    return found


def test_no_folder_holds_more_files_than_one_can_survey() -> None:
    found = files_by_folder(PACKAGE, ROOT / "js", ROOT / "tests")
    assert {folder: count for folder, count in found.items() if count > MOST_FILES} == {}


def test_a_full_folder_is_noticed(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", copy)
    for number in range(MOST_FILES + 1):
        (copy / f"hookviz/file{number}.py").touch()
    assert files_by_folder(copy / "hookviz")["hookviz"] > MOST_FILES


def test_every_suppressed_check_names_its_code() -> None:
    bare = re.compile(r"#\s*(type:\s*ignore(?!\[)|noqa(?!:\s*[A-Z]))")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in PACKAGE.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if bare.search(line)
    ]
    assert found == []


def test_no_file_names_a_folder_of_the_machine_it_was_written_on() -> None:
    own = re.compile(rf"{re.escape(str(ROOT))}(?=/)|/(?:home|Users|root)/[A-Za-z.]")
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for folder in ("hookviz", "notebooks", "docs", "tools", "binder", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".ipynb", ".md", ".json", ".yml", ".js", ".css", ".cfg"}
        for match in own.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
