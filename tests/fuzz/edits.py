"""Random edits of hooks in a session, each held against one plain backward with those hooks."""

from __future__ import annotations

import io
import itertools
import warnings
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import torch

from hookviz._live.recording.options import BackwardOptions
from hookviz._live.session.session import Session
from hookviz._records import HookRecord
from hookviz.errors import HookRunError
from tests.fuzz.hooks import POST_HOOKS, ROUGH_HOOKS, TENSOR_HOOKS, post_hook, tensor_hook
from tests.fuzz.program import Built, Program, build
from tests.fuzz.values import bits, edge, hooks_of, kept_grad, same

TEXTS = (
    "lambda grad: grad * 3",
    "lambda grad: None",
    "lambda grad: torch.ones_like(grad)",
    "def hook(grad):\n    grad = grad + 1\n    return grad * 2",
    "lambda grad: 1 / 0",
)

LASTING = frozenset({"change_kept", "remove", "descend", "descend_and_count"})
"""Forms that change more than gradients of this pass, so that running again is not the same."""

FORMS = tuple(form for form in {**TENSOR_HOOKS, **ROUGH_HOOKS} if form not in LASTING)
POST_FORMS = tuple(form for form in POST_HOOKS if form not in LASTING)


class Edit(NamedTuple):
    """One change.

    Attributes:
        what: `attach`, `edit`, `disable`, `enable`, `move`, `remove` or `run`; or `unhook`: the
            user removes one by its handle, listed or not, and runs again.
        on: Which of the tensors that have names.
        which: Which of its hooks.
        new: Which new hook, or the place to move to.
    """

    what: str
    on: int = 0
    which: int = 0
    new: int = 0


@dataclass(frozen=True)
class Standing:
    """A hook in its chain: one of the program's by its number, or a new one; and if it is on.

    Attributes:
        handle: The number of the program's hook in whose place it stands.
    """

    number: int | None = None
    new: int = 0
    is_post: bool = False
    is_on: bool = True
    handle: int | None = None


Chains = dict[str, tuple[Standing, ...]]
"""The hooks of each tensor that has a name, in the order in which they run."""


def check_edits(program: Program, edits: tuple[Edit, ...]) -> None:
    """Assert that after each edit every `.grad` is that of one plain backward."""
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        edited = _Edited(program)
        for edit in edits:
            edited.change(edit)
        edited.close()


class _Edited:
    """A session, and what its hooks should be."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.built = _prepare(program)
        self.is_over = False
        self.chains = _chains(self.built)
        self.found = self._dictionaries()
        listed = {hook.number for chain in self.chains.values() for hook in chain}
        self.handles = {
            hook.number: (hook.on, hook.handle)
            for hook in self.built.hooks
            if hook.number in listed and hook.on in self.chains
        }
        self.grads, error = _plainly(program, self.chains)
        options = BackwardOptions(**self.built.arguments)
        names, space = self.built.names, {"torch": torch}
        self.session = Session(
            self.built.root, options, names=names, namespaces=[space], echo=False
        )
        same("exception, first run", _error(self.session.trace.error), error)
        self._check("first run")

    def change(self, edit: Edit) -> None:
        """Make an edit, and check what came of it."""
        if self.is_over:
            return
        names = [name for name in self.chains if self.session.trace.graph.find(name) is not None]
        if not names:
            return
        name = names[edit.on % len(names)]
        chain = self.chains[name]
        records = self.session.trace.graph.find(name).hooks
        same("hooks listed", [hook.enabled for hook in records], [hook.is_on for hook in chain])
        if edit.what == "unhook":
            self._unhook(name, edit.which)
            return
        if edit.what not in ("attach", "run") and not chain:
            return
        place = edit.which % len(chain) if chain else 0
        wanted = {**self.chains, name: _edited(chain, place, edit)}
        grads, error = _plainly(self.program, wanted)
        try:
            self._call(edit, name, chain, records, place)
        except HookRunError as raised:
            same(f"exception, {edit}", _error(raised.trace.error), error)
        else:
            same(f"exception, {edit}", None, error)
            self.chains, self.grads = wanted, grads
        self._check(str(edit))

    def _unhook(self, name: str, which: int) -> None:
        """Remove one of the program's hooks by its handle, also one that is not listed now."""
        there = [number for number, (on, _) in self.handles.items() if on == name]
        if not there:
            return
        number = there[which % len(there)]
        _, handle = self.handles.pop(number)
        handle.remove()
        for entries in itertools.chain(*self.found):
            entries[:] = [entry for entry in entries if entry[0] != handle.id]
        left = tuple(hook for hook in self.chains[name] if hook.handle != number)
        self.chains = {**self.chains, name: left}
        grads, error = _plainly(self.program, self.chains)
        try:
            self.session.run()
        except HookRunError as raised:
            same("exception, unhook", _error(raised.trace.error), error)
            self.is_over = True  # the trace of before stays, and tells of a hook that is gone
        else:
            same("exception, unhook", None, error)
            self.grads = grads
        self._check(f"unhook {number}")

    def close(self) -> None:
        """Close the session, and check that it has left nothing behind."""
        self.session.close()
        same("hooks after close()", self._dictionaries(), self.found)

    def _call(
        self,
        edit: Edit,
        name: str,
        chain: tuple[Standing, ...],
        records: tuple[HookRecord, ...],
        place: int,
    ) -> None:
        if edit.what == "run":
            self.session.run()
        elif edit.what == "attach":
            self.session.attach(name, _typed(Standing(new=edit.new), name, self.built))
        elif edit.what == "edit":
            hook = Standing(new=edit.new, is_post=chain[place].is_post)
            self.session.edit(records[place].id, _typed(hook, name, self.built))
        elif edit.what == "move":
            self.session.move(records[place].id, edit.new)
        else:
            getattr(self.session, edit.what)(records[place].id)

    def _check(self, when: str) -> None:
        same(f".grad, {when}", _grads(self.built), self.grads)

    def _dictionaries(self) -> list[Any]:
        known = self.built.names.values()
        return [[entries for _, entries in hooks_of(tensor)] for tensor in known]


