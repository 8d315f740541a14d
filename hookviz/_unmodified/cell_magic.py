"""Offer `%%hookviz`: run a cell as it is, and show the explorer of each `backward()` in it."""

from __future__ import annotations

import argparse
import html
import shlex
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import cell_magic
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from msgspec import Struct

from hookviz._languages import LANGUAGES
from hookviz._live.unmodified.call import Calls
from hookviz._live.unmodified.code import CALLS, MOST_CALLS, UnmodifiedCode
from hookviz._live.unmodified.freed import FreedValues
from hookviz._live.unmodified.users_call import open_session
from hookviz._live.user.cell_line import NAME, as_run
from hookviz._unmodified.report import headings, notes
from hookviz._view.text.message import Message, render, segments
from hookviz._widget.cell import Closable, close_earlier
from hookviz._widget.explorer import Explorer


class _Recording(Struct):
    """The recording of a cell."""

    code: UnmodifiedCode
    options: argparse.Namespace
    remember: Callable[[Closable], None]
    file: str
    """How Python calls the text of the cell."""
    cell: object
    """The cell as IPython's events name it; `None` if it began before hookviz was loaded."""


class CellMagic:
    """The magic in one shell.

    `%%hookviz` at the top of a cell becomes the line magic `%hookviz` in the first line: the rest
    is then an ordinary cell to IPython, with its own line numbers, tracebacks, output, `await` and
    magics. The line magic begins to record; the end of the cell ends it, however it ends.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self._running: list[tuple[int, object]] = []
        self._recording: _Recording | None = None

    def install(self) -> None:
        """Have the shell know the magic."""
        shell: Any = self._shell
        shell.register_magic_function(self.magic, "line_cell", NAME)
        shell.input_transformer_manager.line_transforms.insert(0, self.transform)
        shell.events.register("pre_run_cell", self._cell_begins)
        shell.events.register("post_run_cell", self._cell_ends)

    def remove(self) -> None:
        """Have the shell forget the magic; a recording that goes on is ended and shown."""
        shell: Any = self._shell
        self._end()
        shell.events.unregister("pre_run_cell", self._cell_begins)
        shell.events.unregister("post_run_cell", self._cell_ends)
        shell.input_transformer_manager.line_transforms.remove(self.transform)
        for kind in ("line", "cell"):
            shell.magics_manager.magics[kind].pop(NAME, None)

    def transform(self, lines: list[str]) -> list[str]:
        """Turn `%%hookviz` in the first line of a cell into the line magic."""
        first = as_run(lines[0]) if lines else None
        if first is None:
            return lines
        # Another cell magic may follow; to IPython it is one only in the first line.
        below: list[str] = cell_magic(lines[1:])  # type: ignore[no-untyped-call]
        return [first, *below]

    def magic(self, line: str, cell: str | None = None) -> None:
        """Record each `backward()` of this cell and show it step by step below the cell.

        Usage: `%%hookviz [--lang {en,zh}] [--calls N]`

        The cell runs as it would without this line. The first 3 calls of `backward()` are recorded,
        or as many as `--calls` says; the others run plainly.
        """
        self._begin(line)
        shell: Any = self._shell
        if cell is not None and not shell.run_cell(cell).success:
            raise UsageError("the cell failed; its error is shown above.")

    def _begin(self, line: str) -> None:
        options = _parse(line)
        if options is None:
            return
        if self._recording is not None:
            if self._recording.cell is self._current():
                raise UsageError("this cell is recorded already; %%hookviz is needed once.")
            self._end()  # its end went unnoticed
        remember = close_earlier()
        freed = FreedValues()
        code = UnmodifiedCode(
            lambda call: open_session(call, freed),
            discard=lambda session: session.close(),
            limit=options.calls,
        )
        self._recording = _Recording(
            code, options, remember, _file_of_cell(self._shell), self._current()
        )
        code.start()

    def _current(self) -> object:
        here = threading.get_ident()
        return next((cell for thread, cell in reversed(self._running) if thread == here), None)

    def _cell_begins(self, info: object) -> None:
        self._running.append((threading.get_ident(), info))

    def _cell_ends(self, result: Any) -> None:
        # Cells may run inside of cells: `%%capture` does it. IPython gives no result to a cell that
        # was broken off.
        ended = getattr(result, "info", None)
        is_known = any(cell is ended for _, cell in self._running)
        if ended is None:
            self._running.clear()
        self._running = [(thread, cell) for thread, cell in self._running if cell is not ended]
        if self._recording is None:
            return
        began = self._recording.cell
        if ended is None or began is ended or (began is None and not is_known):
            self._end()

    def _end(self) -> None:
        recording, self._recording = self._recording, None
        if recording is not None:
            _show(recording.code.stop(), recording)


def _file_of_cell(shell: InteractiveShell) -> str:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals is not shell.user_ns:
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


def _show(calls: Calls, recording: _Recording) -> None:
    lang, limit = recording.options.lang, recording.options.calls
    is_one = len(calls.recorded) == 1 and not calls.further
    for heading, (_, session) in zip(
        headings(calls, file=recording.file), calls.recorded, strict=True
    ):
        if not is_one:
            _say(heading, lang, is_heading=True)
        explorer = Explorer(session, lang=lang)
        recording.remember(explorer)
        display(explorer)  # type: ignore[no-untyped-call]
    for note in notes(calls, file=recording.file, limit=limit):
        _say(note, lang)


def _say(message: Message, lang: str, *, is_heading: bool = False) -> None:
    """Show a sentence of hookviz's own, apart from the output of the cell."""
    words = "".join(
        f"<code>{html.escape(part)}</code>" if style == "code" else html.escape(part)
        for style, part in segments(message, lang)
    )
    if is_heading:
        words = f"<strong>{words}</strong>"
    paragraph = f'<p style="margin: 1em 0 0.4em">{words}</p>'
    display({"text/plain": render(message, lang), "text/html": paragraph}, raw=True)  # type: ignore[no-untyped-call]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%hookviz: {message}. Usage: %%hookviz [--lang en|zh] [--calls N]")


def _parse(line: str) -> argparse.Namespace | None:
    parser = _Parser(prog=f"%%{NAME}", add_help=False, allow_abbrev=False)
    parser.add_argument("--lang", choices=LANGUAGES, default="en")
    parser.add_argument("--calls", type=_count, default=CALLS)
    try:
        words = shlex.split(line)
    except ValueError as error:
        parser.error(str(error))
    return parser.parse_args(words)


def _count(text: str) -> int:
    with suppress(ValueError):
        count = int(text)
        if 1 <= count <= MOST_CALLS:
            return count
    raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to {MOST_CALLS}")


_installed: dict[InteractiveShell, CellMagic] = {}


def load(shell: InteractiveShell) -> None:
    """Install the magic, for `%load_ext hookviz`; a second time changes nothing."""
    if shell not in _installed:
        _installed[shell] = CellMagic(shell)
        _installed[shell].install()


def unload(shell: InteractiveShell) -> None:
    """Remove the magic, for `%unload_ext hookviz`."""
    magic = _installed.pop(shell, None)
    if magic is not None:
        magic.remove()
