"""Know every hook of a graph: its place in its chain, and how to swap and restore it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from torch.utils.hooks import RemovableHandle

from hookviz.live import internals
from hookviz.live.graph import LiveGraph, LiveTensor
from hookviz.live.internals import HookDict
from hookviz.live.source import HookSource, find_source
from hookviz.records import HookKind, HookRecord

Hook = Callable[..., Any]


def turned_off(_: object) -> None:
    """Stand in for a hook that is turned off, so that its handle and its place stay alive."""


@dataclass(slots=True)
class LiveHook:
    """One hook: the dictionary of PyTorch it stands in, and what runs under its key."""

    id: str
    kind: HookKind
    owner: LiveTensor
    hooks: HookDict
    key: int
    function: Hook
    source: HookSource
    origin: Literal["user", "explorer"] = "user"
    enabled: bool = True
    handle: RemovableHandle | None = None

    @property
    def standing(self) -> Hook:
        """What PyTorch runs for it between recordings."""
        return self.function if self.enabled else turned_off

    @property
    def record(self) -> HookRecord:
        """The plain data of it."""
        return HookRecord(
            id=self.id,
            kind=self.kind,
            label=self.source.label,
            source=self.source.text,
            origin=self.origin,
            enabled=self.enabled,
            location=self.source.location,
        )


class HookChains:
    """All hooks on the tensors of one graph, found again before each use."""

    def __init__(self, live: LiveGraph) -> None:
        self._live = live
        self._hooks: dict[str, LiveHook] = {}
        self._count = 0
        self.taken_off: set[tuple[int, int]] = set()
        """Dictionary and key of the user's own hooks that were removed in the explorer."""
        self.refresh()

    def refresh(self) -> None:
        """Take in hooks that were registered or removed since the last look."""
        known = {(id(hook.hooks), hook.key): hook for hook in self._hooks.values()}
        self._hooks = {}
        for owner in self._live.tensors:
            for kind, hooks in _dictionaries(owner):
                for key, standing in list(hooks.items()):
                    hook = known.get((id(hooks), key))
                    if hook is None:
                        hook = self._new(kind, owner, hooks, key, standing)
                    elif standing is not hook.standing:
                        # Somebody put another function under the same key: theirs counts.
                        hook.function, hook.source = standing, find_source(standing)
                        hook.enabled = True
                    self._hooks[hook.id] = hook

    def all(self) -> tuple[LiveHook, ...]:
        """Return every hook, tensor by tensor, in the order in which the hooks run."""
        return tuple(self._hooks.values())

    def of(self, owner: LiveTensor) -> tuple[LiveHook, ...]:
        """Return the hooks of one tensor in the order in which they run."""
        return tuple(hook for hook in self._hooks.values() if hook.owner is owner)

    def get(self, hook_id: str) -> LiveHook | None:
        """Return the hook with this id."""
        return self._hooks.get(hook_id)

    def add(self, owner: LiveTensor, function: Hook, source: HookSource) -> LiveHook:
        """Register a tensor hook for real, at the end of the chain."""
        handle = owner.tensor.register_hook(function)
        hooks = internals.tensor_hooks(owner.tensor)
        assert hooks is not None
        hook = self._new("tensor_hook", owner, hooks, handle.id, function)
        hook.source, hook.origin, hook.handle = source, "explorer", handle
        self._hooks[hook.id] = hook
        self.refresh()
        return hook

    def take_off(self, hook: LiveHook) -> None:
        """Remove a hook from its dictionary."""
        hook.hooks.pop(hook.key, None)
        if hook.origin == "user":
            self.taken_off.add((id(hook.hooks), hook.key))
        self.refresh()

    def put_back(self, hook: LiveHook, order: list[int]) -> None:
        """Undo `take_off`; `order` are the keys of the dictionary as they were."""
        hook.hooks[hook.key] = hook.standing
        reorder(hook.hooks, order)
        self.taken_off.discard((id(hook.hooks), hook.key))
        self._hooks[hook.id] = hook
        self.refresh()

    @contextmanager
    def replaced(self, wrap: Callable[[LiveHook, int], Hook]) -> Iterator[None]:
        """Run each hook that is on through a wrapper, and put every one back afterwards.

        Replacing the value under a key keeps its place in PyTorch's order.

        Args:
            wrap: Is given a hook and its place among those of its tensor that are on.
        """
        self.refresh()
        wrappers: list[tuple[LiveHook, Hook]] = []
        try:
            for owner in self._live.tensors:
                enabled = [hook for hook in self.of(owner) if hook.enabled]
                for place, hook in enumerate(enabled):
                    wrapper = wrap(hook, place)
                    wrappers.append((hook, wrapper))
                    hook.hooks[hook.key] = wrapper
            yield
        finally:
            for hook, wrapper in wrappers:
                # A hook that removed or replaced itself while it ran stays as it left things.
                if hook.hooks.get(hook.key) is wrapper:
                    hook.hooks[hook.key] = hook.standing

    def _new(
        self, kind: HookKind, owner: LiveTensor, hooks: HookDict, key: int, function: Hook
    ) -> LiveHook:
        hook = LiveHook(
            id=f"h{self._count}",
            kind=kind,
            owner=owner,
            hooks=hooks,
            key=key,
            function=function,
            source=find_source(function),
        )
        self._count += 1
        return hook


def reorder(hooks: HookDict, keys: list[int]) -> None:
    """Put the entries of PyTorch's dictionary into another order.

    `OrderedDict.move_to_end` has no effect on the order in which hooks run (tried on 2.13);
    clearing and inserting again has.
    """
    entries = dict(hooks)
    hooks.clear()
    for key in [*keys, *(key for key in entries if key not in keys)]:
        if key in entries:
            hooks[key] = entries[key]


def _dictionaries(owner: LiveTensor) -> Iterator[tuple[HookKind, HookDict]]:
    hooks = internals.tensor_hooks(owner.tensor)
    if hooks:
        yield "tensor_hook", hooks
    if owner.tensor.is_leaf:
        hooks = internals.post_accumulate_hooks(owner.tensor)
        if hooks:
            yield "post_accumulate_hook", hooks
