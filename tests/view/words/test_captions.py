"""What the timeline and the caption say of each kind of event, in every language."""

from __future__ import annotations

import pytest
from msgspec import structs

from hookviz._languages import LANGUAGES
from hookviz._records import (
    AccumulateEvent,
    ErrorEvent,
    ErrorRecord,
    Event,
    GraphRecord,
    HookRecord,
    ModuleForwardEvent,
    ModuleForwardPreHookEvent,
    NodeEvent,
    NodeHookEvent,
    NodePrehookEvent,
    PostAccumulateHookEvent,
    RetainGradEvent,
    StartEvent,
    TensorHookEvent,
)
from hookviz._records.value import Argument
from hookviz._view.steps.steps import build_steps
from hookviz._view.text.message import render, segments
from tests.view.example import C_HOOK, plain_example, scalar, second_example, vector
from tests.view.graphs import hidden, shared_leaf

Example = tuple[GraphRecord, tuple[Event, ...]]

POST_HOOK = HookRecord(id="h9", kind="post_accumulate_hook", label="after")
NODE_HOOK = HookRecord(id="h8", kind="node_hook", label="clip")
MODULE_HOOK = HookRecord(id="h7", kind="module_forward_pre_hook", label="clip")
HOOK = TensorHookEvent(index=6, tensor="c", hook=C_HOOK, incoming=scalar(8), outgoing=scalar(8))
POST = PostAccumulateHookEvent(
    index=6,
    tensor="d",
    hook=POST_HOOK,
    grad_before=scalar(6),
    grad_after=scalar(6),
    value_before=scalar(4),
    value_after=scalar(4),
)
TWO, FIVE = (scalar(1), scalar(2)), (scalar(1), scalar(5))
NODE_HOOKS = {"index": 6, "node": "n0", "hook": NODE_HOOK, "incoming": TWO}
ERROR = ErrorRecord(
    type="ValueError",
    message="{tensor} went\nwrong",
    explanation="error.hook_raised",
    hook=C_HOOK,
    tensor="c",
)


def arguments(*values: float | str) -> tuple[Argument, ...]:
    """Return the arguments of a call, numbers as tensors."""
    return tuple(
        Argument(path=f"args[{place}]", text=value)
        if isinstance(value, str)
        else Argument(path=f"args[{place}]", snapshot=scalar(value))
        for place, value in enumerate(values)
    )


