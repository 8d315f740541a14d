"""Write several passes one under the other: the first, and those through what it made."""

from __future__ import annotations

from collections.abc import Sequence

from hookviz.records.trace import TraceRecord
from hookviz.view.message import Message, render
from hookviz.view.transcript import transcript

_NAMES = ("pass.first", "pass.second")


def passes_text(passes: Sequence[TraceRecord], *, lang: str = "en") -> str:
    """Return the transcripts of passes in their order, each under a line that says which it is.

    Args:
        passes: The first pass first; a single one has no such line.
        lang: `"en"` or `"zh"`.
    """
    texts = []
    for number, trace in enumerate(passes, start=1):
        text = transcript(
            trace.graph, trace.events, lang=lang, grads=trace.grads, error=trace.error
        )
        heading = render(_heading(number, len(passes)), lang)
        texts.append(f"{heading}\n\n{text}" if len(passes) > 1 else text)
    return "\n\n\n".join(texts)


def _heading(number: int, count: int) -> Message:
    names = dict(enumerate(_NAMES, start=1))
    name = Message(names.get(number, "pass.later"), {"number": str(number)})
    if number == 1:
        return Message("pass.made", {"pass": name})
    return Message("pass.through_made" if number < count else "pass.through", {"pass": name})
