from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from hookviz._live import internals
from hookviz._unmodified import cell_magic as magic
from hookviz._widget.explorer import Explorer
from tests.unmodified.shell import Shell


@pytest.fixture
def new_shell(tmp_path: Path) -> Iterator[Callable[[], Shell]]:
    """Return a function that makes a shell; PyTorch has to be as it was in the end."""
    engine = internals.put_engine_function()
    shells: list[Shell] = []

    def new() -> Shell:
        shells.append(Shell(tmp_path))
        return shells[-1]

    yield new
    for shell in shells:
        shell.close()
    InteractiveShell.clear_instance()
    assert internals.put_engine_function() is engine


@pytest.fixture
def shell(new_shell: Callable[[], Shell]) -> Shell:
    """A shell that has loaded the extension."""
    made = new_shell()
    assert made.run("%load_ext hookviz").error is None
    return made


@pytest.fixture
def explorers(monkeypatch: pytest.MonkeyPatch) -> list[Explorer]:
    """The explorers that cells show, in order."""
    made: list[Explorer] = []

    class Noted(Explorer):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(magic, "Explorer", Noted)
    return made
