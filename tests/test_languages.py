from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hookviz._languages import LANGUAGES, table

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "hookviz").rglob("*.py")) + sorted((ROOT / "js" / "src").rglob("*.js"))

# What a Chinese reader meets in PyTorch's own documentation, in code, or on the keyboard.
SAME_IN_EVERY_LANGUAGE = frozenset(
    {"None", "NaN", "Inf", "PyTorch", "Python", "Graphviz", "Function", "inputs", "expand"}
    | {
        "autograd",
        "backward",
        "forward",
        "grad",
        "grad_fn",
        "retain_grad",
        "retain_graph",
        "create_graph",
    }
    | {"lambda", "def", "dtype", "True", "Ctrl", "Enter", "Esc", "Home", "End", "Tab", "d"}
    | {"hookviz", "explore", "loss_of", "model", "optimizer", "step"}
    | {"module", "args", "kwargs", "output", "grad_input", "grad_output", "with_kwargs", "x"}
    | {"register_hook", "register_backward_hook", "inplace", "DataParallel", "ModuleList", "GPU"}
    | {"False", "param", "print", "grad_inputs", "grad_outputs"}
)


def placeholders(template: str) -> list[str]:
    return re.findall(r"\{(\w+)\}", template)


def words_used() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)


@pytest.fixture(scope="module")
def source() -> str:
    return words_used()


def test_every_language_has_the_same_keys() -> None:
    keys = {lang: set(table(lang)) for lang in LANGUAGES}
    assert keys["en"] == keys["zh"]
    assert len(keys["en"]) > 200


@pytest.mark.parametrize("key", sorted(table("en")))
def test_every_language_has_the_same_placeholders(key: str) -> None:
    assert set(placeholders(table("en")[key])) == set(placeholders(table("zh")[key]))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_text_is_empty_or_badly_spaced(lang: str) -> None:
    for key, template in table(lang).items():
        assert template.strip(), key
        assert "  " not in template, key
        assert "\n" not in template, key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_braces_stand_around_placeholders_only(lang: str) -> None:
    for key, template in table(lang).items():
        assert not re.search(r"[{}]", re.sub(r"\{\w+\}", "", template)), key


def test_chinese_leaves_no_english_word() -> None:
    left = {}
    for key, template in table("zh").items():
        if key.endswith((".placeholder", "language.en")):
            continue
        words = set(re.findall(r"[A-Za-z_]+", re.sub(r"\{\w+\}", " ", template)))
        if words - SAME_IN_EVERY_LANGUAGE:
            left[key] = words - SAME_IN_EVERY_LANGUAGE
    assert left == {}


def test_chinese_uses_chinese_punctuation() -> None:
    for key, template in table("zh").items():
        text = re.sub(r"\{\w+\}", "x", template)
        assert not re.search(r"[\u4e00-\u9fff][,;:?!]", text), key
        assert not re.search(r"[,;:?!(][\u4e00-\u9fff]", text), key


def test_chinese_has_one_word_for_each_idea() -> None:
    text = "\n".join(table("zh").values())
    for wrong in ("叶节点", "非叶节点", "叶子节点", "鈎子", "后向传播", "挂钩", "斜率"):
        assert wrong not in text


def test_english_has_no_chinese() -> None:
    chinese = {key for key, text in table("en").items() if re.search(r"[\u4e00-\u9fff]", text)}
    # A language names itself.
    assert chinese <= {"ui.language.zh"}


@pytest.mark.parametrize("key", sorted(table("en")))
def test_every_key_is_used(key: str, source: str) -> None:
    quoted = re.search(rf"[\"'`]{re.escape(key)}[\"'`]", source)
    assert quoted or _is_put_together(key, source), f"nothing shows {key!r}"


def _is_put_together(key: str, source: str) -> bool:
    """Return whether the key's parts stand in the code, as in `ui.${name}` with `play`."""
    for dot in re.finditer(r"\.", key):
        start, end = key[: dot.end()], re.escape(key[dot.end() :])
        is_start = re.search(rf"[\"'`]{re.escape(start)}(\$?\{{|[\"'`]\s*\+)", source)
        # A quoted word, a property of an object, or a shorthand one: "play", play: ..., { play, }.
        is_end = re.search(rf"[\"'`]{end}[\"'`]|\b{end}:|[{{,]\s*{end}\s*[,}}]", source)
        if is_start and is_end:
            return True
    # A role, with what `f"role.{kind}_retained"` adds to it.
    return key.endswith("_retained") and "_retained" in source


def test_no_key_is_asked_for_that_no_table_has(source: str) -> None:
    families = {key.split(".")[0] for key in table("en") if "." in key}
    asked = set(re.findall(r"[\"'`]([a-z]+(?:\.[a-z_]+)+)[\"'`]", source))
    missing = {key for key in asked if key.split(".")[0] in families} - set(table("en"))
    assert {key for key in missing if not key.endswith((".py", ".css", ".js", ".json"))} == set()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_is_sorted_and_has_no_key_twice(lang: str) -> None:
    text = (ROOT / "hookviz" / "_languages" / f"{lang}.json").read_text(encoding="utf-8")
    pairs: list[tuple[str, str]] = json.loads(text, object_pairs_hook=list)
    keys = [key for key, _ in pairs]
    assert keys == sorted(set(keys))


def test_a_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        table("en")["ui.play"] = "x"  # type: ignore[index]
