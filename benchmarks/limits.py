"""Measure what no recorder in pure PyTorch can be cheaper than: `python -m benchmarks.limits`.

A recorder has to be called at every node, and it has to read every gradient at least once. Both
are measured here with hooks of one line each, and so are the readings that a summary is made of.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch

import hookviz
from benchmarks.models import Case, lenet, resnet50
from benchmarks.record import clear, nodes_behind, seconds
from hookviz._live.values.memory import distinct
from hookviz._live.values.moments import moments

Read = Callable[[torch.Tensor], object]

WAYS: dict[str, Read | None] = {
    "a hook that does nothing": lambda memory: None,
    "one reading (dot)": lambda memory: torch.dot(memory, memory).item(),
    "the five readings": moments,
}


def backward_read_by(read: Read, loss: torch.Tensor, nodes: list[Any]) -> None:
    """Run backward, and read the memory of each gradient that leaves a node once."""

    def left(grad_inputs: tuple[torch.Tensor | None, ...], _: object) -> None:
        for place, gradient in enumerate(grad_inputs):
            if gradient is not None and all(gradient is not g for g in grad_inputs[:place]):
                read(distinct(gradient)[0].reshape(-1))

    with ExitStack() as stack:
        for node in nodes:
            stack.callback(node.register_prehook(lambda _: None).remove)
            stack.callback(node.register_hook(left).remove)
        loss.backward(retain_graph=True)


def measure(case: Case, *, rounds: int) -> None:
    """Print what each way takes; all take turns."""
    loss = case.build()
    nodes = nodes_behind(loss)
    leaves = [node.variable for node in nodes if hasattr(node, "variable")]
    runs: dict[str, Callable[[], object]] = {
        "plain backward": lambda: loss.backward(retain_graph=True)
    }
    for name, read in WAYS.items():
        runs[name] = lambda read=read: backward_read_by(read, loss, nodes)
    runs["hookviz.record"] = lambda: hookviz.record(loss, names={})
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, run in runs.items():
            clear(leaves)
            times[name].append(seconds(run))
    plain = statistics.median(times["plain backward"][1:])
    print(case.name)
    for name, row in times.items():
        median = statistics.median(row[1:])
        print(f"  {name:26} {median * 1e3:8.2f} ms  ratio {median / plain:5.2f}")


def main() -> None:
    """Measure a small and a large network."""
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    measure(lenet(), rounds=200)
    measure(lenet(64), rounds=60)
    measure(resnet50(), rounds=9)


if __name__ == "__main__":
    main()
