"""What code sees under `%%hookviz` is what it sees in a plain cell."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unmodified.programs import PROGRAMS, START
from tests.unmodified.shell import Shell, bits, tensors_of


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_sees_what_it_sees_in_a_plain_cell(
    new_shell: Callable[[], Shell], name: str
) -> None:
    plain, watched = new_shell(), new_shell()
    watched.run("%load_ext hookviz")

    plain.run(START)
    expected = plain.run("# plain\n" + PROGRAMS[name])
    watched.run(START)
    ran = watched.run("%%hookviz\n" + PROGRAMS[name])

    assert ran.printed == expected.printed
    assert type(ran.error) is type(expected.error)
    assert str(ran.error) == str(expected.error)
    assert ran.frames == expected.frames
    assert bits(watched.variables["seen"]) == bits(plain.variables["seen"])
    assert list(tensors_of(watched.variables)) == list(tensors_of(plain.variables))
