"""Write any object as a short text, without running code of the user's."""

from __future__ import annotations

import enum
import functools
import math
import types
from typing import Any

import torch

from hookviz._live.user.storable import storable

WIDTH = 60

_PLAIN = (int, float, complex, bool, type(None), type(...), type(NotImplemented))
_TORCH_NAMES = (torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size)
_MOST_BITS = 256


def short_text(value: Any) -> str:
    """Describe an object in at most about 60 characters; never fails and never takes long.

    The `repr` of an object may run the user's code, print, or take seconds. It is asked for only
    where it is known: numbers, text, and PyTorch's small objects. Of all else the kind is told.

    Example:
        >>> short_text(3), short_text("a"), short_text(torch.float32), short_text(object())
        ('3', "'a'", 'torch.float32', 'object')
    """
    kind = type(value)
    if kind is int and value.bit_length() > _MOST_BITS:
        digits = int(value.bit_length() * math.log10(2))
        return f"int of about {digits} digits"
    if kind in _PLAIN or kind in _TORCH_NAMES:
        return _cut(repr(value))
    if kind is str or kind is bytes:
        return _cut(repr(value[:WIDTH]) + ("…" if len(value) > WIDTH else ""))
    if kind in (types.FunctionType, types.BuiltinFunctionType, types.MethodType):
        return _cut(f"function {value.__name__}")
    if issubclass(kind, enum.Enum):
        return _cut(f"{kind.__name__}.{value._name_}")
    if kind is functools.partial:
        return _cut(f"partial of {short_text(value.func)}")
    if issubclass(kind, type):
        return _cut(f"class {type.__getattribute__(value, '__name__')}")
    if kind in (list, tuple, dict) and not value:
        return repr(value)
    size = _size(value)
    return _cut(f"{kind.__name__} of {size}" if size else kind.__name__)


def _size(value: Any) -> str:
    kind = type(value)
    if kind in (list, tuple, dict, set, frozenset):
        return f"{len(value)} items"
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        return f"shape {list(value.shape)}"
    return ""


def _cut(text: str) -> str:
    text = storable(" ".join(text.split()))
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
