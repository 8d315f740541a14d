"""Check the parameters that several calls share, each with one sentence that lists the choices."""

from __future__ import annotations

from typing import Literal

from hookviz._languages import LANGUAGES
from hookviz.errors import HookvizError

Keep = Literal["summary", "all"]
"""How much of a tensor a recording keeps.

`"summary"` keeps at most 64 elements whole and summarizes larger tensors; `"all"` keeps every
element.
"""


def check_language(lang: str | None) -> str:
    """Return the code of a language; English if none is given.

    Raises:
        HookvizError: If hookviz does not speak the language.
    """
    if lang is None:
        return "en"
    if lang not in LANGUAGES:
        raise HookvizError(f"lang={lang!r} is unknown; there are {', '.join(LANGUAGES)}.")
    return lang


def check_keep(keep: Keep) -> Keep:
    """Return `keep` if it is one of the two choices.

    Raises:
        HookvizError: If it is not.
    """
    if keep not in ("summary", "all"):
        raise HookvizError(f"keep={keep!r} is unknown; it is 'summary' or 'all'.")
    return keep


def check_step(step: int, last: int) -> int:
    """Return the number of a step of a pass.

    Raises:
        HookvizError: If the pass has no such step.
    """
    if not isinstance(step, int) or not 0 <= step <= last:
        raise HookvizError(f"there is no step {step!r}; this pass has the steps 0 to {last}.")
    return step
