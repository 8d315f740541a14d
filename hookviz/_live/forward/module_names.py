"""Name every called module by `named_modules`, or by the caller's variables."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from hookviz._live.user.names import Namespace, is_hidden
from hookviz._live.user.storable import storable

Module = torch.nn.Module


class ModuleNames:
    """The names of the modules of one watched block; no two modules have the same one."""

    def __init__(self) -> None:
        self._given: dict[int, tuple[weakref.ref[Module], str]] = {}
        self._taken: set[str] = set()
        self._paths: dict[int, tuple[weakref.ref[Module], dict[int, str]]] = {}

    def give(self, modules: Iterable[Module], namespaces: Iterable[Namespace]) -> None:
        """Note the names that the caller's variables have for these modules."""
        spaces = tuple(namespaces)
        for module in modules:
            name = name_in(spaces, module)
            if name is not None:
                self._given[id(module)] = (weakref.ref(module), name)

    def name(self, module: Module, around: Iterable[Module], spaces: tuple[Namespace, ...]) -> str:
        """Return a new name for a module that is called for the first time.

        Args:
            module: The module.
            around: The modules whose calls are running, the outermost first.
            spaces: The variables of the caller.
        """
        name = self._unique(tuple(self._candidates(module, tuple(around), spaces)))
        self._taken.add(name)
        return name

    def take(self, name: str) -> None:
        """Keep a name from being given again."""
        self._taken.add(name)

    def _candidates(
        self, module: Module, around: tuple[Module, ...], spaces: tuple[Namespace, ...]
    ) -> Iterator[str]:
        kind = type(module).__name__
        if not around:
            known = self._given.get(id(module))
            is_given = known is not None and known[0]() is module
            yield known[1] if known is not None and is_given else name_in(spaces, module) or kind
            return
        for place, outer in enumerate(around):
            path = self._path(outer, module)
            if path:
                if place == 0:
                    yield path
                yield f"{type(outer).__name__}.{path}"
                return
        yield kind

    def _path(self, outer: Module, module: Module) -> str | None:
        # A map for each outer module: asked for one at a time, a deep model would take seconds.
        known = self._paths.get(id(outer))
        if known is None or known[0]() is not outer or id(module) not in known[1]:
            paths = {id(inner): path for path, inner in outer.named_modules() if path}
            known = self._paths[id(outer)] = (weakref.ref(outer), paths)
        return known[1].get(id(module))

    def _unique(self, candidates: tuple[str, ...]) -> str:
        texts = tuple(map(storable, candidates))
        for text in texts:
            if text not in self._taken:
                return text
        number = 2
        while f"{texts[-1]} {number}" in self._taken:
            number += 1
        return f"{texts[-1]} {number}"


def path_in(outer: Module, module: Module) -> str | None:
    """Return the way from one module to another inside it; `None` where there is none."""
    return next((path for path, inner in outer.named_modules() if inner is module and path), None)


def name_in(spaces: Iterable[Namespace], module: Module) -> str | None:
    """Return the name of a module in variables: a variable, or the way from one to it."""
    variables = [item for space in spaces for item in list(space.items())]
    shown = [(name, value) for name, value in variables if isinstance(name, str)]
    shown.sort(key=lambda item: is_hidden(item[0]))
    for name, value in shown:
        if value is module:
            return name
    for name, value in shown:
        inner = _way_into(name, value, module)
        if inner is not None:
            return inner
    return None


def _way_into(name: str, value: Any, module: Module) -> str | None:
    if issubclass(type(value), Module):
        path = path_in(value, module)
        return f"{name}.{path}" if path else None
    if name == "self":
        held = getattr(value, "__dict__", {})
        return next((f"self.{key}" for key, item in list(held.items()) if item is module), None)
    return None
