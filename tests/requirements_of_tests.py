"""What some tests need beside Python: skip with a reason where it is missing, or fail in CI."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def missing(what: str, remedy: str) -> NoReturn:
    """Skip the test, or fail it where `HOOKVIZ_REQUIRE_ALL=1` says that nothing may be missing."""
    message = f"{what} is missing: {remedy}"
    if os.environ.get("HOOKVIZ_REQUIRE_ALL") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def need_program(name: str, remedy: str) -> str:
    """Return the path of a program on PATH."""
    return shutil.which(name) or missing(name, remedy)


def need_chromium() -> str:
    """Return the path of a Chromium, from PATH, `HOOKVIZ_CHROMIUM`, or Playwright's own."""
    for name in (os.environ.get("HOOKVIZ_CHROMIUM", ""), *CHROMIUM_NAMES):
        found = shutil.which(name) if name else None
        if found:
            return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if Path(own).is_file():
        return own
    missing("Chromium", "install it, or run: python -m playwright install chromium")
