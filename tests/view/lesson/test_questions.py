from __future__ import annotations

import pytest
import torch

import hookviz
from hookviz._records import Event
from hookviz._view.lesson.answers import is_right, read_answer
from hookviz._view.lesson.questions import Question, question_of
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.text.numbers import CAPTION_WIDTH
from hookviz._view.words.kinds import words_for
from hookviz._view.words.speaker import Speaker
from tests.view.example import second_example


def questions(graph: object, events: tuple[Event, ...]) -> dict[int, Question]:
    speaker = Speaker(GraphIndex(graph), CAPTION_WIDTH)  # type: ignore[arg-type]
    asked = {event.index: question_of(words_for(event, speaker)) for event in events}
    return {number: question for number, question in asked.items() if question is not None}


def test_the_answers_of_the_example_are_the_recorded_numbers() -> None:
    asked = questions(*second_example())
    answers = {number: [float(text or "nan") for text in q.answer] for number, q in asked.items()}
    assert answers == {
        1: [2],
        2: [2],
        3: [8, 12],
        4: [112],
        5: [112],
        6: [10],
        7: [10],
        8: [10],
        9: [30, 20],
        10: [30],
        11: [20],
    }
    assert asked[3].shown == "[8, 12]"


@pytest.mark.parametrize("shape", [(), (1,), (2, 2), (4, 4)])
def test_answers_are_what_plain_pytorch_computes(shape: tuple[int, ...]) -> None:
    a = torch.rand(shape, requires_grad=True)
    ((a * 3) ** 2).sum().backward()
    assert a.grad is not None
    plain = a.grad.clone()
    a.grad = None
    trace = hookviz.record(((a * 3) ** 2).sum())
    question = questions(trace.graph, trace.events)[len(trace.events) - 1]
    assert is_right(read_answer(str(plain.tolist())), question.answer)
    assert not is_right(read_answer(str((plain + 1).tolist())), question.answer)


def test_none_is_an_answer() -> None:
    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):  # type: ignore[no-untyped-def]
            return x + y

        @staticmethod
        def backward(ctx, grad):  # type: ignore[no-untyped-def]
            return grad, None

    a, b = (torch.tensor(1.0, requires_grad=True) for _ in range(2))
    trace = hookviz.record(Half.apply(a, b))
    asked = questions(trace.graph, trace.events)
    sent = next(e.index for e in trace.events if e.kind == "node")
    assert is_right(read_answer("[1, None]"), asked[sent].answer)


def test_nobody_is_asked_for_a_thousand_numbers_or_for_what_cannot_be_foreseen() -> None:
    a = torch.ones(1000, requires_grad=True)
    b = a * 2
    b.register_hook(lambda grad: grad * 2)
    del b
    trace = hookviz.record((a * 2).sum())
    assert questions(trace.graph, trace.events) == {}
    c = torch.tensor(1.0, requires_grad=True)
    d = c * 2
    d.register_hook(lambda grad: grad * 10)
    e = d * 1
    del d
    trace = hookviz.record(e)
    hidden = next(event for event in trace.events if event.kind == "hidden_rewrite")
    assert hidden.index not in questions(trace.graph, trace.events)
