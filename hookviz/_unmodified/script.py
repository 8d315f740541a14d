"""Answer `python -m hookviz script.py -o page.html`: run a script, save a page to step through."""

from __future__ import annotations

import argparse
import builtins
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from hookviz._files import check_path
from hookviz._languages import LANGUAGES
from hookviz._live.unmodified.call import Calls
from hookviz._live.unmodified.code import CALLS, MOST_CALLS, UnmodifiedCode
from hookviz._live.unmodified.users_call import record_plainly
from hookviz._live.user.tracebacks import hide_hookviz
from hookviz._unmodified.report import headings, notes
from hookviz._view.saved.page import page_part, save_page, uncompared_note
from hookviz._view.text.message import render
from hookviz.errors import HookvizError

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C has ended."""


def main(arguments: Sequence[str]) -> int:
    """Run a script and save the page; return the script's exit code, if the page is there.

    Args:
        arguments: Of the command line: the script, the options, and behind `--` the script's own.
    """
    ours, theirs = _split(arguments)
    options = _parser().parse_args(ours)
    path: Path = options.script
    try:
        _check(path, options.output)
        # Python itself names a script by its whole path.
        name = os.path.abspath(path)  # noqa: PTH100 - without resolving links
        source = path.read_bytes()
    except (HookvizError, OSError) as error:
        _say(str(error))
        return 2
    page = options.output.absolute()  # the script may go to another folder
    calls, code = _run(name, source, argv=[str(path), *theirs], limit=options.calls)
    try:
        _save(calls, name, page, options)
    except HookvizError as error:
        _say(str(error))
        return code or 1
    return code


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    given = list(arguments)
    if "--" not in given:
        return given, []
    at = given.index("--")
    return given[:at], given[at + 1 :]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        if message.startswith("unrecognized arguments"):
            message += (
                ". Each argument for the script stands behind --, for example: "
                "python -m hookviz train.py -o page.html -- --epochs 3"
            )
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m hookviz",
        usage="python -m hookviz SCRIPT -o PAGE [--lang LANG] [--calls N] [-- ARGUMENTS]",
        description=(
            "Run a script as Python does, and save a page in which each backward() of it can be "
            "stepped through."
        ),
        epilog="The tutorials: hookviz lab",
        allow_abbrev=False,
    )
    parser.add_argument("script", type=Path, metavar="SCRIPT", help="the script, such as train.py")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="PAGE", help="such as page.html"
    )
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="language of the page")
    parser.add_argument(
        "--calls",
        type=int,
        choices=range(1, MOST_CALLS + 1),
        default=CALLS,
        metavar="N",
        help=f"how many calls of backward() to record (default: {CALLS}, at most {MOST_CALLS})",
    )
    return parser


def _check(path: Path, output: Path) -> None:
    """Refuse, before the script runs, a page that could not be written after it."""
    if path.is_dir():
        raise HookvizError(f"{str(path)!r} is a folder; give the script in it.")
    if not path.exists():
        raise HookvizError(
            f"there is no file {str(path)!r}. It takes a script, or: hookviz lab, the tutorials."
        )
    check_path(output)
    if output.exists() and output.samefile(path):
        raise HookvizError("the page would replace the script; give it another name with -o.")


def _run(name: str, source: bytes, *, argv: list[str], limit: int) -> tuple[Calls, int]:
    """Run a script as `__main__`, recording, and return its exit code."""
    module = ModuleType("__main__")
    loader = SourceFileLoader("__main__", name)
    vars(module).update(__file__=name, __builtins__=builtins, __loader__=loader, __cached__=None)
    if sys.version_info < (3, 14):
        vars(module)["__annotations__"] = {}
    sys.modules["__main__"] = module
    sys.argv[:] = argv
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(name))  # noqa: PTH120 - as Python does
    recorded = UnmodifiedCode(record_plainly, limit=limit)
    recorded.start()
    code = 0
    try:
        compiled: CodeType = compile(source, name, "exec", dont_inherit=True)
        exec(compiled, vars(module))
    except BaseException as error:  # noqa: BLE001 - a script may end with any
        code = _ended_by(error)
    finally:
        _wait_for_threads()
        calls = recorded.stop()
    return calls, code


def _ended_by(error: BaseException) -> int:
    """Print the words of Python when a script ends with this, and return the exit code."""
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        _print_error(error.code)
        return 1
    hide_hookviz(error)
    sys.excepthook(type(error), error, error.__traceback__)
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def _wait_for_threads() -> None:
    """Wait as Python does at its end: the threads of a script are a part of it."""
    here = threading.current_thread()
    with suppress(KeyboardInterrupt):
        while True:
            threads = [t for t in threading.enumerate() if t is not here and not t.daemon]
            if not threads:
                return
            threads[0].join()


def _save(calls: Calls, name: str, page: Path, options: argparse.Namespace) -> None:
    said = notes(calls, file=name, limit=options.calls)
    for note in said:
        _say(render(note, "en"))
    if not calls.recorded:
        raise HookvizError(f"no page was written: {options.script} has nothing to show.")
    parts = [
        page_part(record, lang=options.lang, heading=heading)
        for heading, (_, record) in zip(headings(calls, file=name), calls.recorded, strict=True)
    ]
    title = options.script.name
    below = (*said, *uncompared_note(record for _, record in calls.recorded))
    save_page(page, parts, title=title, lang=options.lang, notes=below)
    _say(f"{options.output} steps through calls of backward(): {len(parts)}.")


def _say(text: str) -> None:
    # The script may have closed or replaced both: then nobody listens, and that is no failure.
    with suppress(Exception):
        sys.stdout.flush()
    _print_error(f"hookviz: {text}")


def _print_error(text: object) -> None:
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr)
