from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from msgspec import structs

from hookviz._languages import LANGUAGES, table
from hookviz._records import (
    EVENT_CLASSES,
    AccumulateEvent,
    ErrorEvent,
    ErrorRecord,
    Event,
    EventKind,
    GraphRecord,
    HookRecord,
    ModuleForwardEvent,
    ModuleForwardPreHookEvent,
    NodeEvent,
    PostAccumulateHookEvent,
    RetainGradEvent,
    StartEvent,
    TensorHookEvent,
)
from hookviz._records.value import Argument
from hookviz._view.steps.steps import Step, build_steps
from hookviz._view.text.message import Text, keys_in, render, segments
from tests.view.example import C_HOOK, plain_example, scalar, second_example, vector
from tests.view.graphs import hidden, shared_leaf

Example = tuple[GraphRecord, tuple[Event, ...]]

POST_HOOK = HookRecord(id="h9", kind="post_accumulate_hook", label="after")
NODE_HOOK = HookRecord(id="h8", kind="node_hook", label="clip")


def captions(example: Example, lang: str = "en") -> list[str]:
    return [render(step.caption, lang) for step in build_steps(*example)]


def rows(example: Example, lang: str = "en") -> list[str]:
    return [render(step.line, lang) for step in build_steps(*example)]


def step_of(event: Event, example: Example | None = None) -> Step:
    """Return the step of one event, as if it came last in the example without hooks."""
    graph, events = example or plain_example()
    return build_steps(graph, (*events, event))[-1]


def caption(event: Event, lang: str = "en") -> str:
    return render(step_of(event).caption, lang)


def test_the_captions_of_the_worked_example_say_what_happened_and_why() -> None:
    said = captions(second_example())
    assert said == [
        "Before backward: this is the graph of e. Step on to see what happened.",
        "Backward starts at e with the gradient 1, because de/de = 1.",
        "Hook lambda grad: grad * 2 on e receives 1 and returns 2. So 2 goes on to MulBackward0.",
        "e is a non-leaf; PyTorch keeps its gradient only because of retain_grad(). "
        "e.grad was None, now 2.",
        "MulBackward0, the grad_fn of e, receives 2 and sends 8 to c and 12 to d.",
        "Hook lambda grad: grad + 100 on d receives 12 and returns 112. So 112 goes on to d.grad.",
        "d is a leaf, so its gradient is kept: d.grad was None, now 112.",
        "Hook 1 of 2 on c, c_hook, receives 8 and returns 10. So 10 goes to the next hook.",
        'Hook 2 of 2 on c, lambda grad: print("hello my grad is", grad), receives 10 and '
        "returns None, so the gradient stays 10.",
        "c is a non-leaf; PyTorch keeps its gradient only because of retain_grad(). "
        "c.grad was None, now 10.",
        "MulBackward0, the grad_fn of c, receives 10 and sends 30 to a and 20 to b.",
        "a is a leaf, so its gradient is kept: a.grad was None, now 30.",
        "b is a leaf, so its gradient is kept: b.grad was None, now 20.",
    ]


def test_the_timeline_of_the_worked_example_in_chinese() -> None:
    assert rows(second_example(), "zh")[:7] == [
        "反向传播之前",
        "e：收到 1，反向传播从这里开始",
        "e：1 → 2，钩子 lambda grad: grad * 2",
        "e：.grad 保留 2（retain_grad）",
        "MulBackward0：传出 8 给 c，12 给 d",
        "d：12 → 112，钩子 lambda grad: grad + 100",
        "d：.grad None → 112",
    ]


def test_only_a_gradient_of_one_is_explained_by_the_derivative_of_itself() -> None:
    graph, events = plain_example()
    given = structs.replace(events[0], outgoing=scalar(3))
    assert captions((graph, (given,)))[1] == (
        "Backward starts at e with the gradient that was handed in: 3."
    )
    ones = structs.replace(events[0], outgoing=vector(1, 1))
    assert "handed in" in captions((graph, (ones,)))[1]


def test_gradients_that_meet_are_added_up_with_the_recorded_sum() -> None:
    said = captions(shared_leaf())
    assert "x receives" not in said[3]
    assert said[3].endswith("x is used in several places and waits for more before it goes on.")
    assert said[4].endswith("so its gradients add up: x receives 3 + 2 + 2 = 7.")
    assert rows(shared_leaf())[4] == "MulBackward0: sends 2 to x and 2 to x, in all 3 + 2 + 2 = 7"


