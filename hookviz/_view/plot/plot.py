"""Plot how large gradients were, before and after hooks, with matplotlib."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hookviz._records import Event, GraphRecord, TensorRecord
from hookviz._view.plot.norms import Station, leaf_stations, stations_to
from hookviz._view.text.message import Message, render
from hookviz._view.text.width import clean, cut
from hookviz.errors import MissingPackageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours: blue for a gradient that arrives, orange for its value after hooks.
_ARRIVED = "#0072B2"
_REWRITTEN = "#D55E00"
_CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Serif CJK SC",
    "Noto Serif CJK JP",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans GB",
    "WenQuanYi Zen Hei",
    "SimHei",
    "Arial Unicode MS",
)
_LONGEST_LABEL = 28
_WIDE_RANGE = 100.0
"""From this ratio between the largest and the smallest on, the axis is logarithmic."""


def plot_pass(
    graph: GraphRecord, events: Sequence[Event], tensor: TensorRecord | None, *, lang: str
) -> Figure:
    """Return a figure of the way to one tensor, or of every leaf; see `Trace.plot`."""
    root = graph.root.label
    if tensor is None:
        title = Message("plot.leaves", {"tensor": root})
        return plot_stations(leaf_stations(graph, events), title=title, lang=lang)
    title = Message("plot.way", {"tensor": root, "leaf": tensor.label})
    return plot_stations(stations_to(graph, events, tensor), title=title, lang=lang)


def plot_stations(stations: Sequence[Station], *, title: Message, lang: str) -> Figure:
    """Return a figure of gradient norms, one point per station and two where hooks changed it.

    The figure is not registered with pyplot: a notebook shows it once, where it is returned.

    Args:
        stations: From left to right.
        title: Above the axes.
        lang: `"en"` or `"zh"`.

    Raises:
        MissingPackageError: If matplotlib is not installed.
    """
    # Here and not above: `import hookviz` does not load matplotlib.
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackageError(
            "plot() draws with matplotlib, which is not installed here: pip install matplotlib."
        ) from error

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            self.savefig(buffer, format="png", dpi=120, bbox_inches="tight")
            return buffer.getvalue()

    width = min(max(5.0, 0.55 * len(stations) + 2.0), 16.0)
    figure = ShownFigure(figsize=(width, 3.6), layout="constrained")
    axes = figure.add_subplot()
    places = range(len(stations))
    arrived = [_number(station.arrived) for station in stations]
    used = [_number(station.used) for station in stations]
    axes.plot(
        places,
        arrived,
        color=_ARRIVED,
        marker="o",
        linewidth=1.2,
        label=render(Message("plot.arrived"), lang),
    )
    changed = [place for place in places if stations[place].is_rewritten]
    if changed:
        _mark_rewritten(axes, changed, arrived, used, lang)
    axes.set_xticks(
        list(places),
        [cut(clean(station.label), _LONGEST_LABEL) for station in stations],
        rotation=45,
        ha="right",
        rotation_mode="anchor",
    )
    if _is_wide([*arrived, *used]):
        axes.set_yscale("log")
    axes.set_ylabel(render(Message("plot.norm"), lang))
    axes.set_title(render(title, lang), fontsize="medium")
    axes.grid(axis="y", alpha=0.3)
    legend = axes.legend(frameon=False, fontsize="small")
    families = _font_families()
    for text in (axes.title, axes.yaxis.label, *axes.get_xticklabels(), *legend.get_texts()):
        # A name is text: a dollar sign in it starts no formula.
        text.set_parse_math(False)
        text.set_fontfamily(families)
    return figure


def _font_families() -> list[str]:
    """Return matplotlib's own font, and one with Chinese characters where there is one."""
    from matplotlib.font_manager import fontManager

    known = {font.name for font in fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _CHINESE_FONTS if name in known)][:2]


def _mark_rewritten(
    axes: Any, places: list[int], arrived: list[float], used: list[float], lang: str
) -> None:
    axes.plot(
        places,
        [used[place] for place in places],
        color=_REWRITTEN,
        marker="D",
        linestyle="none",
        label=render(Message("plot.rewritten"), lang),
    )
    for place in places:
        ends = arrived[place], used[place]
        if all(map(math.isfinite, ends)):
            axes.plot((place, place), ends, color=_REWRITTEN, linewidth=1, linestyle=":")


def _number(norm: float | None) -> float:
    return math.nan if norm is None else norm


def _is_wide(norms: Sequence[float]) -> bool:
    shown = [norm for norm in norms if math.isfinite(norm)]
    if not shown or min(shown) <= 0:
        return False
    return max(shown) / min(shown) > _WIDE_RANGE
