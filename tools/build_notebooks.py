"""Build the tutorials: read notebooks/src, run every cell, write notebooks/*.ipynb.

One way only: edit the text in `notebooks/src`, run this, commit both. The same sources give the
same bytes, so a changed output in a review is a changed behavior.

    python tools/build_notebooks.py               every notebook
    python tools/build_notebooks.py 02 zh/02      those whose path starts so
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
SOURCES = NOTEBOOKS / "src"
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def main(prefixes: Sequence[str]) -> None:
    """Build the notebooks whose source path starts with one of `prefixes`, or all."""
    for source in sorted(SOURCES.rglob("*.py")):
        name = source.relative_to(SOURCES).with_suffix(".ipynb")
        if prefixes and not name.as_posix().startswith(tuple(prefixes)):
            continue
        target = NOTEBOOKS / name
        notebook = execute(read_source(source), folder=target.parent)
        target.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
        print(f"{target.relative_to(NOTEBOOKS.parent)}  {target.stat().st_size / 1000:.0f} kB")


def read_source(source: Path) -> NotebookNode:
    """Return the notebook that a text source describes, with ids by position and no outputs."""
    notebook: NotebookNode = jupytext.read(source, fmt="py:percent")
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        }
    )
    for index, cell in enumerate(notebook.cells):
        # A random id would make every build a new notebook.
        cell.id = f"{cell.cell_type}-{index:02d}"
        cell.metadata = nbformat.from_dict(
            {key: value for key, value in cell.metadata.items() if key == "tags"}
        )
    return notebook


def execute(notebook: NotebookNode, *, folder: Path) -> NotebookNode:
    """Run every cell in `folder` and keep only what reads the same in every run."""
    wanted = nbformat.from_dict(notebook.metadata)
    client = NotebookClient(
        notebook,
        timeout=120,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    # The kernel writes its own version here.
    notebook.metadata = wanted
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            # A page that cannot run the widget shows the picture beside it only when no widget is
            # announced; a page with a kernel makes the widget anew when the cell runs.
            output.get("data", {}).pop(WIDGET_VIEW, None)
            output.get("metadata", {}).pop(WIDGET_VIEW, None)
    return notebook


if __name__ == "__main__":
    main(sys.argv[1:])
