"""Find a tensor, module, function or hook of the graph by its name or id."""

from __future__ import annotations

import torch

from hookviz._live.forward.part import LiveModule
from hookviz._live.graph.capture import LiveGraph
from hookviz._live.graph.hooks import AnyHook, HookChains
from hookviz._live.graph.node_hooks import NODE_KINDS, NodeName
from hookviz._live.graph.tensors import LiveTensor
from hookviz._live.hooks.places import MODULE_KINDS
from hookviz._records import HookKind, HookRecord
from hookviz.errors import HookvizError, UnknownTargetError

Target = torch.Tensor | torch.nn.Module | str
HookId = HookRecord | str
"""A hook of the explorer: its id, or the record that `Explorer.hooks` gives."""
Owner = LiveTensor | LiveModule | NodeName

TENSOR_KINDS: tuple[HookKind, ...] = ("tensor_hook", "post_accumulate_hook")

_MOST_KNOWN = 20


def find_owner(live: LiveGraph, target: Target, kind: HookKind | None) -> tuple[Owner, HookKind]:
    """Return the owner of a new hook, and the kind of the hook.

    A name may be that of a tensor and of a module; the kind decides, and without one the tensor
    comes first.

    Raises:
        UnknownTargetError: If the graph has no such thing.
        HookvizError: If that takes no hooks of this kind.
    """
    owner = _owner(live, target, kind)
    if isinstance(owner, LiveTensor):
        kinds, default = TENSOR_KINDS if owner.is_leaf else TENSOR_KINDS[:1], "tensor_hook"
    elif isinstance(owner, LiveModule):
        kinds, default = MODULE_KINDS, "module_forward_hook"
    else:
        kinds, default = NODE_KINDS, "node_hook"
    chosen = kind or next(one for one in kinds if one == default)
    if isinstance(owner, LiveTensor) and chosen in TENSOR_KINDS[len(kinds) :]:
        raise HookvizError(
            f"{owner.label} is not a leaf, and PyTorch allows a {chosen} on leaves only: nothing "
            f"is accumulated elsewhere. {owner.label} takes: {', '.join(kinds)}."
        )
    if chosen not in kinds:
        raise HookvizError(f"{owner.label} takes no {chosen}. It takes: {', '.join(kinds)}.")
    return owner, chosen


def _owner(live: LiveGraph, target: Target, kind: HookKind | None) -> Owner:
    if isinstance(target, torch.nn.Module):
        return find_module(live, target)
    if isinstance(target, torch.Tensor):
        return find_tensor(live, target)
    if kind in MODULE_KINDS:
        return find_module(live, target)
    if kind in NODE_KINDS or (target in live.nodes and _tensor_named(live, target) is None):
        return find_node(live, target)
    if kind is None and _tensor_named(live, target) is None:
        module = _module_named(live, target)
        if module is not None:
            return module
    return find_tensor(live, target)


def find_tensor(live: LiveGraph, target: object) -> LiveTensor:
    """Return the tensor that is given, or that has a name or id.

    Raises:
        UnknownTargetError: If the graph has no such tensor; it names those it has.
    """
    if isinstance(target, torch.Tensor):
        found = next((owner for owner in live.tensors if owner.tensor is target), None)
        what = f"this tensor of shape {list(target.shape)}"
    else:
        found, what = _tensor_named(live, target), f"{target!r}"
    if found is None:
        known = ", ".join(owner.label for owner in live.tensors[:_MOST_KNOWN])
        raise UnknownTargetError(
            f"{what} is not a tensor of this graph. It has: {known}. An operation makes a new "
            "tensor each time: w[0] or x.T written again is another one than in the graph."
        )
    return found


def _tensor_named(live: LiveGraph, target: object) -> LiveTensor | None:
    tensors = live.tensors
    return next((owner for owner in tensors if target in owner.names), None) or next(
        (owner for owner in tensors if owner.id == target), None
    )


def find_module(live: LiveGraph, target: object) -> LiveModule:
    """Return the module that is given, or that has a name or id.

    Raises:
        UnknownTargetError: If no such module was called; it names those that were.
    """
    modules = live.forward.modules
    if isinstance(target, torch.nn.Module):
        found = next((live for live in modules if live.module is target), None)
        what = f"this {type(target).__name__}"
    else:
        found, what = _module_named(live, target), f"{target!r}"
    if found is None:
        known = ", ".join(module.name for module in modules[:_MOST_KNOWN]) or "none"
        raise UnknownTargetError(
            f"{what} is not a module that was called on the way to this graph, as far as it was "
            f"watched. Those are: {known}."
        )
    return found


def _module_named(live: LiveGraph, target: object) -> LiveModule | None:
    modules = live.forward.modules
    return next((one for one in modules if one.name == target), None) or next(
        (one for one in modules if one.id == target), None
    )


def find_node(live: LiveGraph, target: object) -> NodeName:
    """Return the function with an id.

    Raises:
        UnknownTargetError: If the graph has no such function.
    """
    if not isinstance(target, str) or target not in live.nodes:
        last = len(live.nodes) - 1
        raise UnknownTargetError(
            f"{target!r} is not a function of this graph. Their ids are n0 to n{last}; "
            "print(hookviz.capture(root).text()) shows each with its name."
        )
    return NodeName(target)


def find_hook(chains: HookChains, hook: HookId) -> AnyHook:
    """Return the hook with an id, or of a record.

    Raises:
        UnknownTargetError: If there is none; it names those there are.
    """
    chains.refresh()
    hook_id = hook.id if isinstance(hook, HookRecord) else hook
    found = chains.get(hook_id) if isinstance(hook_id, str) else None
    if found is None:
        hooks: tuple[AnyHook, ...] = (*chains.all(), *chains.others())
        known = ", ".join(f"{h.id} ({h.owner.label}: {h.entry.source.label})" for h in hooks)
        raise UnknownTargetError(
            f"there is no hook {hook_id!r}. "
            + (f"There are: {known}." if known else "No tensor of this graph has a hook.")
        )
    return found
