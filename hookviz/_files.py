"""Check where a file may be written, and write it."""

from __future__ import annotations

import os
from pathlib import Path

from hookviz.errors import HookvizError

STATIC = Path(__file__).parent / "static"
"""The folder of scripts and style sheets that the browser gets."""


def check_path(path: str | os.PathLike[str]) -> None:
    """Refuse a path at which no file can be, before there is anything to write.

    Raises:
        HookvizError: If it is a folder, or in no folder, or has no possible name; it says what to
            do.
    """
    target = Path(path).expanduser()
    try:
        is_folder, is_in_folder = target.is_dir(), target.parent.is_dir()
    except OSError as error:
        raise HookvizError(f"cannot write {str(path)!r}: {_why(target, error)}") from error
    if is_folder:
        raise HookvizError(f"cannot write {str(path)!r}: {_IS_FOLDER}")
    if not is_in_folder:
        raise HookvizError(f"cannot write {str(path)!r}: {_no_folder(target)}")


_IS_FOLDER = "it is a folder. Give the name of a file in it, such as pass.html."


def _no_folder(target: Path) -> str:
    return f"there is no folder {str(target.parent)!r}. Make it first, or choose another."


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, what is no Unicode in it as an escape.

    Raises:
        HookvizError: If the file cannot be written; it says why and what to do.
    """
    target = Path(path).expanduser()
    try:
        target.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except (OSError, ValueError) as error:
        raise HookvizError(f"cannot write {str(path)!r}: {_why(target, error)}") from error


def _why(target: Path, error: OSError | ValueError) -> str:
    if isinstance(error, IsADirectoryError):
        return _IS_FOLDER
    if isinstance(error, FileNotFoundError):
        return _no_folder(target)
    reason = getattr(error, "strerror", None) or str(error)
    return f"{reason}. Choose another file or folder."
