"""The browser half: its own tests, its types, and a committed bundle that is fresh and small."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements_of_tests import JS, ROOT, need_npm_packages

pytestmark = pytest.mark.node

BUNDLE = ROOT / "hookviz" / "static" / "explorer.js"

# The bundle is stored in every notebook that is saved with its widgets.
MOST_BYTES = 130_000


@pytest.fixture(scope="module")
def npm() -> str:
    """Return npm, with the packages of the lock file installed."""
    return need_npm_packages()


def run(npm: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    # The tests of the browser half have Python write the state of the example.
    own = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{own}{os.pathsep}{os.environ.get('PATH', '')}"}
    return subprocess.run(
        [npm, *arguments],
        cwd=JS,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


@pytest.mark.parametrize(
    ("script", "question"),
    [
        ("test", "do the tests pass?"),
        ("types", "are the JSDoc types right?"),
        ("check", "is hookviz/static what the sources give? (npm run build)"),
    ],
)
def test_npm_run(npm: str, script: str, question: str) -> None:
    done = run(npm, "run", script)
    if done.returncode != 0:
        pytest.fail(f"{question}\n{done.stdout[-6000:]}{done.stderr[-3000:]}", pytrace=False)
    if script == "test":
        assert "# fail 0" in done.stdout.replace("ℹ", "#")
        assert "# tests 0\n" not in done.stdout.replace("ℹ", "#")


def test_the_bundle_is_small() -> None:
    assert 1_000 < BUNDLE.stat().st_size < MOST_BYTES


def test_the_bundle_loads_nothing_from_the_network() -> None:
    text = BUNDLE.read_text(encoding="utf-8")
    for host in ("cdn.", "unpkg.com", "esm.sh", "jsdelivr", "googleapis"):
        assert host not in text
    assert "import(" not in text


def test_no_address_of_a_package_server_is_in_the_lock_file() -> None:
    assert "resolved" not in Path(JS / "package-lock.json").read_text(encoding="utf-8")
