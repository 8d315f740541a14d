"""Answer the `hookviz` command: the tutorials, or a script whose backward is to be recorded."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from hookviz._cli import lab
from hookviz._unmodified import script

_OF_LAB = ("lab", "-h", "--help", "--version")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in _OF_LAB:
        return lab.main(given)
    return script.main(given)
