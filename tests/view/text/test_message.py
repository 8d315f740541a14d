from __future__ import annotations

import json

import pytest

from hookviz._languages import table
from hookviz._view.text.message import Message, Text, keys_in, render, segments, to_json_data

SENT = Message("sent", {"outgoing": "8", "tensor": "c"})


@pytest.mark.parametrize(("lang", "text"), [("en", "8 to c"), ("zh", "8 给 c")])
def test_a_message_is_written_in_the_language_asked_for(lang: str, text: str) -> None:
    assert render(SENT, lang) == text


def test_a_literal_stays_as_it_is_in_every_language() -> None:
    assert render("{tensor} </script>", "zh") == "{tensor} </script>"


def test_a_placeholder_is_the_style_of_its_text() -> None:
    assert segments(SENT, "en") == [("outgoing", "8"), ("", " to "), ("tensor", "c")]


def test_several_texts_are_joined_with_the_separator_of_the_language() -> None:
    message = Message("what.node", {"sent": ("a", SENT, "b")})
    assert render(message, "en") == "sends a; 8 to c; b"
    assert render(message, "zh") == "传出 a；8 给 c；b"


def test_the_outermost_style_counts_for_a_value_made_of_parts() -> None:
    norm = Message("value.norm", {"norm": "1.25"})
    large = Message("value.summary", {"dtype": "float32", "shape": "[3]", "facts": (norm,)})
    styles = {style for style, _ in segments(Message("what.start", {"gradient": large}), "en")}
    assert styles == {"gradient", ""}


def test_a_message_inside_words_keeps_its_own_styles() -> None:
    message = Message("what.node", {"sent": SENT})
    assert ("tensor", "c") in segments(message, "en")


def test_text_from_the_user_is_never_read_as_a_template() -> None:
    hostile = Message("sent", {"outgoing": "{tensor}", "tensor": "{outgoing}{__class__}"})
    assert render(hostile, "en") == "{tensor} to {outgoing}{__class__}"


def test_a_missing_key_or_argument_is_shown_and_not_raised() -> None:
    assert render(Message("no.such.key"), "en") == "no.such.key"
    assert render(Message("sent", {"outgoing": "8"}), "en") == "8 to {tensor}"


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("8", "8"),
        (SENT, {"key": "sent", "args": {"outgoing": "8", "tensor": "c"}}),
        (
            Message("what.node", {"sent": ("a", Message("value.none"))}),
            {"key": "what.node", "args": {"sent": ["a", {"key": "value.none", "args": {}}]}},
        ),
    ],
)
def test_the_json_form_is_plain_data(text: Text, data: object) -> None:
    assert json.loads(json.dumps(to_json_data(text))) == data


def test_all_keys_of_nested_messages_are_found() -> None:
    message = Message("what.node", {"sent": ("a", SENT, Message("value.none"))})
    assert list(keys_in(message)) == ["what.node", "sent", "value.none"]


def test_an_unknown_language_is_refused_with_the_known_ones() -> None:
    with pytest.raises(LookupError, match="unknown language 'fr': lang must be one of 'en', 'zh'"):
        table("fr")
