"""Run many random programs: `python -m tests.fuzz --examples 20000 [--seed N]`."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

from tests.fuzz.edits import check_edits
from tests.fuzz.oracle import check
from tests.fuzz.strategies import programs, repeatable_programs, sequences

say = print
"""A command speaks by printing."""

CHUNK = 500
"""So many at a time: a failure ends its chunk only, and each chunk has a seed to repeat it by."""


def main() -> int:
    """Run, say how it goes, and return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--examples", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    torch.set_num_threads(1)
    start, done, failed = time.perf_counter(), 0, 0
    for number, first in enumerate(range(0, options.examples, CHUNK)):
        many = min(CHUNK, options.examples - first)
        ran, problem = run_chunk(options.seed + number, many)
        done += ran
        failed += problem is not None
        spent = time.perf_counter() - start
        say(f"{spent:7.1f} s  {done:6} examples  {failed} failed", flush=True)
        if problem is not None:
            say(f"seed {options.seed + number}, {many} examples:\n{problem}", flush=True)
    spent = time.perf_counter() - start
    say(
        f"{done} examples in {spent:.0f} s ({1000 * spent / max(done, 1):.1f} ms each), "
        f"seed {options.seed}, torch {torch.__version__}: {failed} failed"
    )
    return int(failed > 0)


def run_chunk(first_seed: int, many: int) -> tuple[int, str | None]:
    """Run some examples; return how many ran until one failed, and what failed.

    A quarter of the chunks are edits in a session, the others recorded passes.
    """
    ran, failing = 0, False
    is_edits = first_seed % 4 == 3
    drawn = [repeatable_programs(), sequences] if is_edits else [programs()]
    examine = check_edits if is_edits else check

    @seed(first_seed)
    @settings(
        max_examples=many,
        database=None,
        deadline=None,
        print_blob=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.tuples(*drawn))
    def one(case: tuple[Any, ...]) -> None:
        nonlocal ran, failing
        ran += not failing  # what is run to make a failing program shorter does not count
        try:
            examine(*case)
        except BaseException:
            failing = True
            note(case[0].script())
            raise

    try:
        one()
    except Exception as error:  # noqa: BLE001 - whatever an assertion finds
        return ran, describe(error)
    return ran, None


def describe(error: BaseException) -> str:
    """Return what failed, once for each kind of failure that was found."""
    several = getattr(error, "exceptions", None)
    if several:
        return "\n\n".join(map(describe, several))
    frames = traceback.format_tb(error.__traceback__)[-2:]
    return "\n".join(
        [*frames, f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())]
    )


if __name__ == "__main__":
    sys.exit(main())
