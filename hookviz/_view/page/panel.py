"""Describe each tensor of a graph for the inspector and the hook editor, as JSON-safe data."""

from __future__ import annotations

from typing import Any

from hookviz._records import GraphRecord, HookRecord, TensorRecord
from hookviz._view.text.message import to_json_data
from hookviz._view.text.numbers import snapshot_text


def panel_data(graph: GraphRecord, *, is_fixed: bool = False) -> list[dict[str, Any]]:
    """Return the data of the side panel for each tensor before backward.

    Args:
        graph: The graph.
        is_fixed: Whether its hooks can no longer be changed, nor new ones added.

    Returns:
        One dictionary per tensor in the order of the graph: id, label, all names, role, whether it
        retains its grad, shape, dtype, device, layout, value as text, and its chain of hooks.
    """
    return [_tensor(tensor, order, is_fixed=is_fixed) for order, tensor in enumerate(graph.tensors)]


def _tensor(tensor: TensorRecord, order: int, *, is_fixed: bool) -> dict[str, Any]:
    return {
        "id": tensor.id,
        "label": tensor.label,
        "names": list(tensor.names),
        "role": role(tensor),
        "retains_grad": tensor.retains_grad,
        "shape": list(tensor.value.shape),
        "dtype": tensor.value.dtype,
        "device": tensor.value.device,
        "layout": tensor.value.layout,
        "value": to_json_data(snapshot_text(tensor.value)),
        "order": order,
        "hookable": not is_fixed,
        "hooks": [hook_data(hook, is_fixed=is_fixed) for hook in tensor.hooks],
    }


def hook_data(hook: HookRecord, *, is_fixed: bool = False) -> dict[str, Any]:
    """Return the data of the side panel for one hook."""
    return {
        "id": hook.id,
        "kind": hook.kind,
        "label": hook.label,
        "source": hook.source,
        "origin": hook.origin,
        "enabled": hook.enabled,
        "location": hook.location,
        "editable": not is_fixed,
        "with_kwargs": hook.with_kwargs,
        "always_call": hook.always_call,
    }


def role(tensor: TensorRecord) -> str:
    """Return `root`, `leaf` or `non-leaf`; a root that is a leaf counts as the root."""
    if tensor.is_root:
        return "root"
    return "leaf" if tensor.is_leaf else "non-leaf"
