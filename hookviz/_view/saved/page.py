"""Save explorers as one HTML file that steps without Jupyter, without a network, from a folder."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from hookviz._files import STATIC, write_text
from hookviz._languages import LANGUAGES, table
from hookviz._parameters import check_language
from hookviz._records import TraceRecord
from hookviz._view.code.code import as_code
from hookviz._view.compare.choices import choice_data
from hookviz._view.compare.compare import Comparison
from hookviz._view.groups.find import group_tree
from hookviz._view.page.data import explorer_data
from hookviz._view.saved.answers import kept_answers
from hookviz._view.steps.steps import build_steps
from hookviz._view.svg.picture import Drawn
from hookviz._view.text.message import Message, Text, render

_LANGUAGE_TAGS = {"en": "en", "zh": "zh-Hans"}

AT_START: Mapping[str, Any] = {
    "step": 0,
    "selected": "",
    "theme": "auto",
    "playing": False,
    "speed": 1.0,
    "notice": None,
    "busy": False,
    "comparisons": [],
    "comparison": None,
    "predicting": False,
    "score": {"right": 0, "asked": 0, "steps": []},
}
"""The traits of an explorer before the first click."""


class PagePart(Struct, frozen=True, kw_only=True):
    """One explorer of a page.

    Attributes:
        state: Its traits by name, as the widget sends them to the browser; `strings` and `lang` are
            the page's.
        still: A picture of the whole pass, as SVG that stands alone.
        transcript: The pass as text.
        heading: The heading above it; none if empty.
    """

    state: Mapping[str, Any]
    still: str
    transcript: str
    heading: Text = ""


def page_part(
    trace: TraceRecord,
    *,
    lang: str,
    heading: Text = "",
    choices: Sequence[Mapping[str, Any]] = (),
    comparisons: Mapping[str, Comparison] | None = None,
    expanded: Collection[str] | None = None,
    code: str | None = None,
) -> PagePart:
    """Make an explorer of a trace, before its first step.

    Args:
        trace: The pass to step through.
        lang: `"en"` or `"zh"`.
        heading: The heading above it.
        choices: The passes to choose from for a comparison, see `choice_data`.
        comparisons: The comparisons with passes that were run, by the ids of the choices.
        expanded: Ids of the boxes that are open at first; as many as are readable if not given.
        code: Its hooks as plain PyTorch lines; if not given, as far as the trace knows them.
    """
    tree = group_tree(trace.graph)
    steps = build_steps(trace.graph, trace.events, tree=tree)
    data = explorer_data(trace, steps, expanded=expanded, tree=tree)
    others = dict(comparisons or {})
    # One that says why there are no more stays, though nothing can be compared with it.
    data["comparisons"] = [
        choice for choice in choices if choice["id"] in others or choice.get("absent")
    ]
    drawn = Drawn(trace.graph, steps, tree, trace.events)
    data |= kept_answers(drawn, data["expanded"], others)
    data["hooks_code"] = as_code(trace) if code is None else code
    return PagePart(
        state={**AT_START, **data},
        still=drawn.picture(len(steps) - 1, lang=lang, standalone=True),
        transcript=data["transcript"][lang],
        heading=heading,
    )


def uncompared_note(traces: Iterable[TraceRecord]) -> tuple[Message, ...]:
    """Return the note below passes that cannot be run again, if any of them has a hook on."""
    has_hooks = any(choice_data(trace.graph, has_edit=False) for trace in traces)
    return (Message("page.compare.none"),) if has_hooks else ()


def save_page(
    path: str | os.PathLike[str],
    parts: Sequence[PagePart],
    *,
    title: str = "",
    lang: str | None = None,
    notes: Sequence[Text] = (),
) -> None:
    """Write a page; it needs nothing but a browser.

    Args:
        path: The file, by custom with the ending `.html`; one that is there is replaced.
        parts: Its explorers, from top to bottom.
        title: Title of the page; the first explorer's if empty.
        lang: `"en"` (the default) or `"zh"`.
        notes: Sentences to put below the explorers.

    Raises:
        HookvizError: If the file cannot be written, or for another language.
    """
    lang = check_language(lang)
    text = page_html(parts, title=title, lang=lang, notes=notes)
    write_text(path, text)


def page_html(
    parts: Sequence[PagePart], *, title: str, lang: str, notes: Sequence[Text] = ()
) -> str:
    """Return the page as text; see `save_page`."""
    first = parts[0].state if parts else {}
    title = title or str(first.get("title") or "hookviz")
    theme = str(first.get("theme", "auto"))
    chosen = "" if theme == "auto" else f' data-theme="{html.escape(theme)}"'
    headings = [part.heading or Message("page.explorer") for part in parts]
    texts = [*headings, *notes, Message("page.footer")]
    state = {
        "strings": {language: dict(table(language)) for language in LANGUAGES},
        "explorers": [{**part.state, "lang": lang} for part in parts],
        "languages": {
            language: {"tag": tag, "texts": [render(text, language) for text in texts]}
            for language, tag in _LANGUAGE_TAGS.items()
        },
    }
    script = _script()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    # Nothing is fetched, and no script runs but the one below, with any names and texts.
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    sections = "\n".join(_section(part, number, lang) for number, part in enumerate(parts))
    said = "\n".join(
        f'<p class="hv-page-note" data-hv-text="{number}">{_escaped(text, lang)}</p>'
        for number, text in enumerate(texts)
        if number >= len(parts)
    )
    return f"""\
