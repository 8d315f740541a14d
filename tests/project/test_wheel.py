"""A wheel, built from what an sdist holds, works in an empty environment far from the checkout."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest

from tests.readme import block_after
from tests.requirements_of_tests import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

SHIPPED = ("LICENSE", "README.md", "pyproject.toml")
SHIPPED_FOLDERS = ("hookviz", "notebooks", "js")


@dataclass(frozen=True, kw_only=True)
class Environment:
    """An environment with hookviz from the wheel, and the folder to use it from."""

    python: Path
    folder: Path
    variables: dict[str, str]

    def run(self, *command: str) -> str:
        """Run a command there and return what it printed."""
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def script(self, name: str) -> str:
        """Return the path of a command that the wheel installed."""
        return str(self.python.parent / name)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from a copy, and the wheel from the sdist."""
    folder = tmp_path_factory.mktemp("build")
    ignored = shutil.ignore_patterns(
        "node_modules", "__pycache__", ".*_cache", ".ipynb_checkpoints"
    )
    for name in SHIPPED_FOLDERS:
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=ignored)
    for name in SHIPPED:
        shutil.copy(ROOT / name, folder / "source")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / "dist")]
    done = subprocess.run(
        [*command, str(folder / "source")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Install the wheel into an empty environment.

    With `HOOKVIZ_FULL_INSTALL=1` everything is installed from the index, as a user would. Without
    it the new environment borrows the libraries of this one, which spares a gigabyte.
    """
    folder = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    bin_folder = "Scripts" if os.name == "nt" else "bin"
    python = folder / "venv" / bin_folder / "python"
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "JUPYTER"))
    }
    variables["HOME"] = str(folder)
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    if os.environ.get("HOOKVIZ_FULL_INSTALL") == "1":
        # The torch of this environment, so that pip does not take a build with CUDA.
        torch = metadata.version("torch").partition("+")[0]
        pip += [f"torch=={torch}", f"hookviz[lab] @ {wheel.as_uri()}"]
    else:
        pip += ["--no-deps", str(wheel)]
        site_packages = next((folder / "venv").rglob("site-packages"))
        (site_packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
        from jupyterlab.commands import get_app_dir

        variables["JUPYTERLAB_DIR"] = get_app_dir()
    subprocess.run(pip, check=True)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    return Environment(python=python, folder=elsewhere, variables=variables)


def test_the_wheel_holds_the_package_the_front_end_and_every_tutorial(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    expected = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "hookviz").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    tutorials = {
        f"hookviz/tutorials/{path.relative_to(ROOT / 'notebooks').as_posix()}"
        for path in (ROOT / "notebooks").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    }
    package = {name for name in names if name.startswith("hookviz/")}
    assert package == expected | tutorials
    assert {
        "hookviz/py.typed",
        "hookviz/static/explorer.js",
        "hookviz/static/explorer.css",
    } <= names


def test_the_wheel_holds_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    others = [name for name in names if not name.startswith("hookviz/")]
    assert all(name.split("/")[0].endswith(".dist-info") for name in others), others
    assert any(name.endswith("licenses/LICENSE") for name in others)
    assert not [name for name in names if "node_modules" in name or name.endswith("/src")]


def test_it_is_used_from_the_environment_and_not_from_the_checkout(
    environment: Environment,
) -> None:
    printed = environment.run(
        str(environment.python), "-c", "import hookviz; print(hookviz.__file__)"
    )
    assert Path(printed.strip()).is_relative_to(environment.python.parent.parent)


def test_the_example_of_the_readme_runs_there(environment: Environment) -> None:
    (environment.folder / "example.py").write_text(block_after("example"), encoding="utf-8")
    printed = environment.run(str(environment.python), "-X", "utf8", "example.py")
    assert printed == block_after("output")


def test_the_explorer_finds_its_front_end_there(environment: Environment) -> None:
    program = (
        "import torch, hookviz\n"
        "a = torch.tensor(2.0, requires_grad=True)\n"
        "explorer = hookviz.explore(a * 3)\n"
        "data, _ = explorer._repr_mimebundle_()\n"
        "print(len(explorer._esm) > 1000, len(explorer._css) > 1000)\n"
        "print('<svg' in data['image/svg+xml'])"
    )
    printed = environment.run(str(environment.python), "-c", program)
    assert printed.split() == ["True", "True", "True"]


def test_the_tutorials_are_copied_from_there(environment: Environment) -> None:
    folder = environment.folder / "only copied"
    environment.run(environment.script("hookviz"), "lab", "--copy-only", "--dir", str(folder))
    copied = {path.relative_to(folder).as_posix() for path in folder.rglob("*.ipynb")}
    shipped = {
        path.relative_to(ROOT / "notebooks").as_posix()
        for path in (ROOT / "notebooks").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    }
    assert copied == shipped


@pytest.fixture
def running_lab(environment: Environment, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Start `hookviz lab` in its own default folder, and give the server's address and token."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    command = [environment.script("hookviz"), "lab", "--no-browser", "--", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", f"--IdentityProvider.token={token}"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=environment.folder,
            env=environment.variables,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    yield f"http://127.0.0.1:{port}", token
    shutdown = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/shutdown",
        method="POST",
        headers={"Authorization": f"token {token}"},
    )
    try:
        urllib.request.urlopen(shutdown, timeout=10)
    finally:
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()


def test_hookviz_lab_serves_notebook_01_from_there(running_lab: tuple[str, str]) -> None:
    address, token = running_lab
    path = "/api/contents/01_leaf_and_nonleaf.ipynb"
    answer = wait_for(f"{address}{path}", token)
    notebook = json.loads(answer)["content"]
    assert "Leaf and non-leaf" in notebook["cells"][0]["source"]
    with urllib.request.urlopen(f"{address}/?token={token}", timeout=10) as response:
        assert "/lab/tree/01_leaf_and_nonleaf.ipynb" in response.url


def wait_for(address: str, token: str) -> str:
    request = urllib.request.Request(address, headers={"Authorization": f"token {token}"})
    end = time.monotonic() + 90
    while True:
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return str(response.read().decode())
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
