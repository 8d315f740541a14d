"""Draw the legend and the transcript below a graph."""

from __future__ import annotations

from hookviz._view.scene.fields import room_for
from hookviz._view.svg.element import Element, element, words
from hookviz._view.text.message import Message
from hookviz._view.text.width import clean, cut, width_in_em

LEGEND_SIZE = 11.0
LINE_HEIGHT = 17.0
TRANSCRIPT_SIZE = 12.0
MOST_TRANSCRIPT_LINES = 300
TRANSCRIPT_EM = 66.0
"""Where a line of the transcript goes on in the next one."""

_SAMPLE_WIDTH = 24.0
_ITEM_GAP = 20.0
_LEGEND = ("direction", "incoming", "rewritten", "leaf", "pending")
_LEGEND_OF_FORWARD = ("values", "order", "rewritten")
_FORWARD_SAMPLES = frozenset({"values", "order"})


def draw_legend(
    width: float, top: float, lang: str, *, is_forward: bool = False, has_order: bool = False
) -> tuple[Element, float]:
    """Return the legend, and how high it is when it may be `width` pixels wide.

    Args:
        width: Room for it.
        top: Where it begins.
        lang: The language to show.
        is_forward: Whether the arrows go the way of the values instead of the gradients.
        has_order: Whether there are arrows from one call to the next.
    """
    group = element("g", class_="hv-legend")
    x, y = 0.0, 0.0
    for name in _LEGEND_OF_FORWARD if is_forward else _LEGEND:
        if name == "order" and not has_order:
            continue
        text = Message(f"ui.legend.{name}")
        item_width = _SAMPLE_WIDTH + room_for(text) * LEGEND_SIZE
        if x and x + item_width > width:
            x, y = 0.0, y + LINE_HEIGHT
        group.append(
            element(
                "g",
                *_sample(name),
                words("text", text, lang, x=_SAMPLE_WIDTH, y=4),
                class_=f"hv-legend-item hv-legend-{name}",
                transform=f"translate({x:.1f} {y:.1f})",
            )
        )
        x += item_width + _ITEM_GAP
    group.set("transform", f"translate(12 {top + 8:.1f})")
    return group, y + LINE_HEIGHT


def draw_transcript(transcript: str, top: float, lang: str) -> tuple[Element, float, float]:
    """Return the lines of a transcript, how wide they are, and how high."""
    lines = wrap_lines(transcript)
    group = element("g", class_="hv-transcript", transform=f"translate(12 {top:.1f})")
    for place, line in enumerate(lines[:MOST_TRANSCRIPT_LINES]):
        text = element("text", text=line, y=LINE_HEIGHT * (place + 1))
        text.set("xml:space", "preserve")
        group.append(text)
    left_out = len(lines) - MOST_TRANSCRIPT_LINES
    if left_out > 0:
        message = Message("picture.more_lines", {"count": str(left_out)})
        group.append(words("text", message, lang, y=LINE_HEIGHT * (MOST_TRANSCRIPT_LINES + 1)))
    widest = max((width_in_em(line) for line in lines), default=0.0)
    height = LINE_HEIGHT * (min(len(lines), MOST_TRANSCRIPT_LINES + 1) + 0.5)
    return group, widest * TRANSCRIPT_SIZE, height


def wrap_lines(text: str) -> list[str]:
    """Return the lines of `text`; a line longer than `TRANSCRIPT_EM` goes on with an indent."""
    lines: list[str] = []
    for line in text.splitlines():
        # A transcript may show ten thousand characters of one print; a picture need not.
        rest, indent = cut(clean(line.expandtabs(4)), 8 * TRANSCRIPT_EM), ""
        while width_in_em(rest) > TRANSCRIPT_EM:
            kept = cut(rest, TRANSCRIPT_EM)[:-1]
            head, space, _ = kept.rpartition(" ")
            if space and len(head) > len(kept) // 2:
                kept = head
            lines.append(kept)
            indent = " " * (len(line) - len(line.lstrip()) + 4)
            rest = indent + rest[len(kept) :].lstrip()
        lines.append(rest)
    return lines


def _sample(name: str) -> list[Element]:
    if name in {"leaf", "rewritten"}:
        return [element("rect", class_="hv-swatch", y=-5, width=18, height=10, rx=3)]
    if name in _FORWARD_SAMPLES:
        return [
            element("path", class_="hv-line", d="M0 0L11 0"),
            element("path", class_="hv-arrow", d="M10 -3.8L18 0L10 3.8Z"),
        ]
    return [
        element("path", class_="hv-line", d="M18 0L7 0"),
        element("path", class_="hv-arrow", d="M8 -3.8L0 0L8 3.8Z"),
    ]
