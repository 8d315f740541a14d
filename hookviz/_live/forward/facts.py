"""Find facts about a call of a module that surprise people: keys of the language tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from hookviz._live import internals
from hookviz._live.hooks.places import BACKWARD_KINDS, places_of
from hookviz._live.values.arguments import is_tensor, of_output
from hookviz._live.values.looks import Look, Looks


def of_hook(*, args: Any, kwargs: Any, result: Any, sees_kwargs: bool) -> tuple[str, ...]:
    """Return the facts about a forward pre-hook or forward hook that has run."""
    facts = []
    if kwargs and not sees_kwargs:
        facts.append("fact.kwargs_unseen")
    if isinstance(result, RemovableHandle):
        facts.append("fact.handle_output")
    return tuple(facts)


def of_forward(
    module: torch.nn.Module, given: Look, output: Any, looks: Looks, *, is_compiled: bool
) -> tuple[str, ...]:
    """Return the facts about a forward that has returned."""
    facts = list(_of_backward_hooks(module, output))
    if _changed_its_input(given, output, looks):
        facts.append("fact.in_place")
    if is_compiled:
        facts.append("fact.compiled")
    if isinstance(module, torch.nn.DataParallel) and not module.device_ids:
        facts.append("fact.data_parallel")
    return tuple(facts)


def has_backward_hooks(module: torch.nn.Module) -> bool:
    """Return whether the call puts backward hooks into the graph."""
    return any(place.hooks for place in places_of(module) if place.kind in BACKWARD_KINDS)


def _of_backward_hooks(module: torch.nn.Module, output: Any) -> Iterator[str]:
    if not has_backward_hooks(module):
        return
    tensors = [value for _, value in of_output(output) if is_tensor(value)]
    if not any(tensor.requires_grad for tensor in tensors):
        yield "fact.no_graph"
    elif not isinstance(output, torch.Tensor | tuple):
        yield "fact.output_kind"
    elif isinstance(output, tuple) and any(_holds_tensors(part) for part in output):
        yield "fact.nested_output"
    places = [place for place in places_of(module) if place.kind == "module_backward_hook"]
    if any(place.hooks and not internals.is_full(module, place.hooks) for place in places):
        yield "fact.old_hook"


def _holds_tensors(part: Any) -> bool:
    return not is_tensor(part) and any(is_tensor(value) for _, value in of_output(part))


def _changed_its_input(given: Look, output: Any, looks: Looks) -> bool:
    inputs = {id(value) for _, value in given.items if is_tensor(value)}
    is_passed_on = any(id(value) in inputs for _, value in of_output(output))
    return is_passed_on and looks.changed_in_place(given)
