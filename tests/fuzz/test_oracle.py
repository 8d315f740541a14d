"""The oracle sees it when hookviz leaves something behind: what it compares can fail."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

import pytest

from hookviz._live.graph.hooks import HookChains
from hookviz._live.hooks.table import HookTable
from tests.fuzz.edits import Edit, check_edits
from tests.fuzz.oracle import check
from tests.fuzz.program import Do, Hook, PostHook, Program

PROGRAMS = {
    "a tensor hook": Program(instructions=(Do("mul"), Hook("double"))),
    "two hooks": Program(instructions=(Do("mul"), Hook("none"), Hook("print", 0, 2))),
    "a hook on a leaf": Program(instructions=(Hook("add"), Do("mul"))),
    "a post-accumulate hook": Program(instructions=(PostHook("none"), Do("mul"))),
    "a hook that raises": Program(instructions=(Do("mul"), Hook("raise"))),
}


def leave_the_wrappers(chains: HookChains, wrap: Callable[..., object]) -> None:
    for place, hook in enumerate(chains.all()):
        hook.table.hooks[hook.key] = wrap(hook, place)


def leave_another_function(chains: HookChains, _: object) -> None:
    for hook in chains.all():
        hook.table.hooks[hook.key] = lambda grad, function=hook.function: function(grad)


def leave_one_more(chains: HookChains, _: object) -> None:
    for hook in chains.all():
        hook.table.hooks[max(hook.table.hooks) + 1000] = lambda grad: None


def leave_the_last_out(chains: HookChains, _: object) -> None:
    hook = chains.all()[-1]
    del hook.table.hooks[hook.key]


def leave_another_dictionary(chains: HookChains, _: object) -> None:
    for hook in chains.all():
        if hook.kind == "tensor_hook":
            hook.owner.tensor._backward_hooks = dict(hook.table.hooks)
        else:
            hook.owner.tensor._post_accumulate_grad_hooks = dict(hook.table.hooks)


SABOTAGES = (
    leave_the_wrappers,
    leave_another_function,
    leave_one_more,
    leave_the_last_out,
    leave_another_dictionary,
)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("sabotage", SABOTAGES)
def test_hooks_that_are_not_put_back_as_they_were_are_seen(
    program: Program, sabotage: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(program)
    replaced = HookChains.replaced

    @contextmanager
    def careless(self, wrap):
        with replaced(self, wrap):
            yield
        sabotage(self, wrap)

    monkeypatch.setattr(HookChains, "replaced", careless)
    with pytest.raises(AssertionError, match="hooks put back, recorded"):
        check(program)


def test_a_hook_that_comes_back_after_its_handle_removed_it_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = PROGRAMS["two hooks"]
    edits = (Edit("remove", on=1), Edit("unhook", on=1))
    check_edits(program, edits)

    def forgetful(self, key):
        entry = self.entries.pop(key)
        del self.hooks[key]
        return entry

    def stubborn(self):
        self.hooks.update(self.found)

    monkeypatch.setattr(HookTable, "take_off", forgetful)
    monkeypatch.setattr(HookTable, "restore", stubborn)
    with pytest.raises(AssertionError, match=r"hooks after close\(\)"):
        check_edits(program, edits)


def test_hooks_that_a_session_does_not_put_back_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS["a tensor hook"]
    edits = (Edit("remove", on=1),)
    check_edits(program, edits)
    monkeypatch.setattr(HookTable, "restore", lambda self: None)
    with pytest.raises(AssertionError, match=r"hooks after close\(\)"):
        check_edits(program, edits)
