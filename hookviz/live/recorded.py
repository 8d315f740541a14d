"""Stand in for a hook while a pass is recorded."""

from __future__ import annotations

from typing import Any

from hookviz.live.table import Hook


class Recorded:
    """Run a hook through the recorder, and answer to everything else as the hook does.

    PyTorch's error messages read a hook's `__name__`, and say `<unknown>` where it has none.
    """

    __slots__ = ("_hook", "_run")

    def __init__(self, hook: Hook, run: Hook) -> None:
        self._hook = hook
        self._run = run

    def __call__(self, argument: Any) -> Any:
        """Run the hook and note what it did."""
        return self._run(argument)

    @property
    def __wrapped__(self) -> Hook:
        """The hook itself, for whoever looks for its source."""
        return self._hook

    def __getattr__(self, name: str) -> Any:
        return getattr(self._hook, name)
