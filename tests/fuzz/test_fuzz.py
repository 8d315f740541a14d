"""With hookviz watching, a random backward is bit for bit what plain PyTorch gives."""

from __future__ import annotations

import pytest
import torch
from hypothesis import HealthCheck, given, note, settings

from tests.fuzz.edits import Edit, check_edits
from tests.fuzz.oracle import check
from tests.fuzz.program import Program
from tests.fuzz.strategies import programs, repeatable_programs, sequences

few = settings(
    max_examples=220,
    deadline=None,
    print_blob=True,
    derandomize=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small tensors are faster on one."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@few
@given(programs())
def test_a_recorded_backward_is_the_plain_one_and_its_trace_tells_it(program: Program) -> None:
    note(program.script())
    check(program)


@settings(few, max_examples=80)
@given(repeatable_programs(), sequences)
def test_each_edit_in_a_session_leaves_the_grads_of_one_plain_backward(
    program: Program, edits: tuple[Edit, ...]
) -> None:
    note(program.script())
    check_edits(program, edits)
