"""The tutorials are what their sources say, ran from top to bottom, and hold nothing that changes.

nbval passes a notebook without outputs and compares nothing. These tests are what makes it honest.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tools.build_notebooks import NOTEBOOKS, SOURCES, WIDGET_VIEW, read_source

SOURCE_FILES = sorted(SOURCES.rglob("*.py"))
BUILT_FILES = sorted(
    path for path in NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
)

MOST_BYTES = 200_000
MOST_IGNORED = 2


def name_of(path: Path) -> str:
    return path.relative_to(NOTEBOOKS).as_posix()


@pytest.fixture(params=BUILT_FILES, ids=name_of)
def path(request: pytest.FixtureRequest) -> Path:
    built: Path = request.param
    return built


@pytest.fixture
def notebook(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def test_every_source_is_built_and_every_notebook_has_a_source() -> None:
    sources = {path.relative_to(SOURCES).with_suffix("") for path in SOURCE_FILES}
    built = {path.relative_to(NOTEBOOKS).with_suffix("") for path in BUILT_FILES}
    assert sources == built
    assert sources


def test_every_tutorial_exists_in_chinese() -> None:
    english = {path.name for path in NOTEBOOKS.glob("*.ipynb")}
    chinese = {path.name for path in (NOTEBOOKS / "zh").glob("*.ipynb")}
    assert english == chinese


def test_the_notebook_holds_the_cells_of_its_source(path: Path, notebook: Any) -> None:
    source = read_source(SOURCES / path.relative_to(NOTEBOOKS).with_suffix(".py"))
    wanted = [(cell.id, cell.cell_type, cell.source, dict(cell.metadata)) for cell in source.cells]
    found = [(cell.id, cell.cell_type, cell.source, dict(cell.metadata)) for cell in notebook.cells]
    assert found == wanted, "run tools/build_notebooks.py"
    assert notebook.metadata == source.metadata


def test_every_cell_ran_in_order(notebook: Any) -> None:
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


def test_it_has_outputs_and_a_picture(notebook: Any) -> None:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert len(outputs) >= 5
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert kinds & {"image/svg+xml", "text/html"}, "a page without widgets shows no picture"


def test_it_holds_no_widget_state_and_no_address(path: Path, notebook: Any) -> None:
    text = path.read_text(encoding="utf-8")
    assert WIDGET_VIEW not in text
    assert "widgets" not in notebook.metadata
    assert not re.search(r"0x[0-9a-f]{6,}", text)
    assert "/ipykernel_" not in text


def test_errors_are_only_where_they_are_announced(notebook: Any) -> None:
    for cell in notebook.cells:
        failed = any(output.output_type == "error" for output in cell.get("outputs", []))
        assert failed == ("raises-exception" in cell.metadata.get("tags", []))


def test_few_cells_are_not_compared(notebook: Any) -> None:
    ignored = [
        cell
        for cell in notebook.cells
        if {"nbval-ignore-output", "nbval-skip"} & set(cell.metadata.get("tags", []))
        or re.search(r"NBVAL_(IGNORE|SKIP)", cell.source)
    ]
    assert len(ignored) <= MOST_IGNORED


def test_it_is_small_enough_to_read_in_a_review(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES


def test_links_to_other_pages_lead_somewhere(path: Path, notebook: Any) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for target in re.findall(r"\]\(([^)#:]+)\)", cell.source):
                assert (path.parent / target).is_file(), target


@pytest.mark.parametrize(
    "source", SOURCE_FILES, ids=lambda path: path.relative_to(SOURCES).as_posix()
)
def test_a_chinese_page_teaches_the_same_code(source: Path) -> None:
    other = SOURCES / "zh" / source.name if "zh" not in source.parts else SOURCES / source.name

    def statements(path: Path) -> list[str]:
        """Return the code of each cell without comments, texts, and the choice of language."""
        cells = []
        for cell in read_source(path).cells:
            if cell.cell_type == "code":
                code = re.sub(r"#.*", "", cell.source)
                code = re.sub(r',? ?lang="zh"', "", code).replace(".text()", "")
                cells.append(re.sub(r"\"[^\"]*\"", '""', code).strip())
        return cells

    assert statements(source) == statements(other)