<!doctype html>
<html lang="{_LANGUAGE_TAGS[lang]}"{chosen}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="hookviz">
<title>{html.escape(title)}</title>
<style>
{_style()}
</style>
</head>
<body>
<main>
<h1>{html.escape(title)}</h1>
{sections}
{said}
</main>
<script type="application/json" id="hookviz-state">{_json(state)}</script>
<script type="text/plain" id="hookviz-licenses">{_licenses()}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def _section(part: PagePart, number: int, lang: str) -> str:
    # The explorer's own headings are of the third level: a screen reader finds one of the second.
    quiet = "" if part.heading else ' class="hv-page-quiet"'
    heading = _escaped(part.heading or Message("page.explorer"), lang)
    return f"""\
<section>
<h2{quiet} data-hv-text="{number}">{heading}</h2>
<div class="hv-page-explorer" id="hookviz-{number}"></div>
<noscript>
<p class="hv-page-note">{_escaped(Message("page.no_script"), lang)}</p>
{part.still}
<pre>{html.escape(part.transcript)}</pre>
</noscript>
</section>"""


def _escaped(text: Text, lang: str) -> str:
    return html.escape(render(text, lang))


def _json(value: object) -> str:
    """Return JSON that can neither end the element it stands in nor open a comment there."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _style() -> str:
    return "\n".join(
        (STATIC / name).read_text(encoding="utf-8") for name in ("explorer.css", "page.css")
    )


def _licenses() -> str:
    return (STATIC / "explorer.licenses.txt").read_text(encoding="utf-8").replace("<", "‹")


_EXPORTS = re.compile(r"export\s*\{(?P<names>[^{}]*)\};?\s*$")


def _script() -> str:
    """Return the bundle as a script that needs no other file, with the call that shows the state.

    A module in a page cannot be imported from where it stands, and one beside a page that was
    opened from a folder is refused by browsers: so the export becomes a plain name.
    """
    bundle = (STATIC / "explorer.js").read_text(encoding="utf-8")
    exports = _EXPORTS.search(bundle)
    mount = exports and re.search(r"([\w$]+) as mount\b", exports["names"])
    if exports is None or mount is None:
        raise AssertionError("the bundle does not export mount")
    return f"""
{_inert(bundle[: exports.start()])}
{{
const page = JSON.parse(document.getElementById("hookviz-state").textContent);
const speak = (lang) => {{
  const {{ tag, texts }} = page.languages[lang];
  document.documentElement.lang = tag;
  for (const place of document.querySelectorAll(":is(main, section) > [data-hv-text]")) {{
    place.textContent = texts[Number(place.dataset.hvText)];
  }}
}};
page.explorers.forEach((state, number) => {{
  const place = document.getElementById(`hookviz-${{number}}`);
  {mount[1]}(place, {{ ...state, strings: page.strings }}, speak);
}});
}}
"""


def _inert(script: str) -> str:
    """Return the script without anything that a page takes for its end; texts stay the same."""
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE).replace("<!--", "<\\!--")
