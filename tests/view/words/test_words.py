"""A kind of event has its words in one class; nothing else asks an event for its kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from hookviz._languages import LANGUAGES, table
from hookviz._records import EVENT_CLASSES, AnyEvent, ErrorRecord, Event, EventKind
from hookviz._view.lookup.index import GraphIndex
from hookviz._view.steps.steps import build_steps
from hookviz._view.text.message import Text, keys_in, render
from hookviz._view.words.kinds import WORDS, words_for
from hookviz._view.words.speaker import Speaker
from tests.requirements_of_tests import ROOT
from tests.view.example import C_HOOK, plain_example

VIEW = ROOT / "hookviz" / "_view"

ASK_FOR_THE_KIND = {
    # A step carries it to the browser, for its class in the style sheet.
    "steps/steps.py": 1,
    # Another record of the same code has the same kinds in the same places.
    "compare/same_place.py": 1,
    # Of a step, which has nothing else.
    "compare/ghosts.py": 1,
    # A column of the table of events.
    "rows.py": 1,
}
"""The files that may ask an event or a step for its kind, and how often."""

OTHERS_WITH_A_KIND = {"hook", "group", "groups", "parent", "row", "connector", "arrow", "one"}
"""What else has an attribute `kind`; `one` is a group that is being made."""


def bare(kind: EventKind) -> Event:
    """Return an event with only what its kind needs: the least a recorder can write."""
    needed = {"hook": C_HOOK, "error": ErrorRecord(type="", message="")}
    cls = EVENT_CLASSES[kind]
    fields = cls.__struct_fields__
    return cls(index=6, **{name: value for name, value in needed.items() if name in fields})


def test_every_kind_of_event_has_words() -> None:
    assert set(WORDS) == set(EVENT_CLASSES.values()) == set(get_args(AnyEvent))
    assert set(EVENT_CLASSES) == set(get_args(EventKind))


@pytest.mark.parametrize("event", WORDS)
def test_the_words_are_those_of_this_kind(event: type[Event]) -> None:
    (base,) = WORDS[event].__orig_bases__  # type: ignore[attr-defined]
    assert get_args(base) == (event,)
    assert WORDS[event].__name__ == event.__name__.replace("Event", "Words")


@pytest.mark.parametrize("kind", get_args(EventKind))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_all_that_is_said_of_the_least_event(kind: EventKind, lang: str) -> None:
    graph, events = plain_example()
    words = words_for(bare(kind), Speaker(GraphIndex(graph)))
    asked, did = words.question(), words.did()
    step = build_steps(graph, (*events, words.event))[-1]
    said: list[Text] = [step.line, step.caption, words.row(), words.sentence()]
    said += [text for text in (did, asked[0] if asked else None) if text is not None]
    for text in said:
        assert render(text, lang)
        assert set(keys_in(text)) <= set(table(lang))


def asked_for_kinds(path: Path) -> Iterator[ast.Attribute]:
    """Yield each `event.kind` of a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr == "kind":
            owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
            if name not in OTHERS_WITH_A_KIND:
                yield node


def test_only_these_files_ask_for_the_kind_of_an_event() -> None:
    found = {
        path.relative_to(VIEW).as_posix(): count
        for path in sorted(VIEW.rglob("*.py"))
        if (count := sum(1 for _ in asked_for_kinds(path)))
    }
    assert found == ASK_FOR_THE_KIND


@pytest.mark.parametrize(
    "asks",
    ["event.kind == 'node'", "match words.event.kind:\n case 'node': pass", "events[0].kind"],
)
def test_a_question_for_the_kind_is_found(tmp_path: Path, asks: str) -> None:
    path = tmp_path / "asks.py"
    path.write_text(asks, encoding="utf-8")
    assert len(list(asked_for_kinds(path))) == 1
