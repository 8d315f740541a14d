"""Stand in for a tensor's hook while a pass is recorded."""

from __future__ import annotations

from typing import Any

from hookviz._live.hooks.stand_in import Hook, StandIn


class Recorded(StandIn):
    """Run a tensor's hook through the recorder."""

    __slots__ = ("_run",)

    def __init__(self, hook: Hook, run: Hook) -> None:
        super().__init__(hook)
        self._run = run

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the hook and note what it did."""
        return self._run(*args, **kwargs)
