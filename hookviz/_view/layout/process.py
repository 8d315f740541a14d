"""Lay out one graph with pygraphviz: DOT in, Graphviz's JSON out.

As a program it reads standard input and writes standard output. `engines` beside it starts it that
way for large graphs, since it can stop a process and outlives its crash. It imports nothing
of hookviz, so that the other process starts in a fraction of the time.
"""

from __future__ import annotations

import sys


def draw(dot: str) -> str:
    """Return Graphviz's JSON for DOT text; errors of pygraphviz pass through."""
    import pygraphviz

    drawn: bytes = pygraphviz.AGraph(string=dot).draw(format="json0", prog="dot")
    return drawn.decode("utf-8")


if __name__ == "__main__":
    sys.stdout.buffer.write(draw(sys.stdin.buffer.read().decode("utf-8")).encode("utf-8"))
