"""Copy the tutorials into a learner's folder and never overwrite what the learner changed there."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hookviz.errors import HookvizError

MANIFEST = ".hookviz-tutorials.json"
"""Beside the notebooks: the fingerprints of each one as hookviz last delivered it."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells one version of a notebook from another.

    Attributes:
        file: Of every byte.
        cells: Of what a person writes: kinds and sources of the cells. JupyterLab changes the rest
            by itself, when it saves a page that was only opened or run.
    """

    file: str
    cells: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """What one call of `copy_tutorials` did, as paths relative to the folder.

    Attributes:
        added: Notebooks that were not there.
        updated: Notebooks whose cells the learner had not changed and that are newer now.
        kept: Notebooks whose cells the learner changed and that have no newer version.
        beside: For each changed notebook that has a newer version, the new file put beside it.
    """

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()


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


def copy_tutorials(source: Path, folder: Path, *, version: str) -> CopyReport:
    """Bring `folder` up to date with the notebooks in `source`.

    Args:
        source: The shipped tutorials; read only.
        folder: The learner's folder; made when it is missing.
        version: Version of hookviz, for the name of a file put beside a changed one.

    Raises:
        HookvizError: If the folder cannot be made or written.
    """
    if folder.exists() and folder.resolve() == source.resolve():
        return CopyReport()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return _copy_all(source, folder, version)
    except OSError as error:
        raise HookvizError(
            f"cannot write the tutorials into {folder}: {error.strerror or error}. "
            "Choose another folder with --dir."
        ) from error


def _copy_all(source: Path, folder: Path, version: str) -> CopyReport:
    delivered = _read_manifest(folder)
    added, updated, kept, beside = [], [], [], []
    for path in sorted(source.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        name = path.relative_to(source).as_posix()
        content = path.read_bytes()
        shipped, before = fingerprint(content), delivered.get(name)
        target = folder / name
        if not target.exists():
            _write(target, content)
            added.append(name)
        else:
            mine = fingerprint(target.read_bytes())
            if mine.cells == shipped.cells or (before and mine.cells == before.cells):
                # Without a note of what was delivered, the outputs there may be the newer ones.
                if before and shipped.file not in (before.file, mine.file):
                    _write(target, content)
                    updated.append(name)
            elif before is None or before.cells != shipped.cells:
                beside.append((name, _write_beside(target, content, version, folder)))
            else:
                kept.append(name)
        delivered[name] = shipped
    notes = {name: asdict(one) for name, one in delivered.items()}
    text = json.dumps({"delivered": notes}, indent=2, sort_keys=True) + "\n"
    _write(folder / MANIFEST, text.encode())
    return CopyReport(
        added=tuple(added), updated=tuple(updated), kept=tuple(kept), beside=tuple(beside)
    )


def _write_beside(target: Path, content: bytes, version: str, folder: Path) -> str:
    """Write the new version under a name that no file has, and return that name."""
    number = 1
    while True:
        suffix = f".new-{version}" if number == 1 else f".new-{version}-{number}"
        free = target.with_name(f"{target.stem}{suffix}.ipynb")
        # The same content may stand there already, when the manifest was lost.
        if not free.exists() or free.read_bytes() == content:
            _write(free, content)
            return free.relative_to(folder).as_posix()
        number += 1


def _read_manifest(folder: Path) -> dict[str, Fingerprint]:
    """Return the fingerprints by name; none if the manifest cannot be read, so nothing is lost."""
    try:
        data = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        return {
            str(name): Fingerprint(str(one["file"]), str(one["cells"]))
            for name, one in data["delivered"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write(path: Path, content: bytes) -> None:
    """Write through a second file, so that a full disk cannot leave half a notebook."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.part")
    draft.write_bytes(content)
    draft.replace(path)


def fingerprint(content: bytes) -> Fingerprint:
    """Return the fingerprint of a notebook; of a file that is none, every byte counts as cells."""
    file = _digest(content)
    try:
        cells = [_cell(cell) for cell in json.loads(content)["cells"]]
    except (ValueError, KeyError, TypeError):
        return Fingerprint(file, file)
    # JupyterLab adds an empty cell when the last one is run.
    written = [cell for cell in cells if cell[1].strip()]
    return Fingerprint(file, _digest(json.dumps(written).encode()))


def _cell(cell: Any) -> tuple[str, str]:
    source = cell["source"]
    return str(cell["cell_type"]), source if isinstance(source, str) else "".join(source)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