def test_the_sum_shown_is_the_recorded_one_even_if_it_does_not_add_up() -> None:
    graph, events = shared_leaf()
    odd = structs.replace(events[4], incoming=scalar(7.5))
    assert "3 + 2 + 2 = 7.5" in captions((graph, (*events[:4], odd)))[4]


def test_many_parts_are_counted_and_large_ones_are_not_added_with_a_plus() -> None:
    graph, events = shared_leaf()
    long = vector(*range(40))
    sent = [structs.replace(e, outgoing=tuple(long for _ in e.outgoing)) for e in events[1:4]]  # type: ignore[union-attr]
    arrived = structs.replace(events[4], incoming=long, grad_after=long)
    said = captions((graph, (events[0], *sent, arrived)))[4]
    assert "all 3 have arrived" in said
    assert "+" not in said


def test_a_leaf_that_already_had_a_grad_shows_the_addition() -> None:
    event = AccumulateEvent(
        index=6,
        tensor="d",
        incoming=scalar(30),
        grad_before=scalar(100),
        grad_after=scalar(130),
    )
    assert caption(event).endswith("Backward adds to it: 100 + 30 = 130.")
    assert render(step_of(event).line, "en") == "d: .grad 100 + 30 = 130"


def test_a_retained_grad_that_was_there_is_added_to_as_well() -> None:
    event = RetainGradEvent(
        index=6,
        tensor="c",
        incoming=scalar(10),
        grad_before=scalar(10),
        grad_after=scalar(20),
    )
    assert caption(event).endswith("10 + 10 = 20.")


def test_a_non_leaf_that_accumulates_is_not_called_a_leaf() -> None:
    event = AccumulateEvent(index=6, tensor="c", incoming=scalar(4), grad_after=scalar(4))
    assert "named in inputs=" in caption(event)


def test_none_is_told_apart_from_zero() -> None:
    none = AccumulateEvent(index=6, tensor="d", incoming=None)
    assert caption(none).startswith("No gradient reached d: None arrived, which is not a zero.")
    sends = NodeEvent(index=6, node="n0", incoming=(scalar(1),), outgoing=(scalar(4), None))
    assert "None means that no gradient is sent" in caption(sends)


def test_a_hook_that_returns_the_same_value_is_told_apart_from_one_that_returns_none() -> None:
    event = TensorHookEvent(
        index=6,
        tensor="c",
        hook=C_HOOK,
        incoming=scalar(8),
        outgoing=scalar(8),
    )
    assert "returns the same value" in caption(event)
    assert "returns None" in caption(structs.replace(event, returned_none=True))


def test_a_change_in_place_names_what_else_it_changed() -> None:
    event = TensorHookEvent(
        index=6,
        tensor="c",
        hook=C_HOOK,
        incoming=scalar(8),
        outgoing=scalar(10),
        rewritten=True,
        mutated=True,
        returned_none=True,
        reached=("e1", "e"),
    )
    said = caption(event)
    assert "in place, from 8 to 10" in said
    assert said.endswith("this changed too: the gradient on its way to d; e.")


def test_a_hidden_rewrite_says_that_no_listed_hook_did_it() -> None:
    said = captions(hidden())[3]
    assert said.startswith("4 was sent to u, but MulBackward0 received 28.")
    assert "a tensor that was deleted" in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "It changed neither d nor d.grad."),
        ({"grad_after": None}, "It set d.grad to None."),
        ({"grad_after": scalar(3)}, "It changed d.grad from 6 to 3."),
        ({"value_after": scalar(1)}, "It changed the value of d from 4 to 1."),
    ],
)
def test_a_post_accumulate_hook_says_what_it_changed(changes: dict[str, object], said: str) -> None:
    event = PostAccumulateHookEvent(
        index=6,
        tensor="d",
        hook=POST_HOOK,
        grad_before=scalar(6),
        grad_after=scalar(6),
        value_before=scalar(4),
        value_after=scalar(4),
    )
    text = caption(structs.replace(event, **changes))  # type: ignore[arg-type]
    assert text == f"Hook after runs after the gradient was added to d.grad. {said}"