def _edited(chain: tuple[Standing, ...], place: int, edit: Edit) -> tuple[Standing, ...]:
    """Return what an edit makes of a chain."""
    hooks = list(chain)
    ends = sum(not hook.is_post for hook in hooks)
    if edit.what == "attach":
        hooks.insert(ends, Standing(new=edit.new))
    elif edit.what == "edit":
        hooks[place] = replace(hooks[place], number=None, new=edit.new)
    elif edit.what == "remove":
        del hooks[place]
    elif edit.what == "move":
        hook = hooks.pop(place)
        first, last = (ends, len(hooks)) if hook.is_post else (0, ends - 1)
        hooks.insert(min(first + edit.new, last), hook)
    elif edit.what in ("enable", "disable"):
        hooks[place] = replace(hooks[place], is_on=edit.what == "enable")
    return tuple(hooks)


def _typed(hook: Standing, name: str, built: Built) -> Any:
    """Return a new hook as it is given to a session: a callable, or the text of one."""
    if not hook.is_post and hook.new < len(TEXTS):
        return TEXTS[hook.new]
    make, forms = (post_hook, POST_FORMS) if hook.is_post else (tensor_hook, FORMS)
    form = forms[hook.new % len(forms)]
    return make(form, 1000 + hook.new, name, built.book, hook.new, built.names[name])


def _function(hook: Standing, name: str, built: Built) -> Any:
    """Return a hook as it is given to PyTorch."""
    if hook.number is not None:
        return next(one.function for one in built.hooks if one.number == hook.number)
    typed = _typed(hook, name, built)
    if not isinstance(typed, str):
        return typed
    space: dict[str, Any] = {"torch": torch}
    exec(typed if typed.startswith("def") else f"hook = {typed}", space)
    return space["hook"]


def _prepare(program: Program) -> Built:
    """Build a graph, with the `.grad`s of an earlier pass if the program has two."""
    built = build(program)
    for tensor in built.names.values():
        edge(tensor)  # PyTorch finds out now which views were changed through another one
    if program.passes == 2:
        _run(built)
    return built


def _chains(built: Built) -> Chains:
    numbers = {id(hook.function): hook for hook in built.hooks}
    chains: Chains = {}
    for name, tensor in built.names.items():
        functions = [own.one for _, entries in hooks_of(tensor) for _, own in entries]
        hooks = [numbers[id(function)] for function in functions]
        chains[name] = tuple(
            Standing(hook.number, is_post=hook.is_post, handle=hook.number) for hook in hooks
        )
    return chains


def _plainly(program: Program, chains: Chains) -> tuple[Any, Any]:
    """Return every `.grad`, and the exception, of one plain backward with these hooks."""
    built = _prepare(program)
    before = _chains(built)
    for name, chain in chains.items():
        if chain == before[name]:
            continue
        tensor = built.names[name]
        for hooks in (tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None)):
            if hooks:
                hooks.clear()
        for hook in chain:
            if hook.is_on:
                kind = "register_post_accumulate_grad_hook" if hook.is_post else "register_hook"
                getattr(tensor, kind)(_function(hook, name, built))
    error = _run(built)
    return _grads(built), error


def _run(built: Built) -> tuple[str, str] | None:
    try:
        built.root.backward(**built.arguments)
    except Exception as error:  # noqa: BLE001 - whatever a hook may raise
        return (type(error).__name__, str(error))
    return None


def _error(record: Any) -> tuple[str, str] | None:
    return record and (record.type, record.message)


def _grads(built: Built) -> list[Any]:
    return [bits(kept_grad(one)) for one in built.known]
