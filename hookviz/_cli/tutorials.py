"""Copy the tutorials into a learner's folder, and never touch a notebook that is there already."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from hookviz.errors import HookvizError


class CopyReport(Struct, frozen=True, kw_only=True):
    """The result of one `copy_tutorials`, as paths relative to the folder.

    Attributes:
        added: Notebooks that were not there.
        kept: Notebooks that were there, and are not as they came with this hookviz.
    """

    added: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def shipped_tutorials() -> Path:
    """Return the folder of the tutorials that came with this hookviz.

    Raises:
        HookvizError: If neither an installed package nor a checkout holds them.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "tutorials", package.parent / "notebooks"):
        if any(folder.glob("*.ipynb")):
            return folder
    raise HookvizError(
        f"this hookviz has no tutorials: neither {package / 'tutorials'} nor "
        f"{package.parent / 'notebooks'} holds a notebook. Install hookviz again."
    )


def copy_tutorials(source: Path, folder: Path) -> CopyReport:
    """Copy the notebooks that `folder` lacks.

    Args:
        source: The shipped tutorials; read only.
        folder: The learner's folder; made when it is missing.

    Raises:
        HookvizError: If the folder cannot be made or written.
    """
    added, kept = [], []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.rglob("*.ipynb")):
            if ".ipynb_checkpoints" in path.parts:
                continue
            name = path.relative_to(source)
            content, target = path.read_bytes(), folder / name
            if not target.exists():
                _write(target, content)
                added.append(name.as_posix())
            elif target.read_bytes() != content:
                kept.append(name.as_posix())
    except OSError as error:
        raise HookvizError(
            f"cannot write the tutorials into {folder}: {error.strerror or error}. "
            "Choose another folder with --dir."
        ) from error
    return CopyReport(added=tuple(added), kept=tuple(kept))


def _write(path: Path, content: bytes) -> None:
    """Write through a second file, so that a full disk cannot leave half a notebook."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.part")
    draft.write_bytes(content)
    draft.replace(path)
