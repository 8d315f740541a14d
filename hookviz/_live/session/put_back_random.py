"""Put the random generators back to what they were, so that a function can be run again alike."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch


class RandomState:
    """The state of PyTorch's, Python's and NumPy's generators at one moment."""

    def __init__(self) -> None:
        """Take the state of now."""
        self._torch = torch.get_rng_state()
        # Asking for the state of a device that nobody has used would start it.
        has_cuda = torch.cuda.is_available() and torch.cuda.is_initialized()
        self._cuda = torch.cuda.get_rng_state_all() if has_cuda else None
        self._python = random.getstate()
        numpy: Any = sys.modules.get("numpy")
        self._numpy = None if numpy is None else numpy.random.get_state()

    def restore(self) -> None:
        """Put it back."""
        torch.set_rng_state(self._torch)
        if self._cuda is not None:
            torch.cuda.set_rng_state_all(self._cuda)
        random.setstate(self._python)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)
