"""Measure what recording costs: `python -m benchmarks.record`.

Plain `backward()` and `hookviz.record()` take turns on the same graph, so that whatever else the
machine does hits both; the ratio of their medians is what counts. What the first look at a trace
costs, when its records are made, stands in a column of its own.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

import hookviz
from benchmarks.models import Case, chain, lenet, resnet50


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured of one case, in seconds: medians over all rounds."""

    plain: float
    recorded: float
    looked_at: float
    nodes: int

    @property
    def per_node(self) -> float:
        """How much more recording takes for each node."""
        return (self.recorded - self.plain) / self.nodes


def seconds(run: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(case: Case, *, rounds: int) -> Cost:
    """Measure plain backward, record, and the first look at what was recorded, in turns."""
    loss = case.build()
    nodes = nodes_behind(loss)
    leaves = [node.variable for node in nodes if hasattr(node, "variable")]
    count = len(nodes)
    del nodes  # record() looks for names in the variables of whoever calls it
    traces: list[hookviz.Trace] = []
    times = []
    for _ in range(rounds + 1):
        clear(leaves)
        plain = seconds(lambda: loss.backward(retain_graph=True))
        clear(leaves)
        traces.clear()
        recorded = seconds(lambda: traces.append(hookviz.record(loss)))
        times.append((plain, recorded, seconds(lambda: traces[0].events)))
    # The first round warms up.
    return Cost(*map(statistics.median, zip(*times[1:], strict=True)), count)


def nodes_behind(loss: torch.Tensor) -> list[Any]:
    """Return the nodes of a graph."""
    nodes: dict[Any, None] = {loss.grad_fn: None}
    queue = list(nodes)
    while queue:
        for next_node, _ in queue.pop().next_functions:
            if next_node is not None and next_node not in nodes:
                nodes[next_node] = None
                queue.append(next_node)
    return list(nodes)


def clear(leaves: list[torch.Tensor]) -> None:
    """Start the next pass without any `.grad`."""
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
        (lenet(), 200),
        (lenet(64), 60),
        (chain(100), 100),
        (chain(10_000), 7),
        (resnet50(), 9),
    ):
        cost = compare(case, rounds=rounds)
        per_node[case.name] = cost.per_node
        print(
            f"{case.name:32} {cost.nodes:6} nodes  plain {cost.plain * 1e3:8.2f} ms  "
            f"record {cost.recorded * 1e3:8.2f} ms  ratio {cost.recorded / cost.plain:5.2f}  "
            f"extra {(cost.recorded - cost.plain) * 1e3:7.2f} ms  "
            f"first look {cost.looked_at * 1e3:6.2f} ms"
        )
    ratio = per_node["chain of 10,000"] / per_node["chain of 100"]
    print(f"extra per node, chain of 10,000 against 100: {ratio:.2f}")
    bare, both = import_cost()
    print(f"import torch {bare * 1e3:.0f} ms, and hookviz {(both - bare) * 1e3:+.0f} ms")


if __name__ == "__main__":
    main()
