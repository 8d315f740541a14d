"""Measure how long a step takes on the page: `python -m benchmarks.stepping`.

Chromium shows a real explorer on an empty page. The time is what the page works from a key to the
frame that shows the step: script, style, layout and paint, all that the page's thread does. It is
time of the processor, so that other programs on the machine count less. The wait for the next beat
of the screen's clock in between, at most 17 ms, is left out; so is what comes after the page is
done, the drawing of its pixels, which a graphics card does where there is one.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import torch
from playwright.sync_api import Browser, sync_playwright

import hookviz
from hookviz._widget.explorer import Explorer
from tests.browser.conftest import CHROMIUM_FLAGS
from tests.browser.plain_page import PlainPage
from tests.requirements_of_tests import need_chromium

STEPS = 200
"""More than a small pass has: at its end the keys go back again."""

PRESS = """async (count) => {
    const root = document.querySelector('.hv-root');
    const slider = root.querySelector('input[type=range]');
    root.focus();
    let key = 'ArrowRight';
    for (let step = 0; step < count; step += 1) {
        if (Number(slider.value) === Number(slider.max)) key = 'ArrowLeft';
        if (Number(slider.value) === 0) key = 'ArrowRight';
        performance.mark('hookviz-step');
        root.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
        await new Promise((done) => setTimeout(done, 50));
    }
}"""

# Without `devtools.timeline`: it counts all elements of the page at each layout.
CATEGORIES = ["blink.user_timing", "cc", "toplevel"]


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of some steps: at half of them, at 95 of 100, and of the script alone."""

    half: float
    most: float
    script: float


def network(layers: int, *, is_open: bool) -> Explorer:
    """Return an explorer of `layers` layers, three functions and a weight each."""
    torch.manual_seed(0)
    hidden = torch.ones(1, 4)
    for weight in [torch.randn(4, 4, requires_grad=True) for _ in range(layers)]:
        hidden = torch.tanh(hidden @ weight)
    explorer = hookviz.explore(hidden.sum())
    if is_open:
        explorer.expand_all()
    return explorer


def measure(browser: Browser, explorer: Explorer, **context: Any) -> Times:
    """Step through a pass, and read from the browser's own trace what the steps cost."""
    plain = PlainPage.open(browser, explorer, **context)
    plain.page.wait_for_timeout(1500)
    plain.page.evaluate(PRESS, 10)
    browser.start_tracing(page=plain.page, categories=CATEGORIES)
    plain.page.evaluate(PRESS, STEPS)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    plain.close()
    steps = list(work_of_steps(events))
    work = sorted(script + frame for script, frame in steps)
    return Times(
        half=statistics.median(work),
        most=work[int(0.95 * len(work))],
        script=statistics.median(script for script, _ in steps),
    )


def work_of_steps(events: list[dict[str, Any]]) -> Iterator[tuple[float, float]]:
    """Yield for each key the milliseconds of its script, and of all that follows to its frame."""
    keys = [event for event in events if event["name"] == "hookviz-step"]
    page = {(key["pid"], key["tid"]) for key in keys}
    spans = sorted(
        (e for e in events if e.get("ph") == "X" and (e["pid"], e["tid"]) in page),
        key=itemgetter("ts"),
    )
    tasks = [span for span in spans if span["name"] == "ThreadControllerImpl::RunTask"]
    frames = [span for span in spans if span["name"] == "ProxyMain::BeginMainFrame"]
    for key in keys:
        script = next((task for task in tasks if key["ts"] < end_of(task)), None)
        if script is None:
            continue
        frame = next((frame for frame in frames if frame["ts"] >= end_of(script)), None)
        if frame is None:
            continue
        # A layout may come before the frame, as a task of its own.
        rest = [task for task in tasks if end_of(script) <= task["ts"] <= frame["ts"]]
        yield worked(script), sum(worked(task) for task in rest)


def end_of(span: dict[str, Any]) -> float:
    """Return the microsecond at which it was over."""
    end: float = span["ts"] + span["dur"]
    return end


def worked(span: dict[str, Any]) -> float:
    """Return milliseconds of the processor; on some systems only those of the clock are told."""
    microseconds: float = span.get("tdur", span["dur"])
    return microseconds / 1000


def main() -> None:
    """Measure and print a table."""
    cases = {
        "20 functions and 6 weights": network(6, is_open=True),
        "1,000 functions and 333 weights, folded": network(333, is_open=False),
        "the same, all boxes open": network(333, is_open=True),
    }
    load = os.getloadavg()[0]
    print(f"torch {torch.__version__}; {os.cpu_count()} cores, load {load:.1f}")
    print("| graph | drawn elements | stops | script | half of the steps | 95 of 100 steps |")
    print("|---|--:|--:|--:|--:|--:|")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need_chromium(), args=CHROMIUM_FLAGS)
        for name, explorer in cases.items():
            found = measure(browser, explorer)
            print(
                f"| {name} | {explorer.picture.count('</'):,} | {len(explorer.stops):,} "
                f"| {found.script:.1f} ms | {found.half:.1f} ms | {found.most:.1f} ms |",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
