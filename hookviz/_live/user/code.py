"""Tell the user's code from all other code, and give the name and lines of its file."""

from __future__ import annotations

import functools
import linecache
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

import torch

from hookviz._live.user.names import Namespace

_MACHINERY = ("IPython", "ipykernel", "traitlets", "_pytest", "pluggy", "debugpy")
"""Packages that stand between a cell or a test and the code in it."""


def _folders() -> tuple[str, ...]:
    ours = Path(__file__).resolve().parents[2]
    paths = sysconfig.get_paths()
    found = [str(ours), str(Path(torch.__file__).parent)]
    packages = {paths["purelib"], paths["platlib"]}
    found += [str(Path(folder) / name) for folder in packages for name in _MACHINERY]
    return tuple(f"{folder}/" for folder in found)


_NOT_THE_USERS = _folders()
_LIBRARY = tuple(f"{sysconfig.get_paths()[name]}/" for name in ("stdlib", "platstdlib"))
_SITE = ("site-packages/", "dist-packages/")

_known: dict[int, tuple[CodeType, bool]] = {}


def is_users(code: CodeType) -> bool:
    """Return whether a function is neither PyTorch's, nor Python's own, nor hookviz's."""
    # By identity: the hash of a code object goes over all of it, each time.
    known = _known.get(id(code))
    if known is None or known[0] is not code:
        known = _known[id(code)] = (code, _is_users_code(code))
    return known[1]


def _is_users_code(code: CodeType) -> bool:
    name = code.co_filename.replace("\\", "/")
    if name == "<string>":
        # A program of `python -c`; dataclasses and their like are made from text as well.
        return not code.co_name.startswith(("__", "<lambda>"))
    if name.startswith("<"):
        return not name.startswith(("<frozen", "<__array_function__", "<eval_with_key"))
    if name.startswith(tuple(folder.replace("\\", "/") for folder in _NOT_THE_USERS)):
        return False
    in_library = name.startswith(tuple(folder.replace("\\", "/") for folder in _LIBRARY))
    return not in_library or any(part in name for part in _SITE)


def users_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the user's, from this one outwards."""
    while frame is not None and not is_users(frame.f_code):
        frame = frame.f_back
    return frame


def raised_at(error: BaseException) -> tuple[CodeType, int] | None:
    """Return the innermost line of the user's that an exception came through, if there is one."""
    found, trace = None, error.__traceback__
    while trace is not None:
        if is_users(trace.tb_frame.f_code):
            found = trace.tb_frame.f_code, trace.tb_lineno
        trace = trace.tb_next
    return found


def callers_variables(frame: FrameType | None) -> tuple[Namespace, ...]:
    """Return the variables of the user's innermost frame, from this one outwards."""
    found = users_frame(frame)
    return () if found is None else variables_of(found)


def variables_of(frame: FrameType) -> tuple[Namespace, ...]:
    """Return the variables that a frame sees: its own, as a copy, then those of its file."""
    if frame.f_locals is frame.f_globals:
        return (frame.f_globals,)
    copied = dict(frame.f_locals)
    forget_snapshot(frame)
    return (copied, frame.f_globals)


def forget_snapshot(frame: FrameType) -> None:
    """Empty the snapshot that a look at the variables of a running function leaves on its frame.

    Python up to 3.12 keeps a snapshot of them there, which would keep them alive after `del`. To
    empty it does not touch the variables themselves, unless a trace function of this frame is
    running.
    """
    if sys.version_info < (3, 13) and frame.f_code.co_flags & _OPTIMIZED:
        frame.f_locals.clear()


_OPTIMIZED = 0x1
"""`inspect.CO_OPTIMIZED`: a function, whose variables do not live in a dictionary."""


def name_of_file(filename: str) -> str:
    """Return the name of a file for readers: `cell 3`, or its path as an import would find it."""
    cell = cell_number(filename)
    if cell is not None:
        return f"cell {cell}"
    return filename if filename.startswith("<") else _short_path(filename)


@functools.lru_cache(maxsize=256)
def _short_path(filename: str) -> str:
    path = Path(filename)
    roots = [Path(entry or ".").resolve() for entry in sys.path]
    inside = [root for root in roots if path.is_relative_to(root)]
    if not inside:
        return path.name
    return path.relative_to(max(inside, key=lambda root: len(root.parts))).as_posix()


def cell_number(filename: str) -> str | None:
    """Return the number of the notebook cell that a file name stands for, if it is one."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return None
    # Asked only when IPython is already there; this module never loads it.
    try:
        named = shell.get_ipython().compile.format_code_name(filename)
    except AttributeError:
        return None
    return named[1].removeprefix("In[").removesuffix("]") if named else None


def lines_of(code: CodeType) -> dict[int, str]:
    """Return the lines of the file of a function, by number; empty where they cannot be trusted.

    A file may have been edited since it was imported, and its new lines did not run.
    """
    lines = linecache.getlines(code.co_filename)
    # A cell, or a hook that was typed, has a name of its own for each text.
    is_one_text = code.co_filename.startswith("<") or cell_number(code.co_filename) is not None
    if not is_one_text and not _is_from(code, "".join(lines)):
        return {}
    return {number: line.rstrip("\n") for number, line in enumerate(lines, start=1)}


def span_of(code: CodeType) -> tuple[int, int]:
    """Return the first and the last line of a function."""
    numbers = [line for _, _, line in code.co_lines() if line]
    return max(code.co_firstlineno, 1), max([code.co_firstlineno, *numbers])


_compiled: dict[int, tuple[str, tuple[CodeType, ...]]] = {}


def _is_from(code: CodeType, text: str) -> bool:
    """Return whether the text, compiled, has this function at this place."""
    known = _compiled.get(hash(text))
    if known is None or known[0] != text:
        try:
            module = compile(text, code.co_filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        known = _compiled[hash(text)] = (text, tuple(_all_code(module)))
        while len(_compiled) > _MOST_FILES:
            _compiled.pop(next(iter(_compiled)))
    return any(_is_same_function(code, other) for other in known[1])


_MOST_FILES = 64


def _is_same_function(code: CodeType, other: CodeType) -> bool:
    if (code.co_name, code.co_firstlineno) != (other.co_name, other.co_firstlineno):
        return False
    # Tools rewrite functions (tests of pytest, say): their names may be more, not fewer.
    is_contained = set(other.co_varnames) <= set(code.co_varnames)
    return is_contained and span_of(code) == span_of(other)


def _all_code(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_code(constant)
