"""The first recording of a process loads nothing that recording does not need."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
import torch
before = set(sys.modules)
import hookviz

a = torch.tensor(2.0, requires_grad=True)
c = a * 3
c.register_hook(lambda grad: grad + 2)
root = c * torch.nn.Linear(1, 1)(a.view(1))
trace = hookviz.record({root})
assert len(trace.events) > 5
print(*sorted(set(sys.modules) - before), sep="\\n")
"""


def loaded_by(root: str) -> set[str]:
    """Return the packages that a fresh interpreter loads to record, beside what torch has."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.replace("{root}", root)],
        capture_output=True,
        text=True,
        check=True,
    )
    packages = {name.partition(".")[0] for name in done.stdout.split()}
    # Python's own record of how it was built has a name that differs from system to system.
    built = {name for name in packages if name.startswith("_sysconfigdata")}
    return packages - built - sys.stdlib_module_names


def test_a_recording_loads_only_hookviz_and_msgspec() -> None:
    assert loaded_by("root") == {"hookviz", "msgspec"}


def test_a_gradient_that_is_given_has_pytorch_load_sympy() -> None:
    # The twin of the test above: what it looks for is found where it is there.
    assert loaded_by("root, gradient=torch.ones(1)") >= {"sympy", "torch"}
