"""Show one forward in an explorer: it can be stepped through, and nothing in it changed."""

from __future__ import annotations

from typing import Any, NoReturn

from hookviz._records import (
    BackwardArguments,
    HookKind,
    HookRecord,
    ModuleRecord,
    TensorRecord,
    TraceRecord,
)
from hookviz.errors import HookvizError

_REFUSED = (
    "this is a forward that is over, so its hooks can no longer be changed. Pass a function "
    "instead, which can be run again: hookviz.explore(lambda: model(x).sum())."
)


class ForwardSession:
    """What an explorer asks of a session, for a trace that stays as it is."""

    module_kinds: tuple[HookKind, ...] = ()
    is_fixed = True
    notice = None
    arguments = BackwardArguments()

    def __init__(self, trace: TraceRecord) -> None:
        self.trace = trace
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._is_closed

    def close(self) -> None:
        """Do nothing more: there is nothing to put back."""
        self._is_closed = True

    def interrupt(self) -> None:
        """Do nothing: nothing runs."""

    def can_leave_out(self, hook: HookRecord) -> bool:
        """Return False: nothing can be run again, with or without a hook."""
        return False

    def find_tensor(self, target: Any) -> TensorRecord:
        """Return the tensor with a name or id.

        Raises:
            HookvizError: If there is none.
        """
        found = self.trace.graph.find(target) if isinstance(target, str) else None
        if found is None:
            known = ", ".join(tensor.label for tensor in self.trace.graph.tensors[:20])
            raise HookvizError(f"{target!r} is not a tensor of this graph. It has: {known}.")
        return found

    tensor_with_id = find_tensor

    def find_owner(self, target: Any) -> TensorRecord | ModuleRecord:
        """Return the tensor or module with a name or id.

        Raises:
            HookvizError: If there is none.
        """
        modules = self.trace.graph.modules
        found = next((module for module in modules if target in (module.name, module.id)), None)
        return found or self.find_tensor(target)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise HookvizError(_REFUSED)

    run = attach = edit = remove = enable = disable = move = find_hook = without = _refuse
