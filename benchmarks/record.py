"""Measure what recording costs: `python -m benchmarks.record`.

Plain `backward()` and `hookviz.record()` take turns on the same graph, so that whatever else the
machine does hits both; the ratio of their medians is what counts.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

import hookviz
from benchmarks.models import Case, chain, lenet, resnet50


def seconds(run: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(case: Case, *, rounds: int) -> tuple[float, float, int]:
    """Return the median seconds of plain backward and of record, and the number of nodes."""
    loss = case.build()
    nodes = _nodes(loss)
    leaves = [node.variable for node in nodes if hasattr(node, "variable")]
    plain, recorded = [], []
    for turn in range(rounds + 1):
        _clear(leaves)
        one = seconds(lambda: loss.backward(retain_graph=True))
        _clear(leaves)
        other = seconds(lambda: hookviz.record(loss))
        if turn:  # the first round warms up
            plain.append(one)
            recorded.append(other)
    return statistics.median(plain), statistics.median(recorded), len(nodes)


def _nodes(loss: torch.Tensor) -> list[Any]:
    nodes: dict[Any, None] = {loss.grad_fn: None}
    queue = list(nodes)
    while queue:
        for next_node, _ in queue.pop().next_functions:
            if next_node is not None and next_node not in nodes:
                nodes[next_node] = None
                queue.append(next_node)
    return list(nodes)


def _clear(leaves: list[torch.Tensor]) -> None:
    for leaf in leaves:
        leaf.grad = None


def import_cost(rounds: int = 7) -> tuple[float, float]:
    """Return the median seconds of `import torch`, and of `import torch, hookviz`."""
    code = "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"

    def one(modules: str) -> float:
        command = [sys.executable, "-c", code.format(modules)]
        return float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)

    pairs = [(one("torch"), one("torch, hookviz")) for _ in range(rounds)]
    return statistics.median(p for p, _ in pairs), statistics.median(h for _, h in pairs)


def main() -> None:
    """Print one line per case."""
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    per_node = {}
    for case, rounds in (
        (lenet(), 60),
        (lenet(64), 30),
        (chain(100), 40),
        (chain(10_000), 7),
        (resnet50(), 7),
    ):
        plain, recorded, nodes = compare(case, rounds=rounds)
        per_node[case.name] = (recorded - plain) / nodes
        print(
            f"{case.name:32} {nodes:6} nodes  plain {plain * 1e3:9.2f} ms  "
            f"record {recorded * 1e3:9.2f} ms  ratio {recorded / plain:6.2f}  "
            f"extra {(recorded - plain) * 1e3:8.2f} ms"
        )
    ratio = per_node["chain of 10,000"] / per_node["chain of 100"]
    print(f"extra per node, chain of 10,000 against 100: {ratio:.2f}")
    bare, both = import_cost()
    print(f"import torch {bare * 1e3:.0f} ms, and hookviz {(both - bare) * 1e3:+.0f} ms")


if __name__ == "__main__":
    main()
