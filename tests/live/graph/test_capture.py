from __future__ import annotations

import torch

import hookviz


def test_capture_reads_small_tensors_and_of_large_ones_only_what_they_are() -> None:
    small = torch.tensor([1.0, 2.0], requires_grad=True)
    large = torch.ones(65, 2, dtype=torch.float64, requires_grad=True)
    graph = hookviz.capture((large @ small.double()).sum())
    assert graph.find("small").value.tolist() == [1.0, 2.0]
    value = graph.find("large").value
    assert (value.shape, value.dtype, value.values, value.summary) == (
        (65, 2),
        "float64",
        None,
        None,
    )
    assert value.note == ""
    assert "[65, 2]" in graph.svg()


def test_recording_reads_large_tensors_all_the_same() -> None:
    large = torch.ones(65, requires_grad=True)
    value = hookviz.record(large.sum()).graph.find("large").value
    assert value.summary is not None
