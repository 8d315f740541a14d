"""Measure how long a picture takes: `python -m benchmarks.picture`.

From the loss to the SVG in hand, as a cell shows it: hookviz draws the folded start. Its peers
draw everything, which is what they offer. All take turns on the same graph, so that whatever
else the machine does hits all of them; the ratio of their medians is what counts. On a machine
that others use, `--clock cpu --threads 1` counts processor time instead, that of `dot` included.

The peers are no dependency of hookviz. To measure them as well, install them and Graphviz's
`dot`, which they run: `python -m pip install torchviz torchview`, and for instance
`apt-get install graphviz`. What is missing is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import statistics
import time
from collections.abc import Callable

import torch

import hookviz
from benchmarks.models import Case, lenet, lstm, resnet50, resnet152, transformer
from hookviz._view.groups.find import group_tree
from hookviz._view.page.boxes import expansion_data
from hookviz._view.page.data import explorer_data
from hookviz._view.steps.steps import build_steps

HAS_DOT = shutil.which("dot") is not None
HAS_TORCHVIZ = HAS_DOT and importlib.util.find_spec("torchviz") is not None
HAS_TORCHVIEW = HAS_DOT and importlib.util.find_spec("torchview") is not None

GOALS = {
    "LeNet, batch 4": 2.0,
    "ResNet-50-like, batch 2, 64 px": 2.0,
    "ResNet-152-like, batch 1, 64 px": 2.0,
    "transformer, 12 layers": 2.0,
    "LSTM by hand, 25 steps": 50.0,
}
"""How many times faster than torchviz hookviz is to be."""

LONGEST = 0.5
LONGEST_EXPANSION = 0.1


CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter}
try:
    import resource

    CLOCKS["cpu"] = lambda: sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )
except ImportError:  # Windows has no such count.
    pass


def seconds(run: Callable[[], object], clock: str) -> float:
    """Return how long one call takes."""
    start = CLOCKS[clock]()
    run()
    return CLOCKS[clock]() - start


def hookviz_picture(loss: torch.Tensor) -> str:
    """Return hookviz's picture of what is behind a loss."""
    return hookviz.capture(loss).svg()


def torchviz_picture(loss: torch.Tensor, case: Case) -> bytes:
    """Return torchviz's picture."""
    import torchviz

    parameters = dict(case.model.named_parameters()) if case.model is not None else {}
    drawn: bytes = torchviz.make_dot(loss, params=parameters).pipe(format="svg")
    return drawn


def torchview_picture(case: Case) -> bytes:
    """Return torchview's picture; it has no way around a forward of its own."""
    import torchview

    graph = torchview.draw_graph(case.model, input_data=case.x, device="cpu", depth=3)
    drawn: bytes = graph.visual_graph.pipe(format="svg")
    return drawn


def compare(case: Case, rounds: int, clock: str, *, peers: bool = True) -> dict[str, list[float]]:
    """Return the seconds of every round, by tool, after one round that warms up."""
    loss = build(case)
    tools: dict[str, Callable[[], object]] = {"hookviz": lambda: hookviz_picture(loss)}
    if HAS_TORCHVIZ and peers:
        tools["torchviz"] = lambda: torchviz_picture(loss, case)
    if HAS_TORCHVIEW and peers:
        tools["torchview"] = lambda: torchview_picture(case)
    found: dict[str, list[float]] = {name: [] for name in tools}
    hookviz_picture(loss)
    for _ in range(rounds):
        for name, run in tools.items():
            found[name].append(seconds(run, clock))
    return found


def build(case: Case) -> torch.Tensor:
    """Run the forward while hookviz watches which module makes which node."""
    if case.model is None:
        return case.build()
    with hookviz.watch(case.model):
        return case.build()


def slowest_expansion(case: Case, clock: str, rounds: int = 5) -> tuple[float, int]:
    """Return the median seconds of opening the box that takes longest, and how many were tried."""
    trace = hookviz.record(build(case))
    tree = group_tree(trace.graph)
    steps = build_steps(trace.graph, trace.events, tree=tree)
    start = explorer_data(trace, steps, tree=tree)["expanded"]
    slowest = 0.0
    closed = [
        group.id
        for group in tree.groups.values()
        if group.id not in start and group.parent in ("", *start) and tree.can_open(group.id)
    ]
    for key in closed:
        opened = [*start, key]

        def expand(opened: list[str] = opened) -> object:
            return expansion_data(trace, steps, opened, tree=tree)

        taken = [seconds(expand, clock) for _ in range(rounds)]
        slowest = max(slowest, statistics.median(taken))
    return slowest, len(closed)


def report(case: Case, found: dict[str, list[float]], clock: str) -> None:
    """Print one line per tool, and whether the goal is reached."""
    medians = {name: statistics.median(taken) for name, taken in found.items()}
    mine = medians["hookviz"]
    slowest, count = slowest_expansion(case, clock)
    print(f"{case.name}")
    verdict = _said(is_reached=mine <= LONGEST)
    print(f"  hookviz    {mine * 1e3:9.1f} ms   goal {LONGEST * 1e3:.0f} ms: {verdict}")
    for name in ("torchviz", "torchview"):
        if name not in medians:
            continue
        ratio = medians[name] / mine
        goal = GOALS.get(case.name) if name == "torchviz" else None
        verdict = "" if goal is None else f", goal {goal:.0f}: {_said(is_reached=ratio >= goal)}"
        print(f"  {name:10} {medians[name] * 1e3:9.1f} ms   {ratio:.2f} times hookviz{verdict}")
    print(
        f"  opening the slowest of {count} boxes {slowest * 1e3:.1f} ms   "
        f"goal {LONGEST_EXPANSION * 1e3:.0f} ms: {_said(is_reached=slowest <= LONGEST_EXPANSION)}"
    )


def _said(*, is_reached: bool) -> str:
    return "reached" if is_reached else "NOT REACHED"


def main() -> None:
    """Print a few lines per case."""
    parser = argparse.ArgumentParser(description="Measure how long a picture takes.")
    parser.add_argument("--rounds", type=int, default=11, help="how often each picture is drawn")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="which time to count")
    parser.add_argument("--threads", type=int, help="how many threads PyTorch may use")
    options = parser.parse_args()
    rounds, clock = options.rounds, options.clock
    if options.threads:
        torch.set_num_threads(options.threads)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads")
    print(f"medians of {rounds} rounds, {clock} time")
    for name, is_there in (("torchviz", HAS_TORCHVIZ), ("torchview", HAS_TORCHVIEW)):
        if not is_there:
            print(f"{name} is left out: it or the dot program is not installed")
    for case in (lenet(), resnet50(2, 64), resnet152(), transformer()):
        report(case, compare(case, rounds, clock), clock)
    # torchviz draws one box for a weight of every step: that takes minutes.
    report(lstm(25), compare(lstm(25), 1, clock), clock)
    report(lstm(100), compare(lstm(100), rounds, clock, peers=False), clock)


if __name__ == "__main__":
    main()
