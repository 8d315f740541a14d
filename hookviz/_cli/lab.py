"""Answer `hookviz lab`: open the tutorials in JupyterLab."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from hookviz._cli.tutorials import CopyReport, copy_tutorials, shipped_tutorials
from hookviz.errors import HookvizError

FIRST_NOTEBOOKS = {"en": "01_leaf_and_nonleaf.ipynb", "zh": "zh/01_leaf_and_nonleaf.ipynb"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    parser = _parser()
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        parser.error(
            f"unknown arguments: {' '.join(unknown)}. Arguments for JupyterLab stand behind --, "
            "for example: hookviz lab -- --port=8890"
        )
    if options.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        return _lab(options)
    except HookvizError as error:
        print(f"hookviz: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hookviz",
        description="Step through a real PyTorch backward pass in Jupyter.",
        epilog=(
            "To begin: hookviz lab. To record a script of yours: "
            "python -m hookviz SCRIPT -o PAGE.html"
        ),
    )
    parser.add_argument("--version", action="version", version=f"hookviz {_version()}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    lab = commands.add_parser(
        "lab",
        help="copy the tutorials into a folder of yours and open the first one in JupyterLab",
        description=(
            "Copy the tutorials into a folder of yours and open the first one in JupyterLab. "
            "A notebook that is there already is never overwritten."
        ),
        epilog="Arguments after -- go to JupyterLab: hookviz lab -- --port=8890",
    )
    lab.add_argument(
        "--dir",
        type=Path,
        default=Path("hookviz-tutorials"),
        metavar="DIR",
        help="the folder (default: ./hookviz-tutorials)",
    )
    lab.add_argument(
        "--lang", choices=sorted(FIRST_NOTEBOOKS), default="en", help="language (default: en)"
    )
    lab.add_argument("--no-browser", action="store_true", help="start JupyterLab, open no browser")
    lab.add_argument(
        "--copy-only", action="store_true", help="copy the tutorials and start nothing"
    )
    lab.add_argument("jupyter", nargs="*", metavar="-- ARGUMENTS", help="arguments for JupyterLab")
    return parser


def _lab(options: argparse.Namespace) -> int:
    if not options.copy_only and importlib.util.find_spec("jupyterlab") is None:
        raise HookvizError(
            f"JupyterLab is not installed for this Python ({sys.executable}). "
            "Install it with: python -m pip install jupyterlab"
        )
    folder: Path = options.dir.expanduser().absolute()
    report = copy_tutorials(shipped_tutorials(), folder)
    print(f"Tutorials: {folder}")
    for line in _report_lines(report):
        print(line)
    if options.copy_only:
        return 0
    return _run(_jupyter_command(folder, options))


def _report_lines(report: CopyReport) -> list[str]:
    lines = [f"  new       {name}" for name in report.added]
    lines += [f"  kept      {name}" for name in report.kept]
    if report.kept:
        lines.append("Kept notebooks are yours. Rename or delete one to get it anew.")
    return lines


def _jupyter_command(folder: Path, options: argparse.Namespace) -> list[str]:
    notebook = FIRST_NOTEBOOKS[options.lang]
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{notebook}",
    ]
    if options.no_browser:
        command.append("--no-browser")
    return [*command, *options.jupyter]


def _run(command: Sequence[str]) -> int:
    if os.name != "nt":
        # JupyterLab takes the place of this process, so a signal that stops one stops the other.
        sys.stdout.flush()
        os.execv(command[0], list(command))
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                # The terminal sends Ctrl-C to JupyterLab as well, and it asks before it stops.
                continue


def _version() -> str:
    try:
        return metadata.version("hookviz")
    except metadata.PackageNotFoundError:
        return "dev"  # a checkout on the path that was never installed
