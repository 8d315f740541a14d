"""Read the marked blocks of the README."""

from __future__ import annotations

import re

from tests.requirements_of_tests import ROOT


def block_after(marker: str) -> str:
    """Return the fenced block that follows an HTML comment in the README."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- {marker} -->\n```\w+\n(.*?)```\n", text, re.DOTALL)
    assert found, f"README.md has no block marked {marker}"
    return found.group(1)