SAID: dict[str, tuple[Event, str, str, str, str]] = {
    "a leaf without a grad": (
        AccumulateEvent(index=6, tensor="d", incoming=scalar(6), grad_after=scalar(6)),
        "d: .grad None → 6",
        "d is a leaf, so its gradient is kept: d.grad was None, now 6.",
        "d：.grad None → 6",
        "d 是叶子张量，它的梯度会保留下来：d.grad 原为 None，现为 6。",
    ),
    "a leaf with a grad": (
        AccumulateEvent(
            index=6,
            tensor="d",
            incoming=scalar(30),
            grad_before=scalar(100),
            grad_after=scalar(130),
        ),
        "d: .grad 100 + 30 = 130",
        "d is a leaf, and its .grad already held 100. Backward adds to it: 100 + 30 = 130.",
        "d：.grad 100 + 30 = 130",
        "d 是叶子张量，.grad 里已有 100。反向传播会累加：100 + 30 = 130。",
    ),
    "a leaf that gets None": (
        AccumulateEvent(index=6, tensor="d", incoming=None),
        "d: None arrived, .grad stays None",
        "No gradient reached d: None arrived, which is not a zero. d.grad stays None.",
        "d：传来的是 None，.grad 仍为 None",
        "没有梯度传到 d：传来的是 None，而不是零。d.grad 仍为 None。",
    ),
    "a non-leaf in inputs=": (
        AccumulateEvent(index=6, tensor="c", incoming=scalar(4), grad_after=scalar(4)),
        "c: .grad None → 4",
        "c was named in inputs=, so its gradient is put into c.grad, which is now 4.",
        "c：.grad None → 4",
        "c 列在 inputs= 里，所以它的梯度会写入 c.grad，现为 4。",
    ),
    "a retained grad": (
        RetainGradEvent(index=6, tensor="c", incoming=scalar(10), grad_after=scalar(10)),
        "c: .grad keeps 10 (retain_grad)",
        "c is a non-leaf; PyTorch keeps its gradient only because of retain_grad(). c.grad was "
        "None, now 10.",
        "c：.grad 保留 10（retain_grad）",
        "c 是非叶子张量，只因为调用过 retain_grad()，PyTorch 才保留它的梯度。c.grad 原为 None，"
        "现为 10。",
    ),
    "a retained grad that was there": (
        RetainGradEvent(
            index=6, tensor="c", incoming=scalar(10), grad_before=scalar(10), grad_after=scalar(20)
        ),
        "c: .grad keeps 10 + 10 = 20 (retain_grad)",
        "c is a non-leaf; PyTorch keeps its gradient only because of retain_grad(). c.grad "
        "already held 10, so it is added up: 10 + 10 = 20.",
        "c：.grad 保留 10 + 10 = 20（retain_grad）",
        "c 是非叶子张量，只因为调用过 retain_grad()，PyTorch 才保留它的梯度。c.grad 里已有 10，"
        "于是累加：10 + 10 = 20。",
    ),
    "a hook that returns the same": (
        HOOK,
        "c: 8 unchanged by hook c_hook",
        "Hook c_hook on c receives 8 and returns the same value, so the gradient stays 8.",
        "c：8 不变，钩子 c_hook",
        "c 上的钩子 c_hook 收到 8，返回的值相同，所以梯度仍是 8。",
    ),
    "a hook that returns None": (
        structs.replace(HOOK, returned_none=True),
        "c: 8 unchanged by hook c_hook",
        "Hook c_hook on c receives 8 and returns None, so the gradient stays 8.",
        "c：8 不变，钩子 c_hook",
        "c 上的钩子 c_hook 收到 8，返回 None，所以梯度仍是 8。",
    ),
    "a change in place": (
        structs.replace(
            HOOK,
            outgoing=scalar(10),
            rewritten=True,
            mutated=True,
            returned_none=True,
            reached=("e1", "e"),
        ),
        "c: 8 → 10 in place by hook c_hook",
        "Hook c_hook on c changes the gradient in place, from 8 to 10. PyTorch asks hooks not to "
        "do that; return a new tensor instead. The same memory was in use elsewhere, so this "
        "changed too: the gradient on its way to d; e.",
        "c：8 → 10，钩子 c_hook 原地修改",
        "c 上的钩子 c_hook 原地修改了梯度：8 变成 10。PyTorch 不允许钩子这样做，"
        "应当返回一个新张量。别处也在用同一块内存，因此一并被改的还有：正传往 d 的梯度；e。",
    ),
    "post: nothing": (
        POST,
        "d: nothing changed by post-accumulate hook after",
        "Hook after runs after the gradient was added to d.grad. It changed neither d nor d.grad.",
        "d：没有变化，累加后钩子 after",
        "梯度累加进 d.grad 之后，钩子 after 运行。d 和 d.grad 都没有变。",
    ),
    "post: cleared": (
        structs.replace(POST, grad_after=None),
        "d: .grad 6 → None by post-accumulate hook after",
        "Hook after runs after the gradient was added to d.grad. It set d.grad to None.",
        "d：.grad 6 → None，累加后钩子 after",
        "梯度累加进 d.grad 之后，钩子 after 运行。它把 d.grad 设成了 None。",
    ),
    "post: grad": (
        structs.replace(POST, grad_after=scalar(3)),
        "d: .grad 6 → 3 by post-accumulate hook after",
        "Hook after runs after the gradient was added to d.grad. It changed d.grad from 6 to 3.",
        "d：.grad 6 → 3，累加后钩子 after",
        "梯度累加进 d.grad 之后，钩子 after 运行。它把 d.grad 从 6 改成 3。",
    ),
    "post: value": (
        structs.replace(POST, value_after=scalar(1)),
        "d: value 4 → 1 by post-accumulate hook after",
        "Hook after runs after the gradient was added to d.grad. It changed the value of d from 4 "
        "to 1.",
        "d：值 4 → 1，累加后钩子 after",
        "梯度累加进 d.grad 之后，钩子 after 运行。它把 d 的值从 4 改成 1。",
    ),
    "post: both": (
        structs.replace(POST, grad_after=scalar(3), value_after=scalar(1)),
        "d: value 4 → 1, .grad 6 → 3 by post-accumulate hook after",
        "Hook after runs after the gradient was added to d.grad. It changed d.grad from 6 to 3. "
        "It changed the value of d from 4 to 1.",
        "d：值 4 → 1，.grad 6 → 3，累加后钩子 after",
        "梯度累加进 d.grad 之后，钩子 after 运行。它把 d.grad 从 6 改成 3。它把 d 的值从 4 改成 "
        "1。",
    ),
    "a node that sends None": (
        NodeEvent(index=6, node="n0", incoming=(scalar(1),), outgoing=(scalar(4), None)),
        "MulBackward0: sends 4 to c and None to d",
        "MulBackward0, the grad_fn of e, receives 1 and sends 4 to c and None to d. None means "
        "that no gradient is sent, which is not the same as a zero.",
        "MulBackward0：传出 4 给 c，None 给 d",
        "MulBackward0（e 的 grad_fn）收到 1，传出：4 给 c，None 给 d。None 表示没有梯度传过去，"
        "这和梯度为零不是一回事。",
    ),
    "a prehook of a node": (
        NodePrehookEvent(**NODE_HOOKS, outgoing=FIVE, rewritten=True),
        "MulBackward0: arriving out 1: 2 → out 1: 5 by pre-hook clip",
        "Pre-hook clip runs just before MulBackward0. out 1: 2 arrived; MulBackward0 will work "
        "with out 1: 5.",
        "MulBackward0：传入 输出 1：2 → 输出 1：5，前置钩子 clip",
        "前置钩子 clip 在 MulBackward0 之前运行。传来的是 输出 1：2，MulBackward0 用的将是 输出 "
        "1：5。",
    ),
    "a hook of a node": (
        NodeHookEvent(**NODE_HOOKS, outgoing=FIVE, rewritten=True),
        "MulBackward0: leaving out 1: 2 → out 1: 5 by hook clip",
        "Hook clip runs just after MulBackward0. MulBackward0 gave out 1: 2; out 1: 5 goes on.",
        "MulBackward0：传出 输出 1：2 → 输出 1：5，钩子 clip",
        "钩子 clip 在 MulBackward0 之后运行。MulBackward0 算出 输出 1：2，继续传下去的是 输出 1："
        "5。",
    ),
    "a prehook of a node that changes nothing": (
        NodePrehookEvent(**NODE_HOOKS, outgoing=TWO),
        "MulBackward0: arriving out 0: 1; out 1: 2 unchanged by pre-hook clip",
        "Pre-hook clip runs just before MulBackward0 and leaves out 0: 1; out 1: 2 as it is.",
        "MulBackward0：传入 输出 0：1；输出 1：2 不变，前置钩子 clip",
        "前置钩子 clip 在 MulBackward0 之前运行，输出 0：1；输出 1：2 保持不变。",
    ),
    "a hook of a node that changes nothing": (
        NodeHookEvent(**NODE_HOOKS, outgoing=TWO),
        "MulBackward0: leaving out 0: 1; out 1: 2 unchanged by hook clip",
        "Hook clip runs just after MulBackward0 and leaves out 0: 1; out 1: 2 as it is.",
        "MulBackward0：传出 输出 0：1；输出 1：2 不变，钩子 clip",
        "钩子 clip 在 MulBackward0 之后运行，输出 0：1；输出 1：2 保持不变。",
    ),
    "a pre-hook of a module": (
        ModuleForwardPreHookEvent(
            index=6,
            module="net.add",
            hook=MODULE_HOOK,
            call=1,
            arguments_before=arguments(1, 2, "'mean'"),
            arguments_after=arguments(11, 2, "'sum'"),
        ),
        "net.add: forward pre-hook clip: args[0] 1 → 11; args[2] 'mean' → 'sum' (call 2)",
        "Forward pre-hook clip runs before the forward of net.add and may replace its arguments: "
        "args[0] 1 → 11; args[2] 'mean' → 'sum' (call 2).",
        "net.add：前向前置钩子 clip：args[0] 1 → 11；args[2] 'mean' → 'sum'（第 2 次调用）",
        "前向前置钩子 clip 在 net.add 的 forward 之前运行，可以替换它的参数：args[0] 1 → 11；"
        "args[2] 'mean' → 'sum'（第 2 次调用）。",
    ),
    "a forward": (
        ModuleForwardEvent(
            index=6,
            module="fc",
            arguments_before=arguments(1),
            arguments_after=(Argument(path="output", snapshot=scalar(3)),),
        ),
        "fc: forward: output = 3",
        "The forward of fc runs: output = 3.",
        "fc：前向计算：output = 3",
        "fc 的 forward 运行：output = 3。",
    ),
    "an error of a hook": (
        ErrorEvent(index=6, tensor="c", error=ERROR),
        "c: ValueError raised by hook c_hook",
        "Hook c_hook on c raised ValueError: “{tensor} went\nwrong”. The error comes from the "
        "code of the hook itself. Backward stops here. Tensors that it has not reached get no "
        "gradient.",
        "c：钩子 c_hook 抛出 ValueError",
        "c 上的钩子 c_hook 抛出 ValueError：“{tensor} went\nwrong”。错误出自钩子自己的代码。"
        "反向传播到此中止，还没有到达的地方得不到梯度。",
    ),
    "an inner backward": (
        StartEvent(index=6, tensor="e", outgoing=scalar(1), timeline=1),
        "(inner backward) e: receives 1, backward starts here",
        "In a backward inside this one, started by a hook or a function. Backward starts at e "
        "with the gradient 1, because de/de = 1.",
        "（内层反向传播）e：收到 1，反向传播从这里开始",
        "这是反向传播途中由钩子或函数另行启动的一次反向传播。反向传播从 e 开始，初始梯度是 1，"
        "因为 de/de = 1。",
    ),
    "a start": (
        StartEvent(index=6, tensor="e", outgoing=scalar(3)),
        "e: receives 3, backward starts here",
        "Backward starts at e with the gradient that was handed in: 3.",
        "e：收到 3，反向传播从这里开始",
        "反向传播从 e 开始，初始梯度由外部传入：3。",
    ),
}
"""An event after those of the example without hooks: its row and its caption, in English and in
Chinese."""


