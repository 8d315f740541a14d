"""What a widget's state carries for the browser: no more than needed, and every word asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import hookviz
from hookviz._languages import LANGUAGES, table
from hookviz._view.page.strings import with_strings_for
from hookviz._widget.explorer import Explorer
from hookviz.errors import HookvizError
from tests.live.scripts import second_example
from tests.nets import lenet
from tests.requirements_of_tests import ROOT

MOST_CHARACTERS = 250_000

MESSAGES = ("data-hv-message", "data-hv-lines", "data-hv-label")


@pytest.fixture
def explorer() -> Explorer:
    tensors = second_example()
    return hookviz.explore(tensors["e"], names=tensors)


def keys_asked(state: dict[str, Any]) -> set[str]:
    """Return the keys of all messages in a state, in lists and in the attributes of the picture."""
    found = set(_keys({name: value for name, value in state.items() if name != "strings"}))
    for attribute in MESSAGES:
        for text in re.findall(rf'{attribute}="([^"]*)"', state["picture"]):
            found |= set(_keys(json.loads(text.replace("&quot;", '"').replace("&amp;", "&"))))
    return found


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("key"), str):
            yield value["key"]
        for inner in value.values():
            yield from _keys(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _keys(inner)


def check_words(explorer: Explorer) -> None:
    asked = keys_asked(explorer.get_state())
    assert len(asked) > 20
    for lang in LANGUAGES:
        words = explorer.strings[lang]
        assert asked <= words.keys(), sorted(asked - words.keys())
        assert words.items() <= table(lang).items()


def test_the_state_of_the_worked_example_is_small(explorer: Explorer) -> None:
    size = len(json.dumps(explorer.get_state(), default=str))
    assert 100_000 < size <= MOST_CHARACTERS


def test_every_word_that_the_page_asks_for_is_there_in_every_language(explorer: Explorer) -> None:
    check_words(explorer)
    assert len(explorer.strings["en"]) < len(table("en"))


def test_what_a_change_asks_for_is_added(explorer: Explorer) -> None:
    before = explorer.strings
    explorer.attach("c", "lambda grad: grad.mul_(2)")
    check_words(explorer)
    assert before["en"].items() < explorer.strings["en"].items()
    explorer.compare("edit")
    check_words(explorer)


def test_an_error_comes_with_its_words(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[set[str]] = []
    monkeypatch.setattr(
        explorer, "_send", lambda message, **_: sent.append(set(message.get("state", ())))
    )
    with pytest.raises(HookvizError):
        explorer.attach("c", "lambda grad: (")
    check_words(explorer)
    # In one message: between two, the page would show a key in place of its words.
    assert [{"notice", "strings"} <= names for names in sent if "notice" in names] == [True]


def test_boxes_that_open_and_close_come_with_their_words() -> None:
    explorer = hookviz.explore(lenet())
    check_words(explorer)
    explorer.collapse_all()
    check_words(explorer)
    explorer.expand_all()
    check_words(explorer)


@pytest.mark.parametrize("text", ["\ud800", 'say "key":"ui.nothing"', "key&quot;:&quot;error.x"])
def test_text_of_a_user_is_no_key(text: str) -> None:
    words = with_strings_for({"printed": text, "title": {"key": "caption.all"}}, {})
    assert "caption.all" in words["en"]
    assert set(words["en"]) <= set(table("en"))


def test_what_the_browser_says_by_itself_is_always_there() -> None:
    words = with_strings_for({}, {})
    scripts = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "js" / "src").rglob("*.js")
        # It only looks for keys in what Python sent.
        if path.name != "rewriting.js"
    ]
    said = {
        key
        for script in scripts
        for key in re.findall(r"[\"'`]([a-z]+(?:\.[a-z_]+)+)[\"'`]", script)
        if key in table("en")
    }
    stems = {
        stem for script in scripts for stem in re.findall(r"`([a-z]+\.(?:[a-z_]+\.)*)\$\{", script)
    }
    assert len(said) > 60
    assert "ui.hooks.kind." in stems
    composed = {key for key in table("en") if key.startswith(tuple(stems))}
    assert said | composed <= words["en"].keys()
