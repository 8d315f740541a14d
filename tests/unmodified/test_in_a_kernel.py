"""`%%hookviz` in a kernel of Jupyter: what lands in the notebook, and that an error stops it."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.requirements_of_tests import ROOT

WIDGET = "application/vnd.jupyter.widget-view+json"

CELLS = (
    "%load_ext hookviz\nimport torch",
    """\
%%hookviz
%matplotlib inline
import asyncio
a = torch.tensor(2.0, requires_grad=True)
b = a * a
b.register_hook(lambda grad: print('hook', grad))
b.backward()
await asyncio.sleep(0)
a.grad""",
    "%%hookviz --lang zh\nloss = a.exp()\nloss.backward()\nloss.backward()",
    "after = 1",
)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])


def kinds(cell: Any) -> list[str]:
    """Say of each output what it is."""
    found = []
    for output in cell.outputs:
        data = output.get("data", {})
        first = next((kind for kind in (WIDGET, "image/svg+xml", "text/html") if kind in data), "")
        found.append(first or output.output_type)
    return found


def test_the_explorers_come_last_and_everything_else_is_as_ever(notebook: Any) -> None:
    NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute()
    _, works, fails, after = notebook.cells
    assert kinds(works) == ["stream", "execute_result", WIDGET, "image/svg+xml"]
    assert works.outputs[0].text == "hook tensor(1.)\n"
    assert works.outputs[1].data["text/plain"] == "tensor(4.)"
    assert works.outputs[2].data["text/plain"] == "Explorer(b.backward(), step 0 of 4)"
    assert kinds(fails) == ["error", WIDGET, "image/svg+xml", "text/html"]
    assert "second time" in fails.outputs[0].evalue
    assert fails.outputs[3].data["text/plain"].startswith("第 4 行的 backward() 没有显示：")
    assert after.execution_count == 4


def test_an_error_stops_the_notebook(notebook: Any) -> None:
    with pytest.raises(CellExecutionError, match="second time"):
        NotebookClient(notebook, kernel_name="python3").execute()
    assert notebook.cells[3].execution_count is None
