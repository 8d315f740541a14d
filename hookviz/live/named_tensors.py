"""Hold the tensors that variables inside the functions that ran had at their end."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from types import CodeType, FrameType

import torch

from hookviz.live.arguments import is_tensor
from hookviz.live.memory import storage_of
from hookviz.live.quiet import quietly
from hookviz.live.user_code import is_users

MOST_BYTES = 64 * 2**20
"""How much memory may be held; of more, the variables of the latest functions are kept."""

MOST_TENSORS = 2000


class NamedTensors:
    """The variables of functions that have ended, such as `out (LeNet.forward)`.

    It holds tensors that plain PyTorch may have let go, so it lives only as long as what the user
    was given, and its memory is bounded.
    """

    def __init__(self) -> None:
        self._found: deque[tuple[int, str, torch.Tensor, int]] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._found)

    def take_from(self, frame: FrameType) -> None:
        """Take in the variables of a function of the user's that is about to end."""
        code = frame.f_code
        if not code.co_flags & _IS_FUNCTION:
            return  # a module or a class: its variables can be found later
        tensors = [(name, value) for name, value in frame.f_locals.items() if is_tensor(value)]
        if not tensors:
            return
        depth, where = _depth(frame), _name_of(code)
        with quietly():
            for name, tensor in tensors:
                if tensor.requires_grad:
                    self._add(depth, f"{name} ({where})", tensor)

    def _add(self, depth: int, name: str, tensor: torch.Tensor) -> None:
        size = tensor.numel() * tensor.element_size() if storage_of(tensor) else 0
        self._found.append((depth, name, tensor, size))
        self._bytes += size
        while self._found and (self._bytes > MOST_BYTES or len(self._found) > MOST_TENSORS):
            *_, oldest_size = self._found.popleft()
            self._bytes -= oldest_size

    def names(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield each name with its tensor, those of the outermost functions first.

        A name that several tensors have had is numbered from the second one on.
        """
        seen: dict[str, list[torch.Tensor]] = {}
        for _, name, tensor, _ in sorted(self._found, key=lambda found: found[0]):
            earlier = seen.setdefault(name, [])
            if any(other is tensor for other in earlier):
                continue
            earlier.append(tensor)
            place = len(earlier)
            yield (name if place == 1 else f"{name[:-1]}, {place})"), tensor


_IS_FUNCTION = 0x1


def _depth(frame: FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += is_users(frame.f_code)
        frame = frame.f_back
    return depth


def _name_of(code: CodeType) -> str:
    if sys.version_info < (3, 11):
        return code.co_name
    return code.co_qualname.rsplit("<locals>.", 1)[-1]
