"""Describe each tensor of a graph for the inspector and the hook editor, as JSON-safe data."""

from __future__ import annotations

from typing import Any

from hookviz.records import GraphRecord, HookRecord, TensorRecord
from hookviz.view.message import to_json_data
from hookviz.view.numbers import snapshot_text


def panel_data(graph: GraphRecord) -> list[dict[str, Any]]:
    """Return what the side panel knows of each tensor before backward.

    Returns:
        One dictionary per tensor in the order of the graph: id, label, all names, role, whether it
        retains its grad, shape, dtype, device, layout, value as text, and its chain of hooks.
    """
    return [_tensor(tensor, order) for order, tensor in enumerate(graph.tensors)]


def _tensor(tensor: TensorRecord, order: int) -> dict[str, Any]:
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
        "hookable": True,
        "hooks": [hook_data(hook) for hook in tensor.hooks],
    }


def hook_data(hook: HookRecord) -> dict[str, Any]:
    """Return what the side panel knows of a hook."""
    return {
        "id": hook.id,
        "kind": hook.kind,
        "label": hook.label,
        "source": hook.source,
        "origin": hook.origin,
        "enabled": hook.enabled,
        "location": hook.location,
        "editable": True,
        "with_kwargs": hook.with_kwargs,
        "always_call": hook.always_call,
    }


def role(tensor: TensorRecord) -> str:
    """Return `root`, `leaf` or `non-leaf`; a root that is a leaf counts as the root."""
    if tensor.is_root:
        return "root"
    return "leaf" if tensor.is_leaf else "non-leaf"
