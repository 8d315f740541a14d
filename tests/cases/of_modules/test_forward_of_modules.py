"""What modules are given and return, in whatever containers."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import nn

from tests.cases.forms import filled, of_any_shape, say
from tests.cases.forward_oracle import Scene, compare
from tests.cases.modules import SumNet, of, tensors_in, values


def summed(by_keyword: bool, **hooks: Any) -> Callable[[], Scene]:
    def build() -> Scene:
        net = SumNet()
        for name, (hook, options) in hooks.items():
            getattr(net, name)(hook, **options)
        a, b, c = (torch.tensor(v, requires_grad=True) for v in (1.0, 2.0, 3.0))
        run = (lambda: net(a, b, c=c)) if by_keyword else (lambda: net(a, b, c))
        return Scene(run, (net,), (a, b, c))

    return build


def unpacking(module: nn.Module, inputs: Any) -> Any:
    a, b, c = inputs
    say("pre", inputs)
    return a + 10, b, c + 10


def first_plus_10(module: nn.Module, inputs: Any) -> Any:
    return (inputs[0] + 10, *inputs[1:])


def plus_100(module: nn.Module, inputs: Any, output: Any) -> Any:
    say("hook", output)
    return output + 100


def test_the_sum_network_of_the_article() -> None:
    build = summed(
        False,
        register_forward_pre_hook=(unpacking, {}),
        register_forward_hook=(plus_100, {}),
    )
    forward, both = compare(build)
    assert [e.kind for e in forward.events] == [
        "module_forward_pre_hook",
        "module_forward",
        "module_forward_hook",
    ]
    pre, call, hook = forward.events
    before = {"args[0]": 1, "args[1]": 2, "args[2]": 3}
    after = {"args[0]": 11, "args[1]": 2, "args[2]": 13}
    assert (values(pre.arguments_before), values(pre.arguments_after)) == (before, after)
    assert values(call.arguments_before) == after
    assert values(call.arguments_after) == {"output": 26}
    assert values(hook.arguments_before) == {"output": 26}
    assert values(hook.arguments_after) == {"output": 126}
    assert [e.printed.split()[0] if e.printed else "" for e in forward.events] == [
        "pre",
        "",
        "hook",
    ]
    assert both is not None
    assert [e.kind for e in both.events][:4] == [*(e.kind for e in forward.events), "start"]


def test_with_a_keyword_the_articles_hook_cannot_unpack_and_is_told_why() -> None:
    build = summed(True, register_forward_pre_hook=(unpacking, {}))
    forward, _ = compare(build)
    (event,) = forward.events
    assert event.kind == "error"
    assert event.error.type == "ValueError"
    assert event.error.hook.label == "unpacking"
    assert event.error.explanation == "error.hook_kwargs_unseen"
    assert values(event.arguments_before) == {"args[0]": 1, "args[1]": 2, "kwargs['c']": 3}
    assert forward.error == event.error


def test_a_hook_that_adds_to_the_first_gives_116_and_is_said_not_to_see_the_keyword() -> None:
    build = summed(
        True,
        register_forward_pre_hook=(first_plus_10, {}),
        register_forward_hook=(plus_100, {}),
    )
    forward, both = compare(build)
    assert both is not None
    assert both.graph.root.value.item() == 116
    pre = forward.events[0]
    assert values(pre.arguments_after) == {"args[0]": 11, "args[1]": 2, "kwargs['c']": 3}
    assert all("fact.kwargs_unseen" in e.notes for e in forward.events if e.hook)


def test_with_kwargs_shows_the_keyword_and_may_change_it() -> None:
    def keyed(module: nn.Module, args: Any, kwargs: Any) -> Any:
        say(sorted(kwargs))
        return args, {"c": kwargs["c"] * 7}

    build = summed(True, register_forward_pre_hook=(keyed, {"with_kwargs": True}))
    forward, _ = compare(build)
    pre = forward.events[0]
    assert values(pre.arguments_after)["kwargs['c']"] == 21
    assert pre.hook.with_kwargs
    assert pre.notes == ()
    assert pre.rewritten


Pair = namedtuple("Pair", ["left", "right"])


@dataclass
class Outputs:
    logits: Any
    hidden: Any = None


class Ordered(OrderedDict):  # what the outputs of transformers are like
    pass


CONTAINERS = {
    "tuple": (lambda y: (y, (y * 3,)), ["output[0]", "output[1][0]"]),
    "list": (lambda y: [y, None, 3], ["output[0]", "output[1]", "output[2]"]),
    "dict": (lambda y: {"y": y, 4: [y]}, ["output['y']", "output[4][0]"]),
    "named tuple": (lambda y: Pair(y, [y]), ["output.left", "output.right[0]"]),
    "dataclass": (lambda y: Outputs(y, (y,)), ["output.logits", "output.hidden[0]"]),
    "ordered": (lambda y: Ordered(logits=y), ["output['logits']"]),
    "nothing": (lambda y: None, ["output"]),
    "empty": (lambda y: ([], {}, ()), ["output[0]", "output[1]", "output[2]"]),
    "tensor": (lambda y: y, ["output"]),
}


class Packs(nn.Module):
    def __init__(self, pack: Callable[[Any], Any]) -> None:
        super().__init__()
        self.pack = pack

    def forward(self, x: Any) -> Any:
        return self.pack(x * 2)


@of_any_shape
@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers_are_laid_out_with_the_way_to_each_thing_in_them(shape, kind) -> None:
    pack, paths = CONTAINERS[kind]

    def build() -> Scene:
        layer = Packs(pack)
        layer.register_forward_hook(lambda module, args, output: say(type(output)))
        x = filled(shape)
        return Scene(lambda: layer(x), (layer,), (x,))

    forward, _ = compare(build)
    (event,) = of(forward, "module_forward")
    assert [a.path for a in event.arguments_after] == paths
    for argument in event.arguments_after:
        assert (argument.snapshot is None) == bool(argument.text)


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("full", [True, False], ids=["full", "pre"])
def test_backward_hooks_of_every_kind_of_output_run_as_in_plain_pytorch(kind, full) -> None:
    pack, _ = CONTAINERS[kind]

    def build() -> Scene:
        layer = Packs(pack)
        name = "register_full_backward_hook" if full else "register_full_backward_pre_hook"
        getattr(layer, name)(lambda module, *grads: say(grads))
        x = filled((2,))

        def run() -> Any:
            result = layer(x)
            inside = [v for v in tensors_in(result) if v.requires_grad]
            return sum(v.sum() for v in inside) if inside else None

        return Scene(run, (layer,), (x,))

    forward, both = compare(build)
    (event,) = of(forward, "module_forward")
    facts = {
        "tuple": {"fact.nested_output"},
        "named tuple": {"fact.nested_output"},
        "tensor": set(),
        "nothing": {"fact.no_graph"},
        "empty": {"fact.no_graph"},
    }.get(kind, {"fact.output_kind"})
    assert set(event.notes) == facts
    ran = [] if both is None else [e for e in both.events if e.kind.startswith("module_backward")]
    assert bool(ran) == (kind in ("tuple", "named tuple", "tensor"))
