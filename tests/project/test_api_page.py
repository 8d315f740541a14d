"""docs/api.md is what tools/build_api.py builds, and has every public name."""

from __future__ import annotations

import hookviz
from tools.build_api import PAGE, PARTS, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tools/build_api.py"


def test_every_public_name_is_on_the_page() -> None:
    shown = {name for names in PARTS.values() for name in names}
    assert shown == {*hookviz.__all__} - {"__version__", "HookKind"}