@pytest.mark.parametrize(("kind", "word"), [("node_prehook", "before"), ("node_hook", "after")])
def test_a_hook_on_a_node_says_when_it_runs(kind: EventKind, word: str) -> None:
    event = EVENT_CLASSES[kind](
        index=6,
        node="n0",
        hook=NODE_HOOK,
        incoming=(scalar(1), scalar(2)),
        outgoing=(scalar(1), scalar(5)),
        rewritten=True,
    )
    said = caption(event)
    assert f"just {word} MulBackward0" in said
    assert "out 1: 2" in said
    assert "out 1: 5" in said
    same = structs.replace(event, outgoing=event.incoming, rewritten=False)
    assert "leaves out 0: 1; out 1: 2 as it is" in caption(same)


def test_a_module_hook_says_which_arguments_it_changed() -> None:
    event = ModuleForwardPreHookEvent(
        index=6,
        module="net.add",
        hook=replace(NODE_HOOK, kind="module_forward_pre_hook"),
        arguments_before=(
            Argument(path="args[0]", snapshot=scalar(1)),
            Argument(path="args[1]", snapshot=scalar(2)),
            Argument(path="args[2]", text="'mean'"),
        ),
        arguments_after=(
            Argument(path="args[0]", snapshot=scalar(11)),
            Argument(path="args[1]", snapshot=scalar(2)),
            Argument(path="args[2]", text="'sum'"),
        ),
        call=1,
    )
    said = caption(event)
    assert "args[0] 1 → 11; args[2] 'mean' → 'sum' (call 2)" in said
    assert "args[1]" not in said


def test_a_module_forward_shows_its_outputs() -> None:
    event = ModuleForwardEvent(
        index=6,
        module="fc",
        arguments_before=(Argument(path="args[0]", snapshot=scalar(1)),),
        arguments_after=(Argument(path="output", snapshot=scalar(3)),),
    )
    assert render(step_of(event).line, "en") == "fc: forward: output = 3"


def test_an_error_gives_the_message_as_it_is_and_explains_it() -> None:
    record = ErrorRecord(
        type="ValueError",
        message="{tensor} went\nwrong",
        explanation="error.hook_raised",
        hook=C_HOOK,
        tensor="c",
    )
    said = caption(ErrorEvent(index=6, tensor="c", error=record))
    assert said.startswith("Hook c_hook on c raised ValueError: “{tensor} went\nwrong”.")
    assert "the code of the hook itself" in said
    assert said.endswith("Backward stops here. Tensors that it has not reached get no gradient.")


def test_a_backward_inside_is_named_as_such() -> None:
    event = StartEvent(index=6, tensor="e", outgoing=scalar(1), timeline=1)
    assert caption(event).startswith("In a backward inside this one")
    assert render(step_of(event).line, "en").startswith("(inner backward) e: ")


def test_names_and_values_carry_their_styles() -> None:
    step = build_steps(*second_example())[7]
    styles = {part: style for style, part in segments(step.caption, "en")}
    assert (styles["c"], styles["c_hook"]) == ("tensor", "hook")
    assert (styles["8"], styles["10"]) == ("incoming", "outgoing")


def _bare(kind: EventKind) -> Event:
    """Return an event with only what its kind needs: the least a recorder can write."""
    needed = {"hook": C_HOOK, "error": ErrorRecord(type="", message="")}
    cls = EVENT_CLASSES[kind]
    fields = cls.__struct_fields__
    return cls(index=6, **{name: value for name, value in needed.items() if name in fields})


@pytest.mark.parametrize("kind", get_args(EventKind))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_kind_of_event_has_words_in_every_language(kind: EventKind, lang: str) -> None:
    step = step_of(_bare(kind))
    for text in (step.line, step.caption):
        assert render(text, lang)
        assert not _unknown_keys(text, lang)


def _unknown_keys(text: Text, lang: str) -> set[str]:
    return set(keys_in(text)) - set(table(lang))


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("example", [second_example(), plain_example(), shared_leaf(), hidden()])
def test_no_caption_leaves_a_placeholder_open(example: Example, lang: str) -> None:
    for text in (*captions(example, lang), *rows(example, lang)):
        assert "{" not in text
        assert "  " not in text
