"""Know the dictionaries in which the hooks of modules stand, in the order of their running."""

from __future__ import annotations

import torch
from msgspec import Struct

from hookviz._live import internals
from hookviz._live.hooks.bound_names import bound_names
from hookviz._live.hooks.table import HookEntry
from hookviz._live.internals import HookDict
from hookviz._records import HookKind, HookRecord

FORWARD_KINDS: tuple[HookKind, ...] = ("module_forward_pre_hook", "module_forward_hook")
BACKWARD_KINDS: tuple[HookKind, ...] = ("module_backward_pre_hook", "module_backward_hook")
MODULE_KINDS = FORWARD_KINDS + BACKWARD_KINDS


class HookPlace(Struct, frozen=True):
    """One dictionary of hooks that a call of a module looks into."""

    kind: HookKind
    hooks: HookDict


def places_of(module: torch.nn.Module) -> tuple[HookPlace, ...]:
    """Return the dictionaries of a module, those common to all modules before its own.

    Kind by kind in the order in which they come to run; inside a kind PyTorch runs the common ones
    first.
    """
    common, own = common_places(), own_places(module)
    return tuple(place for pair in zip(common, own, strict=True) for place in pair)


def own_places(module: torch.nn.Module) -> tuple[HookPlace, ...]:
    """Return the dictionaries that belong to the module, one per kind."""
    return _places(
        internals.forward_pre_hooks(module),
        internals.forward_hooks(module),
        internals.backward_pre_hooks(module),
        internals.backward_hooks(module),
    )


def common_places() -> tuple[HookPlace, ...]:
    """Return the dictionaries that are common to all modules, one per kind."""
    return _places(
        internals.global_forward_pre_hooks(),
        internals.global_forward_hooks(),
        internals.global_backward_pre_hooks(),
        internals.global_backward_hooks(),
    )


def _places(*dictionaries: HookDict) -> tuple[HookPlace, ...]:
    return tuple(map(HookPlace, MODULE_KINDS, dictionaries))


def has_hooks(module: torch.nn.Module) -> bool:
    """Return whether a call of the module would run any hook."""
    return any(place.hooks for place in places_of(module))


def hook_record(
    hook_id: str,
    kind: HookKind,
    entry: HookEntry,
    *,
    in_forward: bool = False,
    module: torch.nn.Module | None = None,
    hooks: HookDict,
    key: int,
) -> HookRecord:
    """Return the plain data of a hook.

    Args:
        hook_id: Its id.
        kind: Its kind.
        entry: Its function and source.
        in_forward: Whether the call of a module has registered it.
        module: The module it stands on, which knows the options of the registration.
        hooks: The dictionary it stands in.
        key: Its key there.
    """
    sees_kwargs = always_call = is_old_kind = False
    if module is not None:
        sees_kwargs = internals.sees_kwargs(module, hooks, key)
        always_call = internals.is_always_called(module, hooks, key)
        is_old_kind = kind == "module_backward_hook" and not internals.is_full(module, hooks)
    return HookRecord(
        id=hook_id,
        kind=kind,
        label=entry.source.label,
        source=entry.source.text,
        origin=entry.origin,
        enabled=entry.enabled,
        location=entry.source.location,
        with_kwargs=sees_kwargs,
        always_call=always_call,
        bound=bound_names(entry.function),
        is_old_kind=is_old_kind,
        in_forward=in_forward,
    )
