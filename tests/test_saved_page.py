"""A saved page as text: everything in it is inert, and what cannot be written is said plainly."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from msgspec.structs import replace

import hookviz
from hookviz._languages import table
from hookviz._view.code.code import as_code
from hookviz._view.saved import page as saved_page
from hookviz._view.text.message import Message
from hookviz.errors import HookvizError
from tests.live.scripts import leaf, second_example
from tests.requirements_of_tests import ROOT

HOSTILE = (
    "</script><script>globalThis.broken = 1</script>",
    "</noscript><img src=x onerror='globalThis.broken = 1'>",
    "<!--<script>",
    "__proto__",
    "\u2028\u2029\u202eright to left",
    "'\"\\`${globalThis.broken = 1}&amp;&lt;",
    "</style></title></pre>]]>",
    "\ud800",
)


class Reader(HTMLParser):
    """Collect the elements of a page, the text of its scripts, and all other text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.comments: list[str] = []
        self.texts: list[str] = []
        self._in_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data
        else:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def trace_of_second_example() -> hookviz.Trace:
    tensors = second_example()
    return hookviz.record(tensors["e"], names=tensors)


def hostile_root() -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return a root, and tensors with names that are not meant well."""
    # In an object, where hookviz does not look: the tensors have no other names.
    own = SimpleNamespace()
    own.leaves = {name: leaf(float(number)) for number, name in enumerate(HOSTILE, start=1)}
    own.root = sum(own.leaves.values())
    own.root.register_hook(lambda grad: sys.stdout.write("".join(HOSTILE[:-1])) and None)
    return own.root, {"root": own.root, **own.leaves}


def hostile_trace() -> hookviz.Trace:
    root, names = hostile_root()
    return hookviz.record(root, names=names)


def read(path: Path) -> Reader:
    return Reader(path.read_text(encoding="utf-8"))


def state_of(reader: Reader) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(reader.scripts[0])
    return state


def test_a_trace_is_saved_with_all_that_the_browser_needs(tmp_path: Path) -> None:
    trace = trace_of_second_example()
    trace.save_html(tmp_path / "pass.html")
    reader = read(tmp_path / "pass.html")
    (explorer,) = state_of(reader)["explorers"]
    assert explorer["title"] == "e.backward()"
    assert len(explorer["steps"]) == 13
    assert [tensor["label"] for tensor in explorer["tensors"]] == ["e", "c", "d", "a", "b"]
    assert (explorer["step"], explorer["lang"], explorer["theme"]) == (0, "en", "auto")
    assert state_of(reader)["strings"]["zh"] == dict(table("zh"))
    assert ("html", {"lang": "en"}) in reader.tags
    # Without scripts: the picture and the text of the whole pass.
    assert "svg" in {tag for tag, _ in reader.tags}
    assert trace.text() in "".join(reader.texts)


def test_the_same_trace_gives_the_same_bytes(tmp_path: Path) -> None:
    trace = trace_of_second_example()
    trace.save_html(tmp_path / "one.html")
    trace.save_html(str(tmp_path / "two.html"))
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_it_opens_in_the_language_that_was_asked_for(tmp_path: Path) -> None:
    trace = trace_of_second_example()
    trace.save_html(tmp_path / "pass.html", lang="zh")
    reader = read(tmp_path / "pass.html")
    assert ("html", {"lang": "zh-Hans"}) in reader.tags
    assert state_of(reader)["explorers"][0]["lang"] == "zh"
    assert table("zh")["page.no_script"] in reader.texts
    assert trace.text("zh") in "".join(reader.texts)


def test_nothing_that_a_user_wrote_is_more_than_text(tmp_path: Path) -> None:
    plain = trace_of_second_example()
    plain.save_html(tmp_path / "plain.html")
    trace = hostile_trace()
    trace.save_html(tmp_path / "hostile.html")
    one, other = read(tmp_path / "plain.html"), read(tmp_path / "hostile.html")
    assert len(other.scripts) == len(one.scripts) == 3
    assert other.comments == []
    assert {tag for tag, _ in other.tags} == {tag for tag, _ in one.tags}
    assert not any(name.startswith("on") for _, attributes in other.tags for name in attributes)
    labels = {tensor["label"] for tensor in state_of(other)["explorers"][0]["tensors"]}
    assert labels >= set(HOSTILE[:-1])
    assert not re.search(r"[<>&\u2028\u2029]", other.scripts[0])


def test_the_policy_lets_exactly_the_script_of_the_page_run(tmp_path: Path) -> None:
    hostile_trace().save_html(tmp_path / "pass.html")
    reader = read(tmp_path / "pass.html")
    (policy,) = (
        attributes["content"] or ""
        for _, attributes in reader.tags
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    digest = base64.b64encode(hashlib.sha256(reader.scripts[2].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    )


def test_it_names_no_other_file(tmp_path: Path) -> None:
    trace_of_second_example().save_html(tmp_path / "pass.html")
    reader = read(tmp_path / "pass.html")
    for tag, attributes in reader.tags:
        assert tag not in ("link", "img", "iframe", "object", "base", "a")
        assert not {"src", "href", "xlink:href", "action"} & set(attributes)
    assert not re.search(r"@import|url\(", saved_page._style())


def test_several_explorers_stand_under_their_headings(tmp_path: Path) -> None:
    trace = trace_of_second_example()
    parts = [
        saved_page.page_part(trace, lang="en", heading="<one> & only"),
        saved_page.page_part(trace, lang="en", heading=Message("calls.none")),
    ]
    saved_page.save_page(
        tmp_path / "pass.html",
        parts,
        title="<b>mine</b>",
        notes=["a <note>", Message("calls.none")],
    )
    reader = read(tmp_path / "pass.html")
    assert len(state_of(reader)["explorers"]) == 2
    places = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert places[:2] == ["hookviz-0", "hookviz-1"]
    for text in ("<b>mine</b>", "<one> & only", "a <note>", table("en")["calls.none"]):
        assert text in reader.texts


def test_the_state_can_be_that_of_an_explorer_in_use(tmp_path: Path) -> None:
    part = saved_page.page_part(trace_of_second_example(), lang="en")
    used = replace(part, state={**part.state, "step": 7, "selected": "t1", "theme": "dark"})
    saved_page.save_page(tmp_path / "pass.html", [used])
    reader = read(tmp_path / "pass.html")
    assert state_of(reader)["explorers"][0]["step"] == 7
    assert ("html", {"lang": "en", "data-theme": "dark"}) in reader.tags


def test_every_trait_that_the_browser_asks_for_is_there(tmp_path: Path) -> None:
    trace_of_second_example().save_html(tmp_path / "pass.html")
    state = state_of(read(tmp_path / "pass.html"))
    # But for those that may be missing: `model.get("kept") ?? null`.
    asking = re.compile(r'model\.get\("(\w+)"\)(?! \?\?)')
    asked = {
        name
        for script in (ROOT / "js" / "src").rglob("*.js")
        for name in asking.findall(script.read_text(encoding="utf-8"))
    }
    assert len(asked) > 5
    assert asked <= {"strings", *state["explorers"][0]}


def test_a_trace_that_ended_in_an_error_can_be_saved(tmp_path: Path) -> None:
    a = leaf(2.0)
    b = a * a
    b.register_hook(lambda grad: 1 / 0)
    hookviz.record(b).save_html(tmp_path / "pass.html")
    assert "ZeroDivisionError" in "".join(read(tmp_path / "pass.html").texts)


def test_what_is_not_finite_can_be_saved(tmp_path: Path) -> None:
    a = leaf(0.0)
    hookviz.record(a.log() * a).save_html(tmp_path / "pass.html")
    assert "nan" in "".join(read(tmp_path / "pass.html").texts)


def test_where_nothing_can_be_written_it_says_why(tmp_path: Path) -> None:
    trace = trace_of_second_example()
    (tmp_path / "file").write_text("kept", encoding="utf-8")
    for path, said in (
        (tmp_path, "it is a folder. Give the name of a file in it"),
        (tmp_path / "none" / "pass.html", "there is no folder"),
        (tmp_path / "file" / "pass.html", "Not a directory. Choose another"),
        ("pass\0.html", "null byte. Choose another"),
        (tmp_path / ("x" * 300), "File name too long. Choose another"),
    ):
        for save in (trace.save_html, trace.save_svg):
            with pytest.raises(HookvizError, match=re.escape(said)):
                save(path)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "kept"


def test_another_language_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    trace = trace_of_second_example()
    for save in (trace.save_html, trace.save_svg):
        with pytest.raises(HookvizError, match="lang='fr' is unknown; there are en, zh"):
            save(tmp_path / "pass", lang="fr")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_is_saved_of_any_step(tmp_path: Path) -> None:
    trace = trace_of_second_example()
    trace.save_svg(tmp_path / "end.svg")
    trace.save_svg(tmp_path / "last.svg", step=12)
    trace.save_svg(tmp_path / "start.svg", step=0, lang="zh")
    end, last, start = (
        (tmp_path / name).read_text(encoding="utf-8")
        for name in ("end.svg", "last.svg", "start.svg")
    )
    assert end == last
    assert end.startswith("<svg")
    assert "not computed yet</text>" not in end.split("hv-legend")[0]
    assert "尚未计算" in start
    for step in (-1, 13, 1.5):
        with pytest.raises(HookvizError, match="this pass has the steps 0 to 12"):
            trace.save_svg(tmp_path / "none.svg", step=step)  # type: ignore[arg-type]


def test_a_bundle_without_mount_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "explorer.js").write_text("let a=1;export{a as default};\n", encoding="utf-8")
    monkeypatch.setattr(saved_page, "STATIC", tmp_path)
    with pytest.raises(AssertionError, match="does not export mount"):
        saved_page._script()


def test_a_bundle_cannot_end_its_own_element(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = 'let a="</SCRIPT><!--";export{a as default,a as mount};\n'
    (tmp_path / "explorer.js").write_text(bundle, encoding="utf-8")
    monkeypatch.setattr(saved_page, "STATIC", tmp_path)
    assert r'let a="<\/SCRIPT><\!--";' in saved_page._script()


def test_saving_loads_no_jupyter() -> None:
    from tests.project.test_architecture import loaded_after

    program = """
import tempfile, torch, hookviz
a = torch.tensor(2.0, requires_grad=True)
hookviz.record(a * a).save_html(tempfile.mkdtemp() + "/pass.html")
"""
    assert loaded_after(program) <= {"graphviz", "pygraphviz"}


def test_a_page_carries_its_hooks_as_code() -> None:
    trace = trace_of_second_example()
    code = saved_page.page_part(trace, lang="en").state["hooks_code"]
    assert code == as_code(trace)
    assert "c.register_hook" in code
    given = saved_page.page_part(trace, lang="en", code="a.backward()").state["hooks_code"]
    assert given == "a.backward()"
