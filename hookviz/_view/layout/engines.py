"""Run Graphviz on DOT text: inside this process, in a child process, or as the `dot` program.

Every function returns Graphviz's own JSON or raises; `graphviz` beside it decides what then.
Nothing here writes to the user's terminal: boxes come with fixed sizes and empty labels, so
Graphviz neither looks for fonts nor complains about text that does not fit, and what a child
process writes to its standard error is kept from the screen.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading

from hookviz._view.layout import process as layout_process

# Graphviz is not safe to enter from two threads at once.
_GRAPHVIZ_LOCK = threading.Lock()


class EngineError(RuntimeError):
    """Graphviz is not there, or failed."""


class EngineTimeout(EngineError):  # noqa: N818
    """Graphviz took too long, so another Graphviz would too."""


def has_pygraphviz() -> bool:
    """Return whether the Graphviz that pygraphviz brings along can be used."""
    # Looking through the path takes longer than laying out a small graph, so it is asked once.
    return "pygraphviz" in sys.modules or importlib.util.find_spec("pygraphviz") is not None


def has_dot() -> bool:
    """Return whether the `dot` program is on the PATH."""
    return shutil.which(_dot_program()) is not None


def run_here(dot: str) -> str:
    """Lay out a small graph in this process.

    pygraphviz holds the GIL while it works and Graphviz can abort, so this is for graphs whose
    layout takes milliseconds.
    """
    try:
        with _GRAPHVIZ_LOCK:
            return layout_process.draw(dot)
    # pygraphviz raises whatever its C wrapper produces; any failure means "try the next engine".
    except Exception as error:
        raise EngineError(f"pygraphviz could not lay out the graph: {error}") from error


def run_in_child(dot: str, *, timeout: float) -> str:
    """Lay out a graph with pygraphviz in another process and stop it after `timeout` seconds."""
    if not sys.executable:
        raise EngineError("this Python does not know its own program, so it cannot start another")
    # The child finds the same packages as this process, also those that a notebook put on its path.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # Given as a plain script, it would see this folder's `numbers.py` in place of Python's own.
    run_script = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"
    command = [sys.executable, "-c", run_script, layout_process.__file__]
    return _run(command, dot, timeout=timeout, environment=environment)


def run_program(dot: str, *, timeout: float) -> str:
    """Lay out a graph with the `dot` program and stop it after `timeout` seconds."""
    return _run([_dot_program(), "-Kdot", "-Tjson0"], dot, timeout=timeout, environment=None)


def _dot_program() -> str:
    # The graphviz package is where a user names another `dot`; its own `pipe` has no time-out.
    from graphviz.backend.dot_command import DOT_BINARY

    return str(DOT_BINARY)


def _run(
    command: list[str], dot: str, *, timeout: float, environment: dict[str, str] | None
) -> str:
    try:
        finished = subprocess.run(
            command,
            input=dot.encode("utf-8"),
            capture_output=True,
            timeout=timeout,
            env=environment,
            check=True,
            # Without this a console window opens for a moment on Windows.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired as error:
        raise EngineTimeout(f"{command[0]} took more than {timeout} seconds") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise EngineError(f"{command[0]} could not lay out the graph: {error}") from error
    return finished.stdout.decode("utf-8")
