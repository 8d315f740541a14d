"""Choose from the language tables: a page gets its own words, and those that its data asks for."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from hookviz._languages import LANGUAGES, table

_OF_THE_PAGE = ("box.", "list.", "picture.", "role.", "ui.", "value.")
"""Families of keys that the browser asks for by itself; the others come in data alone."""

# In JSON, and in the attributes of a picture.
_KEY = re.compile(rb'\bkey(?:"|&quot;): ?(?:"|&quot;)([\w.]+)')

Strings = dict[str, dict[str, str]]


def with_strings_for(data: Any, strings: Strings) -> Strings:
    """Add the words that some data asks for, in every language.

    A saved notebook has no Python to ask for more, so both languages are always complete for what
    is on the page.

    Args:
        data: Traits of a widget, JSON-safe.
        strings: What the page has by now: by language and key; empty at first.

    Returns:
        `strings` itself when nothing was missing.
    """
    known = strings.get(LANGUAGES[0], {})
    found = {match.decode() for match in set(_KEY.findall(_encoded(data)))}
    if known and found <= known.keys():
        return strings
    return {
        lang: {
            key: text
            for key, text in table(lang).items()
            if key in known or key in found or key.startswith(_OF_THE_PAGE)
        }
        for lang in LANGUAGES
    }


def _encoded(data: Any) -> bytes:
    try:
        return msgspec.json.encode(data)
    except UnicodeEncodeError:
        # The words of an error may hold what is no Unicode.
        return json.dumps(data).encode()
