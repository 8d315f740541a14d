"""Of many arguments a transcript tells all that can be read, and how many more there are."""

from __future__ import annotations

import pytest
import torch

import hookviz
from hookviz._trace import Trace
from hookviz._view.steps.steps import build_steps
from hookviz._view.text.message import render


def trace_of(count: int) -> Trace:
    class Shift(torch.nn.Module):
        def forward(self, *args: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return args

    shift = Shift()
    shift.register_forward_pre_hook(lambda module, args: tuple(a + 100 for a in args))
    given = [torch.tensor(float(n), requires_grad=True) for n in range(count)]
    with hookviz.watch(shift) as forward:
        plain = shift(*given)
    assert [value.item() for value in plain] == [n + 100 for n in range(count)]
    return forward.trace


@pytest.mark.parametrize(("count", "more"), [(4, 0), (5, 0), (16, 0), (17, 1), (40, 24)])
def test_the_transcript_tells_sixteen_changes_and_counts_the_rest(count: int, more: int) -> None:
    hook, forward = trace_of(count).text().splitlines()[2:4]
    for place in range(count):
        is_told = place < 16
        assert (f"args[{place}] {place} → {place + 100}" in hook) == is_told
        assert (f"output[{place}] = {place + 100}" in forward) == is_told
    for line in (hook, forward):
        assert ("more" in line) == bool(more)
        assert more == 0 or line.endswith(f"; and {more} more")


@pytest.mark.parametrize(("lang", "said"), [("en", "; and 3 more"), ("zh", "；另有 3 项")])
def test_a_caption_tells_four_and_counts_the_rest(lang: str, said: str) -> None:
    trace = trace_of(7)
    steps = build_steps(trace.graph, trace.events)
    for step in steps[1:]:
        assert said in render(step.caption, lang)
        assert said in render(step.line, lang)
    assert "[4]" not in render(steps[1].caption, lang)
