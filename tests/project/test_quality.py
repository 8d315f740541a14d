"""The whole repository is formatted, linted and typed, and has clean line ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements_of_tests import ROOT

# Built by other programs, or written in a format where blanks at the end of a line are a command.
NOT_OURS = (".ipynb", ".png", ".svg", ".lock")
GENERATED = ("hookviz/static/explorer.js", "hookviz/static/explorer.css", "js/package-lock.json")


def run(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.fail(f"{' '.join(arguments)}\n{done.stdout}{done.stderr}", pytrace=False)


def our_text_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [
        ROOT / name
        for name in listed.stdout.splitlines()
        if not name.endswith(NOT_OURS) and name not in GENERATED and (ROOT / name).is_file()
    ]


def test_ruff_finds_nothing() -> None:
    run("ruff", "check")


def test_everything_is_formatted() -> None:
    run("ruff", "format", "--check")


def test_the_types_are_right() -> None:
    run("mypy", "--strict")


def test_whitespace_is_clean() -> None:
    files = our_text_files()
    assert files
    faults = []
    for path in files:
        text = path.read_bytes().decode("utf-8")
        name = path.relative_to(ROOT)
        faults += [
            f"{name}:{number}: blanks at the end"
            for number, line in enumerate(text.split("\n"), start=1)
            if line != line.rstrip() and not (path.suffix == ".md" and line.endswith("  "))
        ]
        if "\r" in text:
            faults.append(f"{name}: carriage return")
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            faults.append(f"{name}: needs exactly one newline at the end")
    assert faults == []
