"""marimo keeps a cell's own variables, such as `_x`, under longer names."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
import torch

import hookviz

NAMES = ("_cell_Hbol_w", "_cell_bkHC_w", "_cell_bkHC_v")


def labels_of(root: torch.Tensor, namespace: dict[str, torch.Tensor]) -> list[str]:
    scope = {**namespace, "root": root, "hookviz": hookviz}
    # As marimo and IPython execute a cell.
    exec("graph = hookviz.capture(root)", scope)
    return sorted(tensor.label for tensor in scope["graph"].tensors)


def test_a_variable_of_one_cell_has_the_name_that_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leaves = {name: torch.ones(2, requires_grad=True) for name in NAMES}
    root = sum(leaves.values()).sum()

    assert labels_of(root, leaves) == sorted([*NAMES, "root"])
    monkeypatch.setitem(sys.modules, "marimo", ModuleType("marimo"))
    # The second `_w` belongs to another cell: one name for two tensors would be worse.
    assert labels_of(root, leaves) == ["_cell_bkHC_w", "_v", "_w", "root"]
