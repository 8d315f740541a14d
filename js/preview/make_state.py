"""Write the state of the explorer for the worked example, for the preview page and the tests.

Run from any folder: python js/preview/make_state.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from hookviz._languages import LANGUAGES, table  # noqa: E402
from hookviz._records import TraceRecord  # noqa: E402
from hookviz._view.page.data import explorer_data  # noqa: E402
from hookviz._view.saved.page import AT_START  # noqa: E402
from hookviz._view.steps.steps import build_steps  # noqa: E402
from tests.view.example import second_example  # noqa: E402

SOURCES = {
    "c_hook": 'def c_hook(grad):\n    print("c_hook", grad)\n    return grad + 2\n',
}


def main() -> None:
    """Write `second_example.json` beside this file."""
    graph, events = second_example()
    trace = TraceRecord(graph=graph, events=events, grads={})
    state = {**AT_START, **explorer_data(trace, build_steps(graph, events))}
    for tensor in state["tensors"]:
        for hook in tensor["hooks"]:
            hook["source"] = hook["source"] or SOURCES.get(hook["label"], hook["label"])
    # All words: the tests change what the state holds.
    state |= {"lang": "en", "strings": {lang: dict(table(lang)) for lang in LANGUAGES}}
    (HERE / "second_example.json").write_text(json.dumps(state), encoding="utf-8")


if __name__ == "__main__":
    main()
