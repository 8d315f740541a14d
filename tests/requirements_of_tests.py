"""What some tests need beside Python: skip with a reason where it is missing, or fail in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent

JS = ROOT / "js"

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


def need_npm_packages() -> str:
    """Return the path of npm, with the packages of `js/package-lock.json` installed."""
    need_program("node", "install Node.js 18 or newer")
    program = need_program("npm", "install Node.js 18 or newer with npm")
    lock, installed = JS / "package-lock.json", JS / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        done = subprocess.run(
            [program, "ci"], cwd=JS, capture_output=True, text=True, check=False, timeout=240
        )
        if done.returncode != 0:
            missing("what js/package-lock.json lists", f"npm ci said: {done.stderr.strip()[-800:]}")
    return program
