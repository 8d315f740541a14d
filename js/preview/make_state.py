"""Write the state of the explorer for the worked example, for the preview page and the tests.

Run from the root of the repository: python js/preview/make_state.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "view")]

from example import second_example  # noqa: E402

from hookviz.languages import LANGUAGES, table  # noqa: E402
from hookviz.records import HookRecord, TensorRecord  # noqa: E402
from hookviz.view.message import to_json_data as text_data  # noqa: E402
from hookviz.view.numbers import snapshot_text  # noqa: E402
from hookviz.view.picture import picture_svg  # noqa: E402
from hookviz.view.steps import build_steps, to_json_data  # noqa: E402

SOURCES = {
    "c_hook": 'def c_hook(grad):\n    print("c_hook", grad)\n    return grad + 2\n',
}


def main() -> None:
    """Write `second_example.json` beside this file."""
    graph, events = second_example()
    steps = build_steps(graph, events)
    state = {
        "picture": picture_svg(graph, steps, step=0, lang="en"),
        "steps": to_json_data(steps),
        "strings": {lang: dict(table(lang)) for lang in LANGUAGES},
        "tensors": [_tensor(order, tensor) for order, tensor in enumerate(graph.tensors)],
        "step": 0,
        "selected": "",
        "lang": "en",
        "theme": "auto",
        "title": "e.backward()",
        "transcript": {
            lang: "\n".join(_line(step.line, lang) for step in steps[1:]) for lang in LANGUAGES
        },
        "notice": None,
        "busy": False,
    }
    text = json.dumps(state, ensure_ascii=False, indent=1, sort_keys=True)
    (HERE / "second_example.json").write_text(text + "\n", encoding="utf-8")


def _line(text: object, lang: str) -> str:
    from hookviz.view.message import render

    return render(text, lang)  # type: ignore[arg-type]


def _tensor(order: int, tensor: TensorRecord) -> dict[str, object]:
    role = "leaf" if tensor.is_leaf else "non-leaf"
    return {
        "id": tensor.id,
        "label": tensor.label,
        "names": list(tensor.names),
        "role": "root" if tensor.is_root else role,
        "retains_grad": tensor.retains_grad,
        "shape": list(tensor.value.shape),
        "dtype": tensor.value.dtype,
        "device": tensor.value.device,
        "layout": tensor.value.layout,
        "value": text_data(snapshot_text(tensor.value)),
        "order": order,
        "hookable": True,
        "hooks": [_hook(hook) for hook in tensor.hooks],
    }


def _hook(hook: HookRecord) -> dict[str, object]:
    return {
        "id": hook.id,
        "kind": hook.kind,
        "label": hook.label,
        "source": hook.source or SOURCES.get(hook.label, hook.label),
        "origin": hook.origin,
        "enabled": hook.enabled,
        "location": hook.location,
        "editable": True,
    }


if __name__ == "__main__":
    main()
