"""Forward pre-hooks and forward hooks: in which order they run, and what each one does."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import nn

from tests.cases.forms import FORMS, filled, of_any_shape, say
from tests.cases.forward_oracle import Scene, compare
from tests.cases.modules import Double, of, values


@of_any_shape
def test_forward_hooks_form_a_chain_common_ones_first_then_prepended_then_ordinary(shape) -> None:
    def build() -> Scene:
        layer = Double()
        common = torch.nn.modules.module

        def named(name: str) -> Callable[..., Any]:
            def hook(*args: Any) -> Any:
                say(name, len(args))
                return args[-1] + 1 if name.startswith("after") else None

            hook.__name__ = name.replace(" ", "_")
            return hook

        layer.register_forward_pre_hook(named("own"))
        layer.register_forward_pre_hook(named("first"), prepend=True)
        layer.register_forward_pre_hook(named("keyed"), with_kwargs=True)
        layer.register_forward_hook(named("after own"))
        layer.register_forward_hook(named("after first"), prepend=True)
        layer.register_forward_hook(named("after always"), always_call=True)
        layer.register_forward_hook(named("after keyed"), with_kwargs=True)
        x = filled(shape)

        def run() -> Any:
            handles = [
                common.register_module_forward_pre_hook(named("common")),
                common.register_module_forward_hook(named("after common")),
            ]
            try:
                return layer(x).sum()
            finally:
                for handle in handles:
                    handle.remove()

        return Scene(run, (layer,), (x,))

    forward, both = compare(build)
    labels = ["common", "first", "own", "keyed"]
    after = ["after_common", "after_first", "after_own", "after_always", "after_keyed"]
    assert [e.hook.label for e in of(forward, "module_forward_pre_hook")] == labels
    assert [e.hook.label for e in of(forward, "module_forward_hook")] == after
    assert [e.hook_index for e in of(forward, "module_forward_hook")] == [0, 1, 2, 3, 4]
    assert [e.kind for e in forward.events] == [
        *["module_forward_pre_hook"] * 4,
        "module_forward",
        *["module_forward_hook"] * 5,
    ]
    chain = of(forward, "module_forward_hook")
    for one, other in pairwise(chain):
        assert one.arguments_after == other.arguments_before
    assert all(e.rewritten for e in chain)
    assert both is not None
    # The common hooks are gone by the time of the backward; the module's own stand there.
    assert [h.label for h in both.graph.modules[0].hooks][:3] == labels[1:]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_hook_in_any_form_is_known_by_its_label_and_its_text(form) -> None:
    def build() -> Scene:
        layer = Double()
        hook = form(lambda args: (args[0] * 3,))

        class Takes2:
            def __call__(self, module: nn.Module, args: Any) -> Any:
                return hook(args)

        layer.register_forward_pre_hook(Takes2())
        layer.register_forward_pre_hook(lambda module, args: hook(args))
        x = filled((3,))
        return Scene(lambda: layer(x).sum(), (layer,), (x,))

    forward, _ = compare(build)
    one, other = of(forward, "module_forward_pre_hook")
    assert one.hook.label == "Takes2"
    assert other.hook.label == "lambda module, args: hook(args)"
    assert other.hook.source == other.hook.label


@of_any_shape
def test_a_hook_that_changes_its_argument_in_place_is_seen_to(shape) -> None:
    def build() -> Scene:
        layer = Double()

        def before(module: nn.Module, args: Any) -> None:
            args[0].data.mul_(3)

        def after(module: nn.Module, args: Any, output: Any) -> None:
            output.data.add_(1)

        layer.register_forward_pre_hook(before)
        layer.register_forward_hook(after)
        x = filled(shape)
        return Scene(lambda: layer(x * 1).sum(), (layer,), (x,))

    forward, _ = compare(build)
    pre, call, hook = forward.events
    assert (pre.mutated, pre.rewritten, pre.returned_none) == (True, True, True)
    assert (hook.mutated, hook.rewritten, hook.returned_none) == (True, True, True)
    assert pre.arguments_before != pre.arguments_after
    assert call.arguments_before == pre.arguments_after
    assert call.arguments_after == hook.arguments_before != hook.arguments_after


@pytest.mark.parametrize("always_call", [True, False])
@pytest.mark.parametrize("raises", [True, False], ids=["raises as well", "does not"])
def test_after_a_failed_forward_only_hooks_that_are_always_called_run(always_call, raises) -> None:
    class Fails(nn.Module):
        def forward(self, x: Any) -> Any:
            say("in forward")
            raise ValueError("inside forward")

    def build() -> Scene:
        layer = nn.Sequential(Double(), Fails())

        def after(module: nn.Module, args: Any, output: Any) -> None:
            say("after", output)
            if raises:
                raise KeyError("of the hook")

        layer[1].register_forward_hook(after, always_call=always_call)
        x = filled((2,))
        return Scene(lambda: layer(x), (layer,), (x,))

    forward, _ = compare(build)
    errors = of(forward, "error")
    assert errors[0].error.type == "ValueError"
    assert errors[0].error.explanation == "error.forward_raised"
    assert errors[0].printed == "in forward\n"
    assert (errors[0].module, errors[0].call) == ("1", 0)
    assert forward.error.type == "ValueError"
    hooks = of(forward, "module_forward_hook")
    if not always_call:
        assert (len(errors), hooks) == (1, [])
    elif raises:
        assert [e.error.explanation for e in errors[1:]] == ["error.hook_silenced"]
        assert errors[1].hook.always_call
    else:
        assert values(hooks[0].arguments_before) == {"output": "None"}
        assert hooks[0].index > errors[0].index


REFUSED = {
    "a pre-hook with keywords returns a tensor": (
        "register_forward_pre_hook",
        {"with_kwargs": True},
        lambda module, args, kwargs: args[0],
        "error.pre_hook_result",
    ),
    "a pre-hook takes too little": (
        "register_forward_pre_hook",
        {},
        lambda args: None,
        "error.arguments.module_forward_pre_hook",
    ),
    "a hook takes too much": (
        "register_forward_hook",
        {},
        lambda module, args, kwargs, output: None,
        "error.arguments.module_forward_hook",
    ),
    "a hook raises": ("register_forward_hook", {}, lambda *_: 1 / 0, "error.hook_raised"),
    "a pre-hook hands on too many": (
        "register_forward_pre_hook",
        {},
        lambda module, args: (*args, 1),
        "error.call_arguments",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_error_is_laid_at_the_hook_it_came_from_and_explained(case) -> None:
    name, options, hook, explanation = REFUSED[case]

    def build() -> Scene:
        outer = nn.Sequential(Double(), nn.Sequential(Double()))
        getattr(outer[1][0], name)(hook, **options)
        x = filled((2,))
        return Scene(lambda: outer(x), (outer,), (x,))

    forward, _ = compare(build)
    (event,) = of(forward, "error")
    assert event.error.explanation == explanation
    assert event.module == "1.0"
    if explanation != "error.call_arguments":
        assert event.hook is not None
        assert event.hook.label == event.error.hook.label


def test_an_exception_that_the_forward_around_catches_ends_nothing() -> None:
    class Careful(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.other = Double(), Double()

        def forward(self, x: Any) -> Any:
            try:
                self.inner(x, x)
            except TypeError:
                say("caught")
            return self.other(x)

    def build() -> Scene:
        layer, x = Careful(), filled((2,))
        return Scene(lambda: layer(x).sum(), (layer,), (x,))

    forward, both = compare(build)
    kinds = [(e.kind, e.module) for e in forward.events]
    assert kinds == [("error", "inner"), ("module_forward", "other"), ("module_forward", "layer")]
    assert forward.error is None
    assert forward.events[2].printed == "caught\n"
    assert both is not None
    assert both.error is None
