"""Hold every visible string: one flat table per language, from key to template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

LANGUAGES = ("en", "zh")
"""Codes of the languages that have a table: English and Simplified Chinese."""


@cache
def table(lang: str) -> Mapping[str, str]:
    """Return the read-only table of one language.

    Raises:
        LookupError: If there is no table for `lang`.

    Example:
        >>> table("en")["ui.play"]
        'Play'
    """
    if lang not in LANGUAGES:
        known = ", ".join(repr(code) for code in LANGUAGES)
        raise LookupError(f"unknown language {lang!r}: lang must be one of {known}")
    text = resources.files(__name__).joinpath(f"{lang}.json").read_text(encoding="utf-8")
    return MappingProxyType(json.loads(text))
