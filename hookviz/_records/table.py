"""Show records as HTML tables; every text in a table is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence


def table_html(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a heading for each column.

    Args:
        head: The headings.
        rows: One text for each column.
    """
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{_cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def facts_html(title: str, facts: Mapping[str, str]) -> str:
    """Return a table of two columns: names and texts. A fact without a text is left out.

    Args:
        title: The caption of the table.
        facts: The texts by their names.
    """
    rows = "".join(
        f"<tr>{_cells('th', (name,))}{_cells('td', (text,))}</tr>"
        for name, text in facts.items()
        if text
    )
    return f"<table><caption>{_escaped(title)}</caption><tbody>{rows}</tbody></table>"


def _cells(tag: str, texts: Iterable[str]) -> str:
    style = ' style="text-align:left;white-space:pre-wrap"'
    return "".join(f"<{tag}{style}>{_escaped(text)}</{tag}>" for text in texts)


def _escaped(text: str) -> str:
    # A lone surrogate in a user's text would break the notebook's file.
    return html.escape(text.encode("utf-8", errors="backslashreplace").decode("utf-8"))
