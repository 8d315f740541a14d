"""Write the state of the explorer for the worked example, for the preview page and the tests.

Run from the root of the repository: python js/preview/make_state.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from hookviz.view.message import render  # noqa: E402
from hookviz.view.panel import panel_data  # noqa: E402
from hookviz.view.picture import picture_svg  # noqa: E402
from hookviz.view.steps import build_steps, to_json_data  # noqa: E402
from hookviz.view.value_book import ValueBook  # noqa: E402

from hookviz.languages import LANGUAGES, table  # noqa: E402
from tests.view.example import second_example  # noqa: E402

SOURCES = {
    "c_hook": 'def c_hook(grad):\n    print("c_hook", grad)\n    return grad + 2\n',
}


def main() -> None:
    """Write `second_example.json` beside this file."""
    graph, events = second_example()
    steps, book = build_steps(graph, events), ValueBook()
    tensors = panel_data(graph)
    for tensor in tensors:
        for hook in tensor["hooks"]:
            hook["source"] = hook["source"] or SOURCES.get(hook["label"], hook["label"])
    state = {
        "picture": picture_svg(graph, steps, step=0, lang="en"),
        "steps": to_json_data(steps, book),
        "values": book.data(),
        "strings": {lang: dict(table(lang)) for lang in LANGUAGES},
        "tensors": tensors,
        "step": 0,
        "selected": "",
        "lang": "en",
        "theme": "auto",
        "title": "e.backward()",
        "transcript": {
            lang: "\n".join(render(step.line, lang) for step in steps[1:]) for lang in LANGUAGES
        },
        "notice": None,
        "busy": False,
    }
    text = json.dumps(state, ensure_ascii=False, indent=1, sort_keys=True)
    (HERE / "second_example.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
