"""Read tensors in the middle of the user's code, unseen by the code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from hookviz._live import internals
from hookviz._live.values.reading import Reading, read
from hookviz._parameters import Keep

_DEVICES = ("cpu", "cuda")


@contextmanager
def quietly() -> Iterator[None]:
    """Keep the reads of hookviz out of the user's function modes, dispatch modes, and autocast.

    Under autocast a sum of squares would be one of bfloat16 numbers, and a mode that counts
    operations would count those of hookviz.
    """
    with internals.unseen_by_modes(), torch.no_grad():
        if not any(map(torch.is_autocast_enabled, _DEVICES)):
            yield
            return
        with torch.autocast("cpu", enabled=False), torch.autocast("cuda", enabled=False):
            yield


def read_quietly(tensor: torch.Tensor, *, keep: Keep) -> Reading:
    """Read a tensor; one that cannot be read now has its shape and the reason.

    Its snapshot is made as well, which later could not be done as quietly. Call it within
    `quietly`.
    """
    reason = _reason_not_to_read(tensor)
    if not reason:
        try:
            reading = read(tensor, keep=keep)
            _ = reading.snapshot
        except Exception as error:  # noqa: BLE001 - a subclass may refuse in any way
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
        else:
            return reading
    noted = Reading(tensor, {"note": reason})
    noted.shape = torch.Size([int(size) for size in tensor.shape])
    _ = noted.snapshot
    return noted


def _reason_not_to_read(tensor: torch.Tensor) -> str:
    if internals.is_transformed():
        return "inside a torch.func transform a tensor has no numbers of its own"
    if tensor.is_cuda and torch.cuda.is_current_stream_capturing():
        return "while a CUDA graph is captured no number can be read"
    return ""
