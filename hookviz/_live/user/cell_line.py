"""Know the first line of a recorded cell: as the user writes it, and as IPython runs it."""

from __future__ import annotations

import ast
import re

NAME = "hookviz"

_RUN = re.compile(rf"get_ipython\(\)\.run_line_magic\('{NAME}', (.*)\)\s*")


def as_run(line: str) -> str | None:
    """Return the line of Python in place of `%%hookviz ...`; `None` for any other line."""
    name, _, options = line.rstrip().partition(" ")
    return f"get_ipython().run_line_magic({NAME!r}, {options!r})\n" if name == f"%%{NAME}" else None


def as_written(line: str) -> str:
    """Return the first line of a cell as the user wrote it; one without the magic is as it was."""
    found = _RUN.fullmatch(line)
    return line if found is None else f"%%{NAME} {ast.literal_eval(found[1])}".rstrip()
