"""A name given by hand is the tensor's name, whatever it looks like."""

from __future__ import annotations

import pytest
import torch

import hookviz


@pytest.mark.parametrize("name", ["_", "_w", "__proto__", "In", "Out", "Out[3]"])
def test_a_given_name_that_looks_like_one_of_the_shell_comes_first(name: str) -> None:
    leaf = torch.ones(2, requires_grad=True)
    leaves = [leaf]  # noqa: F841 - another name for it
    graph = hookviz.capture((leaf * 2).sum(), names={name: leaf})
    [tensor] = [tensor for tensor in graph.tensors if tensor.is_leaf]
    assert tensor.names == (name, "leaf", "leaves[0]")


def test_a_variable_of_the_shell_names_a_tensor_only_where_nothing_else_does() -> None:
    _ = torch.ones(2, requires_grad=True)
    named = torch.ones(2, requires_grad=True)
    _3 = named
    graph = hookviz.capture((_ * named).sum())
    leaves = sorted(tensor.names for tensor in graph.tensors if tensor.is_leaf)
    assert leaves == [("_",), ("named",)]
