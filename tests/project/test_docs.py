"""The pages in Markdown name only files and headings that exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.requirements_of_tests import ROOT

SKIPPED_FOLDERS = {"node_modules", ".venv", ".git", "build", "dist"}

PAGES = [
    page
    for page in sorted(ROOT.rglob("*.md"))
    if not SKIPPED_FOLDERS & set(page.relative_to(ROOT).parts)
]

# A page may name a file from one of these folders, or from its own.
FOLDERS = (ROOT, ROOT / "hookviz")

each_page = pytest.mark.parametrize(
    "page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES]
)


@cache
def prose(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors that a repository's page makes of the headings."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    """Return the relative links of a page that lead to no file or to no heading."""
    broken = []
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", prose(page)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        linked = page.parent / target if target else page
        if not linked.exists() or (anchor and anchor not in anchors(linked)):
            broken.append(f"{target}#{anchor}" if anchor else target)
    return broken


def unknown_files(page: Path) -> list[str]:
    """Return the files that a page names in backticks and that are nowhere in the project.

    A name may leave out the folders above a room, as in `values/reading.py`.
    """
    unknown = []
    for name in re.findall(r"`([\w./-]+\.(?:py|js|json|css|mjs))`", prose(page)):
        known = {path for folder in (*FOLDERS, page.parent) for path in folder.glob(name)}
        if not known:
            known = set(ROOT.glob(f"hookviz/**/{name}")) | set(ROOT.glob(f"js/src/**/{name}"))
        if not known:
            unknown.append(name)
    return unknown


@each_page
def test_links_lead_to_a_file_and_to_a_heading(page: Path) -> None:
    assert broken_links(page) == []


@each_page
def test_named_files_exist(page: Path) -> None:
    assert unknown_files(page) == []


def test_broken_links_and_unknown_files_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One heading\n[a](page.md#one-heading) [b](page.md#two) [c](none.md) [d](#three)\n"
        "`hookviz/errors.py` `errors.py` `_live/none.py` `none.js`\n```sh\n[e](none.md)\n```\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["page.md#two", "none.md", "#three"]
    assert unknown_files(page) == ["_live/none.py", "none.js"]


def test_the_pages_are_found() -> None:
    assert {ROOT / "README.md", ROOT / "docs" / "errors.md"} <= set(PAGES)
