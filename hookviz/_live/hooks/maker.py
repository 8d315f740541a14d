"""Make a hook of a function, or of the text of one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from hookviz._live.hooks.compiler import check_callable, compile_hook
from hookviz._live.hooks.signatures import sees_kwargs
from hookviz._live.hooks.source import HookSource, find_source
from hookviz._live.hooks.table import Hook
from hookviz._live.hooks.typed import own_namespaces, typed_source
from hookviz._live.user.attribute import attribute_of
from hookviz._live.user.names import Namespace
from hookviz._records import HookKind

HookLike = Hook | str

_texts = itertools.count(1)
"""Numbers the texts that were typed, so that tracebacks can tell them apart."""

_FILE = "<hookviz hook"


class HookMaker:
    """Make hooks that see the variables of the code that opened the explorer."""

    def __init__(self, namespaces: Iterable[Namespace]) -> None:
        self._namespaces = tuple(namespaces)

    def make(
        self,
        hook: HookLike,
        kind: HookKind,
        *,
        with_kwargs: bool | None = None,
        instead_of: Hook | None = None,
    ) -> tuple[Hook, HookSource, bool]:
        """Return the function, its source, and whether it takes keyword arguments.

        Args:
            hook: A callable, or the text of a lambda or `def`.
            kind: What it is to be.
            with_kwargs: Whether a forward hook is to be given keyword arguments; by what it takes
                if `None`.
            instead_of: The function in whose place it comes; its variables are seen first.

        Raises:
            HookSourceError: If it is no usable hook of that kind.
        """
        if isinstance(hook, str):
            namespaces = self._namespaces
            if instead_of is not None:
                # A hook written inside a function goes on seeing the variables of that function.
                namespaces = (*own_namespaces(instead_of), *namespaces)
            function = compile_hook(
                hook,
                namespaces,
                filename=f"{_FILE} {next(_texts)}>",
                kind=kind,
                with_kwargs=with_kwargs,
            )
            source = typed_source(hook, function)
        else:
            function = check_callable(hook, kind=kind, with_kwargs=with_kwargs)
            source = find_source(hook)
        has_kwargs = sees_kwargs(function, kind) if with_kwargs is None else with_kwargs
        return function, source, has_kwargs

    def made_again(self, function: Hook, source: HookSource, instead_of: Hook) -> Hook:
        """Return a typed tensor hook for another function's place; any other one is itself.

        A function that was run again has other variables, which the hook is to see.
        """
        code = attribute_of(function, "__code__")
        if code is None or not code.co_filename.startswith(_FILE) or not source.text:
            return function
        namespaces = (*own_namespaces(instead_of), *self._namespaces)
        return compile_hook(source.text, namespaces, filename=f"{_FILE} {next(_texts)}>")
