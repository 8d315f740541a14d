"""Put the buffers of modules back to what they were: running statistics, counters, and the like."""

from __future__ import annotations

import torch

from hookviz._live.session.put_back import KeptNumbers

_Kept = tuple[torch.Tensor, KeptNumbers]


class KeptBuffers:
    """The buffers of some modules at one moment: which objects they were, and what was in them."""

    def __init__(self) -> None:
        """Begin with no module."""
        self._kept: dict[int, tuple[torch.nn.Module, dict[str, _Kept]]] = {}

    def note(self, module: torch.nn.Module) -> None:
        """Take in the buffers of a module and of all modules in it, if they are not known yet."""
        for inner in module.modules():
            if id(inner) not in self._kept:
                self._kept[id(inner)] = (inner, _buffers(inner))

    def of_now(self) -> KeptBuffers:
        """Return what the buffers of the same modules are now."""
        others = KeptBuffers()
        others._kept = {key: (module, _buffers(module)) for key, (module, _) in self._kept.items()}
        return others

    def restore(self) -> None:
        """Give every module the same buffers with the same numbers."""
        for module, buffers in self._kept.values():
            now = dict(module.named_buffers(recurse=False))
            for name, (tensor, numbers) in buffers.items():
                if now.get(name) is not tensor:
                    setattr(module, name, tensor)
                numbers.restore()


def _buffers(module: torch.nn.Module) -> dict[str, _Kept]:
    return {
        name: (buffer, KeptNumbers(buffer))
        for name, buffer in module.named_buffers(recurse=False)
        # One that has no shape yet is given one by the first call, and stays as that leaves it.
        if not torch.nn.parameter.is_lazy(buffer)
    }
