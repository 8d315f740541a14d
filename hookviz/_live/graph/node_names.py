"""Name a node as PyTorch does, and know which names need a word of explanation."""

from __future__ import annotations

from torch.autograd.graph import Node

_ANNOTATIONS = {
    "CopySlices": "node.copy_slices",
    "AsStridedBackward0": "node.as_strided",
    "BackwardHookFunctionBackward": "node.module_hook",
    "CheckpointFunctionBackward": "node.checkpoint",
    "CompiledFunctionBackward": "node.compiled",
    "ToCopyBackward0": "node.to_copy",
    "NotImplemented": "node.not_implemented",
}
"""Names that say nothing to who did not write them; keys of the language tables."""


def plain_name(node: Node) -> str:
    """Return the name without its C++ namespace, such as `AccumulateGrad`."""
    return node.name().rsplit("::", 1)[-1]


def annotation(name: str) -> str:
    """Return the key of a sentence about the kind of node with this plain name, or empty text."""
    return _ANNOTATIONS.get(name, "")
