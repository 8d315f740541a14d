"""Start a real JupyterLab that knows nothing of the machine's own Jupyter, and stop it."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from typing import Self

START_TIMEOUT = 90

SETTINGS = {
    "@jupyterlab/apputils-extension/notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    },
    "@jupyter-widgets/jupyterlab-manager/plugin": {"saveState": True},
}

HOMES = (
    "HOME",
    "IPYTHONDIR",
    "JUPYTERLAB_WORKSPACES_DIR",
    "JUPYTER_CONFIG_DIR",
    "JUPYTER_DATA_DIR",
    "JUPYTER_RUNTIME_DIR",
    "MPLCONFIGDIR",
    "XDG_CONFIG_HOME",
)


@dataclass(kw_only=True)
class JupyterLab:
    """A running server; every opened notebook is a fresh copy in a folder of its own.

    Attributes:
        folder: Where everything it writes goes.
        notebooks: The tutorials to copy from.
        environment: The variables that the server and its kernels see.
    """

    folder: Path
    notebooks: Path
    environment: dict[str, str]
    port: int
    token: str
    process: subprocess.Popen[bytes]
    _written: int = field(default=0)

    program: ClassVar[tuple[str, ...]] = (
        "jupyterlab",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.news_url=None",
    )

    @classmethod
    def start(cls, folder: Path, notebooks: Path, *, variables: dict[str, str]) -> Self:
        """Start the server in `folder` and wait until it answers."""
        environment = {**os.environ, **own_environment(folder), **variables}
        port, token = free_port(), secrets.token_hex(16)
        (folder / "root").mkdir()
        command = [
            sys.executable,
            "-m",
            *cls.program,
            "--no-browser",
            "--allow-root",
            "--ip=127.0.0.1",
            f"--port={port}",
            "--ServerApp.port_retries=0",
            f"--IdentityProvider.token={token}",
            f"--ServerApp.root_dir={folder / 'root'}",
        ]
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(
                command, env=environment, cwd=folder, stdout=log, stderr=subprocess.STDOUT
            )
        server = cls(
            folder=folder,
            notebooks=notebooks,
            environment=environment,
            port=port,
            token=token,
            process=process,
        )
        server._wait_until_it_answers()
        return server

    def copy(self, notebook: str) -> str:
        """Copy a tutorial into a folder of its own and return the address that opens it."""
        text = (self.notebooks / notebook).read_text(encoding="utf-8")
        return self.write(Path(notebook).name, text)

    def write(self, name: str, text: str) -> str:
        """Write a notebook into a folder of its own and return the address that opens it."""
        self._written += 1
        target = self.folder / "root" / str(self._written) / name
        target.parent.mkdir()
        target.write_text(text, encoding="utf-8")
        return f"{self.address}{self.page_of(self._written, name)}?token={self.token}"

    def page_of(self, folder: int, name: str) -> str:
        """Return the path of the page that shows a notebook."""
        # A workspace of its own: JupyterLab would open what the test before had open.
        return f"/lab/workspaces/{folder}/tree/{folder}/{name}"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def log(self) -> str:
        """Return what the server wrote."""
        return (self.folder / "server.log").read_text(encoding="utf-8", errors="replace")

    def request(self, path: str, *, method: str = "GET") -> object:
        """Ask the server's own interface, and return the JSON it answers."""
        request = urllib.request.Request(
            f"{self.address}{path}",
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            text = response.read()
        return json.loads(text) if text else None

    def stop_kernels(self) -> None:
        """End every kernel, so that a finished test holds no memory."""
        for session in self.request("/api/sessions"):  # type: ignore[attr-defined]
            self.request(f"/api/sessions/{session['id']}", method="DELETE")

    def stop(self) -> None:
        """End the server by its own process id."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is not None:
                return
            self.process.send_signal(number)
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                continue

    def _wait_until_it_answers(self) -> None:
        end = time.monotonic() + START_TIMEOUT
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                self.request("/api/status")
            except OSError:
                time.sleep(0.1)
            else:
                return
        self.stop()
        raise RuntimeError(f"{self.program[0]} did not start:\n{self.log()}")


@dataclass(kw_only=True)
class Notebook7(JupyterLab):
    """Jupyter Notebook 7: built from JupyterLab's parts, one notebook on a page."""

    program: ClassVar[tuple[str, ...]] = (
        "notebook",
        "--JupyterNotebookApp.expose_app_in_browser=True",
    )

    def page_of(self, folder: int, name: str) -> str:
        return f"/notebooks/{folder}/{name}"


def own_environment(folder: Path) -> dict[str, str]:
    """Return variables that keep programs from the settings of whoever runs the tests."""
    environment = {}
    for name in HOMES:
        home = folder / name.lower()
        home.mkdir()
        environment[name] = str(home)
    settings = folder / "settings"
    for name, values in SETTINGS.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    environment["JUPYTERLAB_SETTINGS_DIR"] = str(settings)
    return environment


def free_port() -> int:
    """Return a port of this machine that nobody listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
