"""Hold the tensors of variables inside functions that have ended."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType

import torch
from msgspec import Struct
from torch.autograd.graph import Node

from hookviz._live import internals
from hookviz._live.user.code import is_users
from hookviz._live.values.arguments import is_tensor
from hookviz._live.values.memory import storage_of
from hookviz._live.values.quiet import quietly

MOST_BYTES = 64 * 2**20
"""How much memory may be held; of more, the variables of the latest functions are kept."""

MOST_TENSORS = 2000


class _Found(Struct, frozen=True):
    """A variable that a function had at its end: the how-manieth found, and of which call."""

    number: int
    call: int
    name: str
    tensor: torch.Tensor
    size: int


class NamedTensors:
    """The variables of functions that have ended, such as `out (LeNet.forward)`.

    It holds tensors that plain PyTorch may have let go, so it lives only as long as what the user
    was given, and its memory is bounded.
    """

    def __init__(self, *, most_calls: int | None = None) -> None:
        """Hold nothing yet.

        Args:
            most_calls: How many functions count at each depth of calls, the latest ones. A tensor
                keeps the graph behind it, so without a bound a loop that throws its graphs away
                would fill the memory.
        """
        self._found: dict[int, deque[_Found]] = {}
        """By depth, the oldest first."""
        self._count = 0
        self._bytes = 0
        self._calls: Counter[int] = Counter()
        self._most_calls = most_calls
        self._used_up: set[int] = set()

    def __len__(self) -> int:
        return sum(map(len, self._found.values()))

    def take_from(self, frame: FrameType) -> None:
        """Take in the variables of a function of the user's that is about to end."""
        code = frame.f_code
        if not code.co_flags & _IS_FUNCTION:
            return  # a module or a class: its variables can be found later
        if internals.is_traced():
            return  # even asking for a size would become a part of what is traced
        tensors = [(name, value) for name, value in frame.f_locals.items() if is_tensor(value)]
        if not tensors:
            return
        depth, where = _depth(frame), _name_of(code)
        self._calls[depth] += 1
        with quietly():
            for name, tensor in tensors:
                if tensor.requires_grad and not self._is_used_up(tensor):
                    self._add(depth, f"{name} ({where})", tensor)
        if self._most_calls is not None:
            found = self._found.get(depth)
            while found and found[0].call <= self._calls[depth] - self._most_calls:
                self._drop(depth)

    def _add(self, depth: int, name: str, tensor: torch.Tensor) -> None:
        size = tensor.numel() * tensor.element_size() if storage_of(tensor) else 0
        found = _Found(self._count, self._calls[depth], name, tensor, size)
        self._found.setdefault(depth, deque()).append(found)
        self._count += 1
        self._bytes += size
        while self._bytes > MOST_BYTES or len(self) > MOST_TENSORS:
            self._drop(min(self._found, key=lambda depth: self._found[depth][0].number))

    def _drop(self, depth: int) -> None:
        found = self._found[depth]
        self._bytes -= found.popleft().size
        if not found:
            del self._found[depth]

    def forget(self, nodes: Iterable[Node]) -> None:
        """Let go of the variables that these nodes have made: a backward has used them up.

        A function that is still running, and in which backward was called, ends later; its
        variables are not taken in then.
        """
        # By numbers: the nodes themselves would keep what is behind them.
        numbers = map(internals.number_of, nodes)
        self._used_up.update(number for number in numbers if number is not None)
        for depth, found in list(self._found.items()):
            kept = deque(one for one in found if not self._is_used_up(one.tensor))
            self._bytes -= sum(one.size for one in found) - sum(one.size for one in kept)
            self._found[depth] = kept
            if not kept:
                del self._found[depth]

    def _is_used_up(self, tensor: torch.Tensor) -> bool:
        if not self._used_up or tensor.grad_fn is None:
            return False
        return internals.number_of(tensor.grad_fn) in self._used_up

    def names(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield each name with its tensor, those of the outermost functions first.

        A name that several tensors have had is numbered from the second one on.
        """
        seen: dict[str, list[torch.Tensor]] = {}
        for depth in sorted(self._found):
            for found in self._found[depth]:
                earlier = seen.setdefault(found.name, [])
                if any(other is found.tensor for other in earlier):
                    continue
                earlier.append(found.tensor)
                place = len(earlier)
                name = found.name if place == 1 else f"{found.name[:-1]}, {place})"
                yield name, found.tensor


_IS_FUNCTION = 0x1


def _depth(frame: FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += is_users(frame.f_code)
        frame = frame.f_back
    return depth


def _name_of(code: CodeType) -> str:
    return code.co_qualname.rsplit("<locals>.", 1)[-1]