@pytest.mark.parametrize(
    ("event", "row", "caption", "row_zh", "caption_zh"), SAID.values(), ids=SAID
)
def test_what_is_said_of_an_event(
    event: Event, row: str, caption: str, row_zh: str, caption_zh: str
) -> None:
    graph, events = plain_example()
    step = build_steps(graph, (*events, event))[-1]
    assert (render(step.line, "en"), render(step.caption, "en")) == (row, caption)
    assert (render(step.line, "zh"), render(step.caption, "zh")) == (row_zh, caption_zh)


def captions(example: Example, lang: str = "en") -> list[str]:
    return [render(step.caption, lang) for step in build_steps(*example)]


def rows(example: Example, lang: str = "en") -> list[str]:
    return [render(step.line, lang) for step in build_steps(*example)]


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


def test_a_hidden_rewrite_says_that_no_listed_hook_did_it() -> None:
    said = captions(hidden())[3]
    assert said.startswith("4 was sent to u, but MulBackward0 received 28.")
    assert "a tensor that was deleted" in said


def test_names_and_values_carry_their_styles() -> None:
    step = build_steps(*second_example())[7]
    styles = {part: style for style, part in segments(step.caption, "en")}
    assert (styles["c"], styles["c_hook"]) == ("tensor", "hook")
    assert (styles["8"], styles["10"]) == ("incoming", "outgoing")


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("example", [second_example(), plain_example(), shared_leaf(), hidden()])
def test_no_caption_leaves_a_placeholder_open(example: Example, lang: str) -> None:
    for text in (*captions(example, lang), *rows(example, lang)):
        assert "{" not in text
        assert "  " not in text
