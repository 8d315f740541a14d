"""Put the pictures of a pass into one SVG that shows them one after the other, without a script."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hookviz.errors import HookvizError

MOST_FRAMES = 120
"""More pictures than this make a file that no browser plays well."""

_SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="0 0 (?P<width>[\d.]+) (?P<height>[\d.]+)"')
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)


def animated_svg(pictures: Sequence[str], *, seconds: float) -> str:
    """Return one SVG that plays the pictures over and over.

    Where a reader has asked for less motion, and where animations are not known, the last picture
    stands still.

    Args:
        pictures: Complete standalone `<svg>` elements of one size, in order.
        seconds: How long each is shown.

    Raises:
        HookvizError: If there are too many, or none, or the time is no positive number.
    """
    if not isinstance(seconds, int | float) or not 0.1 <= seconds <= 60:
        raise HookvizError(f"seconds={seconds!r}; each picture is shown for 0.1 to 60 seconds.")
    if not 1 <= len(pictures) <= MOST_FRAMES:
        raise HookvizError(
            f"this pass has {len(pictures)} stops; an animation holds 1 to {MOST_FRAMES}. Close "
            "boxes with collapse(), so that what is inside is one stop."
        )
    size = _SIZE.search(pictures[0])
    style = _STYLE.search(pictures[0])
    if size is None:
        raise HookvizError("the pictures have no size, so they cannot be put on top of each other.")
    width, height = size["width"], size["height"]
    whole = seconds * len(pictures)
    shown = 100 / len(pictures)
    rules = (
        ".hv-frame-of-film{visibility:hidden}"
        ".hv-frame-of-film:last-of-type{visibility:visible}"
        "@media (prefers-reduced-motion:no-preference){"
        ".hv-frame-of-film,.hv-frame-of-film:last-of-type{visibility:hidden;"
        f"animation:hv-film {whole:g}s step-end infinite}}"
        "}"
        f"@keyframes hv-film{{0%{{visibility:visible}}{shown:.4f}%{{visibility:hidden}}}}"
    )
    # One style sheet for all of them.
    frames = "".join(
        f'<g class="hv-frame-of-film" style="animation-delay:{place * seconds:g}s">'
        f"{_STYLE.sub('', picture)}</g>"
        for place, picture in enumerate(pictures)
    )
    own = style[0] if style is not None else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">{own}<style>{rules}</style>{frames}</svg>'
    )
