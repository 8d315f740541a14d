"""Draw a backward graph as SVG, as it looks at one step."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from hookviz._records import GraphRecord
from hookviz._view.groups.tree import GroupTree
from hookviz._view.layout.geometry import Layout
from hookviz._view.layout.graphviz import lay_out
from hookviz._view.lookup.titles import description_of
from hookviz._view.scene.build import build_scene
from hookviz._view.scene.fields import Fields
from hookviz._view.scene.ranks import Direction
from hookviz._view.scene.scene import Scene
from hookviz._view.svg.drawing import Drawing
from hookviz._view.svg.element import Element, element, title, to_markup, words
from hookviz._view.svg.legend import LINE_HEIGHT, draw_legend, draw_transcript
from hookviz._view.svg.style_sheet import make_standalone, style_element
from hookviz._view.text.message import Message, render

if TYPE_CHECKING:
    from hookviz._view.steps.steps import Step

LANGUAGE = "en"
"""What a picture for a page with a script is written in; the page translates it."""

_MARGIN = 12.0
_WIDEST_THAT_SHRINKS = 1100.0


def picture_svg(
    graph: GraphRecord,
    steps: Sequence[Step],
    *,
    step: int,
    lang: str,
    transcript: str | None = None,
    standalone: bool | None = None,
    expanded: Collection[str] | None = None,
    tree: GroupTree | None = None,
    direction: Direction = "auto",
) -> str:
    """Return a picture of the graph at one step, as the text of one `<svg>` element.

    Stepping needs no other picture: what changes carries `data-hv-field` or `data-hv-state`, and
    there is room for what it shows at any step and in any language.

    Args:
        graph: What to draw.
        steps: Every step of the pass; step 0 has a value for every field.
        step: The step to show.
        lang: The language to show.
        transcript: Lines to draw below.
        standalone: Whether the picture brings its style sheet and legend, so that it needs no
            script, font, or other file. By default it does exactly when there is a transcript.
        expanded: Ids of the boxes that are open; `None` for the start, see `view/start.py`.
        tree: The groups of the graph, where they are at hand.
        direction: Which way the gradient flows.
    """
    stands_alone = transcript is not None if standalone is None else standalone
    # A still picture of the whole pass shows how it ended, and not what happened last.
    is_whole_pass = stands_alone and step == len(steps) - 1
    fields = Fields(steps, step, is_at_rest=is_whole_pass)
    scene = build_scene(graph, fields, tree=tree, expanded=expanded, direction=direction)
    layout = lay_out(scene)
    drawing, width = Drawing(scene, layout, fields, lang).draw()
    below: list[Element] = []
    height = layout.height + 6
    if stands_alone:
        # The widget has a legend of its own, which neither moves nor shrinks with the picture.
        legend, legend_height = draw_legend(
            width - 2 * _MARGIN,
            height,
            lang,
            is_forward=scene.is_forward,
            has_order=any(connector.kind == "order" for connector in scene.connectors),
        )
        below.append(legend)
        height += legend_height
    if layout.is_rescue:
        below.append(_note(_layout_words(layout), height, lang))
        height += LINE_HEIGHT
    if transcript is not None:
        lines, lines_width, lines_height = draw_transcript(transcript, height + 6, lang)
        below.append(lines)
        width = max(width, lines_width + 2 * _MARGIN)
        height += 6 + lines_height
    root = _frame(width, height, graph, scene, lang)
    if stands_alone:
        background = element("rect", class_="hv-background", width=width, height=height + 4)
        root.extend([title(root.get("aria-label", "")), style_element(), background])
    root.extend([drawing, *below])
    if stands_alone:
        make_standalone(root)
    return to_markup(root)


def picture_for_page(
    graph: GraphRecord, steps: Sequence[Step], *, expanded: Collection[str], tree: GroupTree
) -> Element:
    """Return the picture of step 0 with some boxes open as one `<svg>` element.

    It is what `picture_svg` writes for a page with a script, which steps and translates.

    Args:
        graph: What to draw.
        steps: Every step of the pass.
        expanded: Ids of the boxes that are open.
        tree: The groups of the graph.
    """
    fields = Fields(steps, 0)
    scene = build_scene(graph, fields, tree=tree, expanded=expanded)
    layout = lay_out(scene)
    drawing, width = Drawing(scene, layout, fields, LANGUAGE).draw()
    note = _layout_words(layout) if layout.is_rescue else None
    return picture_around(drawing, width, graph, scene, layout, note)


def picture_around(
    drawing: Element,
    width: float,
    graph: GraphRecord,
    scene: Scene,
    layout: Layout,
    note: Message | None,
) -> Element:
    """Return a picture around a drawing for a page with a script, with a note below it if any."""
    height = layout.height + 6
    below = [] if note is None else [_note(note, height, LANGUAGE)]
    root = _frame(width, height + LINE_HEIGHT * len(below), graph, scene, LANGUAGE)
    root.extend([drawing, *below])
    return root


def _frame(width: float, height: float, graph: GraphRecord, scene: Scene, lang: str) -> Element:
    width, height = float(round(width)), float(round(height + 4))
    classes = ["hv-picture"]
    if width > _WIDEST_THAT_SHRINKS:
        # Shrunk to a page, text this wide could no longer be read: it scrolls instead.
        classes.append("hv-wide")
    root = element("svg", class_=" ".join(classes))
    root.set("xmlns", "http://www.w3.org/2000/svg")
    root.set("viewBox", f"0 0 {width:.0f} {height:.0f}")
    root.set("width", f"{width:.0f}")
    root.set("height", f"{height:.0f}")
    root.set("role", "group")
    root.set("data-hv-direction", "across" if scene.is_sideways else "down")
    root.set("aria-label", render(description_of(graph), lang))
    return root


def _note(note: Message, top: float, lang: str) -> Element:
    return words("text", note, lang, class_="hv-layout-note", x=_MARGIN, y=top + 12)


def _layout_words(layout: Layout) -> Message:
    is_straight = layout.engine == "straight"
    return Message("picture.straight_layout" if is_straight else "picture.rescue_layout")
